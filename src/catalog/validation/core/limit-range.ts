/** Checks of LimitRanges. Follows ValidateLimitRange of k8s.io/kubernetes/pkg/apis/core/validation. */
import { formatFixed } from '../../../go/numbers.ts'
import { ownValue } from '../../../go/own-value.ts'
import { asJson } from '../../../meta/field-error.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import { compareQuantities, mostMilliValue, scaledQuantityValue } from '../../../meta/quantity.ts'
import type { LimitRange, LimitRangeItem } from '../../generated/types/core.v1.ts'
import { type Errors, itemsOf, validator } from '../checks.ts'
import { type CheckName, checkAnyName, checkContainerName, mayOvercommit } from './resource-names.ts'

const standardTypes: ReadonlySet<string> = new Set(['Pod', 'Container', 'PersistentVolumeClaim'])

function checkType(type: string, field: string, errors: Errors): void {
  const messages = isQualifiedName(type)
  errors.checkMessages(messages, asJson(type), field)
  if (messages.length > 0 || type.includes('/') || standardTypes.has(type)) return
  errors.invalid(field, asJson(type), 'must be a standard limit type or fully qualified')
}

function checkNames(item: LimitRangeItem, which: keyof LimitRangeItem, field: string, errors: Errors): void {
  const ofContainers = item.type === 'Pod' || item.type === 'Container'
  const check: CheckName = ofContainers ? checkContainerName : checkAnyName
  for (const name of Object.keys(item[which] ?? {})) check(name, `${field}.${which}[${name}]`, errors)
}

const defaults = ['default', 'defaultRequest'] as const

function checkAllNames(item: LimitRangeItem, field: string, errors: Errors): void {
  checkNames(item, 'max', field, errors)
  checkNames(item, 'min', field, errors)
  for (const which of defaults) {
    if (item.type !== 'Pod') checkNames(item, which, field, errors)
    else if (Object.keys(item[which] ?? {}).length > 0) {
      errors.forbidden(`${field}.${which}`, "may not be specified when `type` is 'Pod'")
    }
  }
  if (item.type === 'PersistentVolumeClaim' && item.min?.storage === undefined && item.max?.storage === undefined) {
    errors.required(`${field}.limits`, 'either minimum or maximum storage value is required, but neither was provided')
  }
  checkNames(item, 'maxLimitRequestRatio', field, errors)
}

type Bound = 'min' | 'max' | 'default' | 'defaultRequest'

/**
 * Pairs of bounds of which the first must not exceed the second, in the order of the messages, with their names in the message,
 * the field of the error and the bound that it quotes.
 */
const orders: readonly (readonly [less: Bound, lessName: string, more: Bound, moreName: string, at: Bound, reported: Bound])[] = [
  ['min', 'min value', 'max', 'max value', 'min', 'min'],
  ['min', 'min value', 'defaultRequest', 'default request value', 'defaultRequest', 'defaultRequest'],
  ['defaultRequest', 'default request value', 'max', 'max value', 'defaultRequest', 'defaultRequest'],
  ['defaultRequest', 'default request value', 'default', 'default limit value', 'defaultRequest', 'defaultRequest'],
  ['min', 'min value', 'default', 'default value', 'default', 'min'],
  ['default', 'default value', 'max', 'max value', 'default', 'max'],
]

function checkRatio(ratio: string, { min, max }: { min?: string; max?: string }, field: string, errors: Errors): void {
  if (compareQuantities(ratio, '1') < 0) errors.invalid(field, ratio, `ratio ${ratio} is less than 1`)
  if (min === undefined || max === undefined) return
  const amounts = [ratio, max, min]
  const isFine = amounts.every((amount) => scaledQuantityValue(amount, 0) < mostMilliValue)
  const [value = 0, most = 0, least = 0] = amounts.map((amount) => Number(scaledQuantityValue(amount, isFine ? -3 : 0)))
  const limit = most / least
  if ((isFine ? value / 1000 : value) > limit) {
    errors.invalid(field, ratio, `ratio ${ratio} is greater than max/min = ${formatFixed(limit, 6)}`)
  }
}

function checkAmounts(item: LimitRangeItem, name: string, field: string, errors: Errors): void {
  const isPod = item.type === 'Pod'
  const amountOf = (bound: Bound): string | undefined =>
    isPod && (bound === 'default' || bound === 'defaultRequest') ? undefined : ownValue(item[bound], name)
  for (const [less, lessName, more, moreName, at, reported] of orders) {
    const [low, high] = [amountOf(less), amountOf(more)]
    if (low === undefined || high === undefined || compareQuantities(low, high) <= 0) continue
    errors.invalid(`${field}.${at}[${name}]`, amountOf(reported), `${lessName} ${low} is greater than ${moreName} ${high}`)
  }
  const ratio = ownValue(item.maxLimitRequestRatio, name)
  const [min, max] = [amountOf('min'), amountOf('max')]
  if (ratio !== undefined) {
    const bounds = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) }
    checkRatio(ratio, bounds, `${field}.maxLimitRequestRatio[${name}]`, errors)
  }
  const [limit, request] = [amountOf('default'), amountOf('defaultRequest')]
  if (mayOvercommit(name) || limit === undefined || request === undefined || compareQuantities(limit, request) === 0) return
  const text = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`
  errors.invalid(`${field}.defaultRequest[${name}]`, request, text)
}

/** Validates a LimitRange, except its metadata. */
export const validateLimitRange = validator((errors, { spec }: LimitRange) => {
  const types = new Set<string>()
  for (const [field, item] of itemsOf(spec.limits, 'spec.limits')) {
    checkType(item.type, `${field}.type`, errors)
    errors.checkUnique(types, item.type, `${field}.type`, asJson(item.type))
    checkAllNames(item, field, errors)
    const names = (['max', 'min', ...(item.type === 'Pod' ? [] : defaults), 'maxLimitRequestRatio'] as const).flatMap((which) =>
      Object.keys(item[which] ?? {}),
    )
    for (const name of new Set(names)) checkAmounts(item, name, field, errors)
  }
})
