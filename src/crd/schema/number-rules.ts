/**
 * Validates numbers. Follows numberValidator of k8s.io/kube-openapi/pkg/validation/validate: integers are compared with integer
 * bounds as integers, others as float64, and a bound that does not fit the type is an error.
 */
import { isGoInteger, isRawNumber, rawNumber } from '../../go/json.ts'
import type { JsonValue, RawNumber } from '../../go/json-value.ts'
import { goFloat } from '../../go/print.ts'
import { numberOf } from './numbers.ts'

/** The keywords of a schema that apply to numbers. */
export interface NumberRules {
  /** The type, if the schema has exactly one. */
  readonly type: string | undefined
  readonly format: string
  readonly multipleOf?: number
  readonly maximum?: number
  readonly minimum?: number
  readonly exclusiveMaximum?: boolean
  readonly exclusiveMinimum?: boolean
}

/** A violation: `about` is about the value (`shown`, or the given value); `whole` has no field. */
export type NumberProblem = { readonly about: string; readonly displayed?: RawNumber } | { readonly whole: string }

/** Whether a schema accepts the number as an integer: a float64 close to one is accepted. */
const isIntegerLike = (instance: number | RawNumber): boolean => isGoInteger(instance) || isJsonInteger(numberOf(instance))

/** Returns the JSON type of a number, as messages name it. */
export const numericType = (instance: number | RawNumber): string => (isGoInteger(instance) ? 'integer' : 'number')

/** Whether a schema with these types accepts the number: integers are numbers, and a float64 close to an integer is one. */
export const isAcceptedNumber = (instance: number | RawNumber, types: readonly string[]): boolean =>
  types.includes(numericType(instance)) || ((types.includes('integer') || types.includes('number')) && isIntegerLike(instance))

const isSafe = (value: number | RawNumber): value is number => Number.isSafeInteger(value)

const integerOf = (instance: number | RawNumber): bigint => BigInt(isRawNumber(instance) ? instance.rawJSON : instance)

const int64 = 2 ** 63

/** Returns a bound as Go converts it to int64: beyond 64 bits it becomes the least one. */
const integerBound = (bound: number): bigint => (bound >= int64 || bound < -int64 ? -(2n ** 63n) : BigInt(Math.trunc(bound)))

const limits: Readonly<Record<string, readonly [least: bigint, most: bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
}

const ofAnyFormat = [-(2n ** 63n), 2n ** 63n - 1n] as const

/** The limits that safe integers may exceed: those of 32 bits, and of unsigned numbers. Comparing a bigint takes far longer. */
const safeLimits: Readonly<Record<string, readonly [least: number, most: number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
  uint64: [0, Number.MAX_SAFE_INTEGER],
}

const integerText = /^-?\d+$/

/** Whether the number, written without an exponent, fits the type and format. */
function fits(instance: number | RawNumber, type: string, format: string): boolean {
  if (type !== 'integer') return format !== 'float' || Number.isFinite(Math.fround(numberOf(instance)))
  if (isSafe(instance)) {
    const safe = safeLimits[format]
    return safe === undefined || (instance >= safe[0] && instance <= safe[1])
  }
  const text = isRawNumber(instance) ? instance.rawJSON : String(instance)
  if (!integerText.test(text)) return false
  const [least, most] = limits[format] ?? ofAnyFormat
  return BigInt(text) >= least && BigInt(text) <= most
}

const none: readonly NumberProblem[] = []

function rangeProblem(
  what: string,
  instance: number | RawNumber,
  { type, format }: NumberRules,
  path: string,
): readonly NumberProblem[] {
  if (type === undefined || fits(instance, type, format)) return none
  const which = format === '' ? '(default format)' : `with format ${format}`
  return [{ whole: `${what} value must be of type ${type} ${which} in ${path}` }]
}

const notPositive = (factor: string, path: string): NumberProblem => ({
  about: `factor MultipleOf declared for ${path} must be positive: ${factor}`,
  displayed: rawNumber(factor),
})

/** Returns a number that was compared as float64, as messages show it. */
const floatOf = (instance: number): RawNumber => rawNumber(goFloat(instance))

/** Whether the number is close to an integer, as swag.IsFloat64AJSONInteger decides. */
function isJsonInteger(number: number): boolean {
  if (!Number.isFinite(number) || Math.abs(number) > Number.MAX_SAFE_INTEGER) return false
  const nearest = Math.trunc(number)
  const difference = Math.abs(number - nearest)
  if (number === nearest) return true
  return difference / Math.min(Math.abs(number) + Math.abs(nearest), Number.MAX_VALUE) < 1e-9
}

function integerMultiple(instance: bigint, factor: bigint, path: string): NumberProblem[] {
  if (factor <= 0n) return [notPositive(String(factor), path)]
  return instance % factor === 0n ? [] : [{ about: `${path} in body should be a multiple of ${factor}` }]
}

function floatMultiple(instance: number, factor: number, path: string): NumberProblem[] {
  if (factor <= 0) return [notPositive(goFloat(factor), path)]
  const times = factor < 1 ? (1 / factor) * instance : instance / factor
  if (isJsonInteger(times)) return []
  return [{ about: `${path} in body should be a multiple of ${goFloat(factor)}`, displayed: floatOf(instance) }]
}

type Side = 'minimum' | 'maximum'

/** Whether a number is beyond a bound. */
function isBeyond<T extends bigint | number>(instance: T, bound: T, side: Side, isExclusive: boolean): boolean {
  if (instance === bound) return isExclusive
  return side === 'maximum' ? instance > bound : instance < bound
}

function boundProblem(
  instance: number | RawNumber,
  bound: number,
  side: Side,
  rules: NumberRules,
  path: string,
): readonly NumberProblem[] {
  const what = side === 'maximum' ? 'Maximum boundary' : 'Minimum boundary'
  const isExclusive = (side === 'maximum' ? rules.exclusiveMaximum : rules.exclusiveMinimum) === true
  const wrong = rangeProblem(what, bound, rules, path)
  const isInteger = wrong.length === 0 && isGoInteger(instance)
  const isExact = isSafe(instance) && isSafe(bound)
  const beyond =
    isInteger && !isExact
      ? isBeyond(integerOf(instance), integerBound(bound), side, isExclusive)
      : isBeyond(numberOf(instance), bound, side, isExclusive)
  if (!beyond) return wrong
  const boundText = isInteger ? String(integerBound(bound)) : goFloat(bound)
  const how = `${side === 'maximum' ? 'less' : 'greater'} than ${isExclusive ? '' : 'or equal to '}`
  const about = `${path} in body should be ${how}${boundText}`
  return [...wrong, isInteger ? { about } : { about, displayed: floatOf(numberOf(instance)) }]
}

function multipleProblem(
  instance: number | RawNumber,
  factor: number,
  rules: NumberRules,
  path: string,
): readonly NumberProblem[] {
  const wrong = rangeProblem('MultipleOf', factor, rules, path)
  const isInteger = wrong.length === 0 && isGoInteger(instance)
  if (isInteger && isSafe(instance) && isSafe(factor) && factor > 0 && instance % factor === 0) return wrong
  const found = isInteger
    ? integerMultiple(integerOf(instance), integerBound(factor), path)
    : floatMultiple(numberOf(instance), factor, path)
  return [...wrong, ...found]
}

/** Returns the violations of a number, in upstream's order. */
export function numberProblems(instance: number | RawNumber, rules: NumberRules, path: string): readonly NumberProblem[] {
  const { multipleOf, minimum, maximum } = rules
  const ofRange = rangeProblem('Checked', instance, rules, path)
  if (multipleOf === undefined && minimum === undefined && maximum === undefined) return ofRange
  return [
    ...ofRange,
    ...(multipleOf === undefined ? none : multipleProblem(instance, multipleOf, rules, path)),
    ...(minimum === undefined ? none : boundProblem(instance, minimum, 'minimum', rules, path)),
    ...(maximum === undefined ? none : boundProblem(instance, maximum, 'maximum', rules, path)),
  ]
}

/** Returns a number as messages show it: integers by their digits, others with %v. */
export const displayedNumber = (instance: JsonValue): JsonValue =>
  (typeof instance === 'number' || isRawNumber(instance)) && !isGoInteger(instance)
    ? rawNumber(goFloat(numberOf(instance)))
    : instance
