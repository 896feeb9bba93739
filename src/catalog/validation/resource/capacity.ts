/** Checks of device attributes and capacities. Follows k8s.io/kubernetes/pkg/apis/resource/validation. */
import { utf8Length } from '../../../go/text.ts'
import { addQuantities, compareQuantities, scaledQuantityValue } from '../../../meta/quantity.ts'
import type { CapacityRequestPolicy, DeviceAttribute, DeviceCapacity } from '../../generated/types/resource.v1.ts'
import { internalJson } from '../../internal-json.ts'
import type { Errors } from '../checks.ts'
import { checkSet } from './lists.ts'

const longestValue = 64
const mostOptions = 10
const number = '(0|[1-9]\\d*)'
const preRelease = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)'
const build = '[0-9a-zA-Z-]+'
const version = new RegExp(`^${number}\\.${number}\\.${number}(-${preRelease}(\\.${preRelease})*)?(\\+${build}(\\.${build})*)?$`)

function checkVersion(value: string, field: string, errors: Errors): void {
  // A value that is too long is not matched: the regular expression would be slow.
  if (utf8Length(value) > longestValue * longestValue || !version.test(value)) {
    errors.invalid(field, value, 'must be a string compatible with semver.org spec 2.0.0')
  }
  if (utf8Length(value) > longestValue) errors.tooLong(field, longestValue)
}

/** Checks that an attribute has exactly one value. List values exist only in objects written with the feature gate enabled. */
export function checkAttribute(attribute: DeviceAttribute, field: string, errors: Errors): void {
  const { string, version: versionValue } = attribute
  if (string !== undefined && utf8Length(string) > longestValue) errors.tooLong(`${field}.string`, longestValue)
  if (versionValue !== undefined) checkVersion(versionValue, `${field}.version`, errors)
  const count = Object.values(attribute).filter((value) => value !== undefined).length
  const text = 'exactly one value must be specified'
  if (count === 0) errors.invalid(field, '', text)
  else if (count > 1) errors.invalid(field, internalJson('resource.DeviceAttribute', attribute), text)
}

/** Returns the quantity as a whole number, rounded up. */
const wholeOf = (quantity: string): bigint => scaledQuantityValue(quantity, 0)

function checkValidValues(fallback: string, capacity: string, values: readonly string[], field: string, errors: Errors): void {
  for (const [index, value] of values.entries()) {
    const next = values[index + 1]
    if (next === undefined || compareQuantities(value, next) <= 0) continue
    errors.invalid(`${field}[${index + 1}]`, next, 'values must be sorted in ascending order')
  }
  const check = (value: string, at: string): void => {
    if (compareQuantities(value, capacity) > 0) errors.invalid(at, value, `option is larger than capacity value: ${capacity}`)
  }
  checkSet(values, mostOptions, check, (value) => String(wholeOf(value)), field, errors)
  const isBounded = values.length <= mostOptions
  if (!isBounded || !values.some((value) => compareQuantities(value, fallback) === 0)) {
    errors.invalid(field, fallback, 'default value is not valid according to the requestPolicy')
  }
}

interface Range {
  readonly min: string
  readonly max?: string
  readonly step?: string
}

function checkMaximum(fallback: string, capacity: string, min: string, max: string, field: string, errors: Errors): void {
  if (compareQuantities(min, max) > 0) errors.invalid(field, min, `min is larger than max: ${max}`)
  if (compareQuantities(max, capacity) > 0) errors.invalid(field, max, `max is larger than capacity value: ${capacity}`)
  if (compareQuantities(fallback, max) > 0) errors.invalid(field, fallback, `default is more than max: ${max}`)
}

function checkStep(value: string, min: string, step: string, field: string, errors: Errors): void {
  const whole = wholeOf(step)
  // kube-apiserver divides by zero here.
  if (whole !== 0n && (wholeOf(value) - wholeOf(min)) % whole === 0n) return
  errors.invalid(field, value, `value is not a multiple of a given step (${step}) from (${min})`)
}

function checkRange(fallback: string, capacity: string, { min, max, step }: Range, field: string, errors: Errors): void {
  const at = `${field}.min`
  if (compareQuantities(min, capacity) > 0) errors.invalid(at, min, `min is larger than capacity value: ${capacity}`)
  if (compareQuantities(fallback, min) < 0) errors.invalid(at, fallback, `default is less than min: ${min}`)
  if (max !== undefined) checkMaximum(fallback, capacity, min, max, `${field}.max`, errors)
  if (step === undefined) return
  const added = addQuantities(min, step)
  if (compareQuantities(added, capacity) > 0) {
    errors.invalid(`${field}.step`, step, `one step ${added} is larger than capacity value: ${capacity}`)
  }
  checkStep(fallback, min, step, `${field}.step`, errors)
  if (max !== undefined) checkStep(max, min, step, `${field}.step`, errors)
}

function checkPolicy(capacity: string, policy: CapacityRequestPolicy, field: string, errors: Errors): void {
  const { validValues = [], validRange, default: fallback } = policy
  if (validValues.length > 0 && validRange !== undefined) {
    errors.forbidden(field, 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time')
  } else if (validValues.length > 0) {
    if (fallback === undefined || fallback === null) errors.required(`${field}.default`, 'required when validValues is defined')
    else checkValidValues(fallback, capacity, validValues, `${field}.validValues`, errors)
  } else if (validRange !== undefined) {
    const { min } = validRange
    if (fallback === undefined || fallback === null) errors.required(`${field}.default`, 'required when validRange is defined')
    else if (min === undefined) errors.required(`${field}.validRange.min`, 'required when validRange is defined')
    else checkRange(fallback, capacity, { ...validRange, min }, `${field}.validRange`, errors)
  }
}

/** Validates a capacity of a device that is allocated exclusively. */
export function checkWholeCapacity({ requestPolicy }: DeviceCapacity, field: string, errors: Errors): void {
  if (requestPolicy !== undefined) errors.forbidden(`${field}.requestPolicy`, 'allowMultipleAllocations must be true')
}

/** Validates a capacity of a device that allows multiple allocations. */
export function checkSharedCapacity({ value, requestPolicy }: DeviceCapacity, field: string, errors: Errors): void {
  if (requestPolicy !== undefined) checkPolicy(value, requestPolicy, `${field}.requestPolicy`, errors)
}
