/**
 * Checks of a Job's podFailurePolicy and successPolicy. Follows validatePodFailurePolicy and validateSuccessPolicy of
 * batch/validation.
 */
import { goQuote, utf8Length } from '../../../go/text.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import * as batchv1 from '../../generated/types/batch.v1.ts'
import { internalJson } from '../../internal-json.ts'
import type { Errors } from '../checks.ts'

const mostRules = 20
const mostPatterns = 20
const mostExitCodes = 255
const mostIndexCharacters = 64 * 1024
const statuses = ['False', 'True', 'Unknown']

/** Formats a list as Go's `%q` does. */
const validValues = (values: readonly string[]): string => `valid values: [${values.map(goQuote).join(' ')}]`

function checkChoice(value: string, values: readonly string[], field: string, errors: Errors): void {
  if (value === '') errors.required(field, validValues(values))
  else errors.checkSupported(value, values, field)
}

/** Creates an "Invalid value" error about a whole rule, which quotes no value. */
const withoutValue = (field: string, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  text: `Invalid value: ${detail}`,
})

function checkExitCodes(
  codes: batchv1.PodFailurePolicyOnExitCodesRequirement,
  names: ReadonlySet<string>,
  field: string,
  errors: Errors,
): void {
  const { operator, containerName } = codes
  const values = codes.values ?? []
  const at = `${field}.values`
  checkChoice(operator, batchv1.PodFailurePolicyOnExitCodesOperator, `${field}.operator`, errors)
  if (containerName !== undefined && !names.has(containerName)) {
    const text = 'must be one of the container or initContainer names in the pod template'
    errors.invalid(`${field}.containerName`, containerName, text)
  }
  if (values.length === 0)
    errors.invalid(at, codes.values ?? explicitEmpty(codes, 'values') ?? null, 'at least one value is required')
  else if (values.length > mostExitCodes) errors.tooMany(at, values.length, mostExitCodes)
  const seen = new Set<number>()
  for (const [index, code] of values.entries()) {
    if (operator === 'In' && code === 0) errors.invalid(`${at}[${index}]`, code, 'must not be 0 for the In operator')
    errors.checkUnique(seen, code, `${at}[${index}]`)
  }
  if (values.some((code, index) => index > 0 && (values[index - 1] ?? 0) > code)) errors.invalid(at, values, 'must be ordered')
}

function checkConditions(patterns: readonly { type: string; status: string }[], field: string, errors: Errors): void {
  if (patterns.length > mostPatterns) errors.tooMany(field, patterns.length, mostPatterns)
  for (const [index, { type, status }] of patterns.entries()) {
    errors.checkQualifiedName(type, `${field}[${index}].type`)
    checkChoice(status, statuses, `${field}[${index}].status`, errors)
  }
}

function checkFailureRule(
  rule: batchv1.PodFailurePolicyRule,
  spec: batchv1.JobSpec,
  names: ReadonlySet<string>,
  field: string,
  errors: Errors,
): void {
  const { action, onExitCodes, onPodConditions = [] } = rule
  if (action === 'FailIndex') {
    if (spec.backoffLimitPerIndex === undefined) {
      errors.invalid(`${field}.action`, action, 'requires the backoffLimitPerIndex to be set')
    }
  } else checkChoice(action, batchv1.PodFailurePolicyAction, `${field}.action`, errors)
  if (onExitCodes !== undefined) checkExitCodes(onExitCodes, names, `${field}.onExitCodes`, errors)
  checkConditions(onPodConditions, `${field}.onPodConditions`, errors)
  const both = onExitCodes !== undefined && onPodConditions.length > 0
  const none = onExitCodes === undefined && onPodConditions.length === 0
  if (both) errors.push(withoutValue(field, 'specifying both OnExitCodes and OnPodConditions is not supported'))
  if (none) errors.push(withoutValue(field, 'specifying one of OnExitCodes and OnPodConditions is required'))
}

/** Validates podFailurePolicy. */
export function checkFailurePolicy(spec: batchv1.JobSpec, field: string, errors: Errors): void {
  if (spec.podFailurePolicy === undefined) return
  const rules = spec.podFailurePolicy.rules ?? []
  if (rules.length > mostRules) errors.tooMany(`${field}.rules`, rules.length, mostRules)
  const { containers, initContainers } = spec.template.spec
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name))
  for (const [index, rule] of rules.entries()) checkFailureRule(rule, spec, names, `${field}.rules[${index}]`, errors)
}

/** Parses a number as Go's Atoi does. */
const numberOf = (text: string): number | undefined => (/^[-+]?\d{1,18}$/.test(text) ? Number(text) : undefined)

function boundsOf(interval: string, completions: number): readonly [number, number] | string {
  const parts = interval.split('-')
  if (parts.length > 2) {
    return `the fragment ${goQuote(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`
  }
  const bounds: number[] = []
  for (const part of parts) {
    const bound = numberOf(part)
    if (bound === undefined) return `cannot convert string to integer for index: ${goQuote(part)}`
    if (bound >= completions) return `too large index: ${goQuote(part)}`
    bounds.push(bound)
  }
  const [first = 0, last = first] = bounds
  if (parts.length === 2 && first >= last) return `non-increasing order, previous: ${first}, current: ${last}`
  return [first, last]
}

/** Counts the indexes in the list. Returns the error message if the list is invalid. */
function countIndexes(text: string, completions: number): number | string {
  if (text === '') return 0
  let total = 0
  let previous: number | undefined
  for (const interval of text.split(',')) {
    const bounds = boundsOf(interval, completions)
    if (typeof bounds === 'string') return bounds
    const [first, last] = bounds
    if (previous !== undefined && previous >= first) return `non-increasing order, previous: ${previous}, current: ${first}`
    total += last - first + 1
    previous = last
  }
  return total
}

function checkSuccessRule(
  { succeededIndexes, succeededCount }: batchv1.SuccessPolicyRule,
  completions: number,
  field: string,
  errors: Errors,
): void {
  if (succeededIndexes === undefined && succeededCount === undefined) {
    errors.required(field, 'at least one of succeededCount or succeededIndexes must be specified')
  }
  let total = 0
  if (succeededIndexes !== undefined) {
    const at = `${field}.succeededIndexes`
    if (utf8Length(succeededIndexes) > mostIndexCharacters) errors.tooLong(at, mostIndexCharacters)
    const count = countIndexes(succeededIndexes, completions)
    if (typeof count === 'number') total = count
    else errors.invalid(at, succeededIndexes, `error parsing succeededIndexes: ${count}`)
  }
  if (succeededCount === undefined) return
  const at = `${field}.succeededCount`
  const most = 'must be less than or equal to'
  errors.checkNonNegative(succeededCount, at)
  if (succeededCount > completions) {
    errors.invalid(at, succeededCount, `${most} ${completions} (the number of specified completions)`)
  }
  if (succeededIndexes !== undefined && succeededCount > total) {
    errors.invalid(at, succeededCount, `${most} ${total} (the number of indexes in the specified succeededIndexes field)`)
  }
}

/** Validates successPolicy. */
export function checkSuccessPolicy(spec: batchv1.JobSpec, field: string, errors: Errors): void {
  const { successPolicy, completionMode, completions } = spec
  if (successPolicy === undefined) return
  if (completionMode !== 'Indexed') {
    errors.invalid(field, internalJson('SuccessPolicy', successPolicy), 'requires indexed completion mode')
    return
  }
  const rules = successPolicy.rules ?? []
  const at = `${field}.rules`
  if (rules.length === 0) errors.required(at, 'at least one rules must be specified when the successPolicy is specified')
  if (rules.length > mostRules) errors.tooMany(at, rules.length, mostRules)
  // Indexed Jobs without completions have an error of their own. kube-apiserver crashes if their rules contain indexes or counts.
  for (const [index, rule] of rules.entries()) checkSuccessRule(rule, completions ?? 0, `${at}[${index}]`, errors)
}
