/**
 * The rules about numbers of a schema. Follows numberValidator of k8s.io/kube-openapi/pkg/validation/validate: integers are held
 * against bounds that are integers too, others as float64, and a bound that does not fit the type is told of.
 */
import { isRawNumber, isWholeDouble, rawNumber } from '../../go/json.ts'
import type { JsonValue, RawNumber } from '../../go/json-value.ts'
import { goFloat, numberOf } from './numbers.ts'

/** What of a schema is about numbers. */
export interface NumberRules {
  /** The one type that the schema has; undefined for none or several. */
  readonly type: string | undefined
  readonly format: string
  readonly multipleOf?: number
  readonly maximum?: number
  readonly minimum?: number
  readonly exclusiveMaximum?: boolean
  readonly exclusiveMinimum?: boolean
}

/** What is wrong: `about` says it of a value, the one that was given where no other is shown; `whole` stands without a place. */
export type NumberProblem = { readonly about: string; readonly shown?: RawNumber } | { readonly whole: string }

/** Whether Go holds the number as an int64: kept digits are, and what is no safe integer is a float64. */
const isGoInteger = (of: number | RawNumber): boolean => (isRawNumber(of) ? !isWholeDouble(of) : Number.isSafeInteger(of))

/** Whether a schema takes the number for an integer: a float64 that is close enough to one is. */
export const isIntegerLike = (of: number | RawNumber): boolean => isGoInteger(of) || isJsonInteger(numberOf(of))

const integerOf = (of: number | RawNumber): bigint => BigInt(isRawNumber(of) ? of.rawJSON : of)

const int64 = 2 ** 63

/** A bound as the integer that Go makes of it: beyond 64 bits that is the least one. */
const integerBound = (bound: number): bigint => (bound >= int64 || bound < -int64 ? -(2n ** 63n) : BigInt(Math.trunc(bound)))

const limits: Readonly<Record<string, readonly [least: bigint, most: bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
}

const integerText = /^-?\d+$/

/** Whether the number, written without an exponent, is one of the type and format. */
function fits(of: number | RawNumber, type: string, format: string): boolean {
  if (type !== 'integer') return format !== 'float' || Number.isFinite(Math.fround(numberOf(of)))
  const text = isRawNumber(of) ? of.rawJSON : String(of)
  if (!integerText.test(text)) return false
  const [least, most] = limits[format] ?? [-(2n ** 63n), 2n ** 63n - 1n]
  return BigInt(text) >= least && BigInt(text) <= most
}

function rangeProblem(what: string, of: number | RawNumber, { type, format }: NumberRules, path: string): NumberProblem[] {
  if (type === undefined || fits(of, type, format)) return []
  const which = format === '' ? '(default format)' : `with format ${format}`
  return [{ whole: `${what} value must be of type ${type} ${which} in ${path}` }]
}

const notPositive = (factor: string, path: string): NumberProblem => ({
  about: `factor MultipleOf declared for ${path} must be positive: ${factor}`,
  shown: rawNumber(factor),
})

/** Close enough to an integer, as swag.IsFloat64AJSONInteger has it. */
function isJsonInteger(number: number): boolean {
  if (!Number.isFinite(number) || Math.abs(number) > Number.MAX_SAFE_INTEGER) return false
  const nearest = Math.trunc(number)
  const difference = Math.abs(number - nearest)
  if (number === nearest) return true
  return difference / Math.min(Math.abs(number) + Math.abs(nearest), Number.MAX_VALUE) < 1e-9
}

function integerMultiple(of: bigint, factor: bigint, path: string): NumberProblem[] {
  if (factor <= 0n) return [notPositive(String(factor), path)]
  return of % factor === 0n ? [] : [{ about: `${path} in body should be a multiple of ${factor}` }]
}

function floatMultiple(of: number, factor: number, path: string): NumberProblem[] {
  if (factor <= 0) return [notPositive(goFloat(factor), path)]
  const times = factor < 1 ? (1 / factor) * of : of / factor
  return isJsonInteger(times) ? [] : [{ about: `${path} in body should be a multiple of ${goFloat(factor)}` }]
}

type Side = 'minimum' | 'maximum'

/** Whether a number, of whichever kind, is beyond a bound of the same kind. */
function isBeyond<T extends bigint | number>(of: T, bound: T, side: Side, isExclusive: boolean): boolean {
  if (of === bound) return isExclusive
  return side === 'maximum' ? of > bound : of < bound
}

function boundProblem(of: number | RawNumber, bound: number, side: Side, rules: NumberRules, path: string): NumberProblem[] {
  const what = side === 'maximum' ? 'Maximum boundary' : 'Minimum boundary'
  const isExclusive = (side === 'maximum' ? rules.exclusiveMaximum : rules.exclusiveMinimum) === true
  const wrong = rangeProblem(what, bound, rules, path)
  const isInteger = wrong.length === 0 && isGoInteger(of)
  const beyond = isInteger
    ? isBeyond(integerOf(of), integerBound(bound), side, isExclusive)
    : isBeyond(numberOf(of), bound, side, isExclusive)
  if (!beyond) return wrong
  const shown = isInteger ? String(integerBound(bound)) : goFloat(bound)
  const how = `${side === 'maximum' ? 'less' : 'greater'} than ${isExclusive ? '' : 'or equal to '}`
  return [...wrong, { about: `${path} in body should be ${how}${shown}` }]
}

function multipleProblem(of: number | RawNumber, factor: number, rules: NumberRules, path: string): NumberProblem[] {
  const wrong = rangeProblem('MultipleOf', factor, rules, path)
  const isInteger = wrong.length === 0 && isGoInteger(of)
  const found = isInteger ? integerMultiple(integerOf(of), integerBound(factor), path) : floatMultiple(numberOf(of), factor, path)
  return [...wrong, ...found]
}

/** All that is wrong with a number, in the order in which it is told. */
export function numberProblems(of: number | RawNumber, rules: NumberRules, path: string): NumberProblem[] {
  const { multipleOf, minimum, maximum } = rules
  return [
    ...rangeProblem('Checked', of, rules, path),
    ...(multipleOf === undefined ? [] : multipleProblem(of, multipleOf, rules, path)),
    ...(minimum === undefined ? [] : boundProblem(of, minimum, 'minimum', rules, path)),
    ...(maximum === undefined ? [] : boundProblem(of, maximum, 'maximum', rules, path)),
  ]
}

/** A number as messages show it: integers by their digits, others with %v. */
export const shownNumber = (of: JsonValue): JsonValue =>
  (typeof of === 'number' || isRawNumber(of)) && !isGoInteger(of) ? rawNumber(goFloat(numberOf(of))) : of
