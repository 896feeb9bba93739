/** Equality and order of values, across numeric types. */
import { compareText } from '../go/text.ts'
import {
  CelError,
  Double,
  Duration,
  errorOr,
  isInt,
  ListValue,
  MapValue,
  NO_SUCH_OVERLOAD,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './value.ts'

/** Whether a comparison gave true, neither false nor an error. */
export function isTrue(result: Value): result is true {
  return result === true
}

const NAN = new CelError('NaN values cannot be ordered')

const sign = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns the number in a value of a numeric type; a bigint if a double might not represent it exactly. */
function numberOf(value: Value): number | bigint | undefined {
  if (isInt(value)) return value
  if (value instanceof Double) return value.value
  return value instanceof Uint ? value.value : undefined
}

/** Compares two numbers. An int or uint is compared with a double as a double, as cel-go does. */
function compareNumbers(a: Value, x: number | bigint, b: Value, y: number | bigint): number {
  if (a instanceof Double && !(b instanceof Double)) return sign(x, Number(y))
  if (b instanceof Double && !(a instanceof Double)) return sign(Number(x), y)
  return sign(x, y)
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const order = (a[i] ?? 0) - (b[i] ?? 0)
    if (order !== 0) return Math.sign(order)
  }
  return sign(a.length, b.length)
}

/** Compares two values (negative: `a` is first), or returns an error if they have no order. */
export function compare(a: Value, b: Value): number | CelError {
  if (typeof a === 'string') return typeof b === 'string' ? Math.sign(compareText(a, b)) : errorOr(b)
  const x = numberOf(a)
  if (x !== undefined) {
    const y = numberOf(b)
    if (Number.isNaN(x)) return NAN
    if (y === undefined) return errorOr(b)
    return Number.isNaN(y) ? NAN : compareNumbers(a, x, b, y)
  }
  if (typeof a === 'boolean') return typeof b === 'boolean' ? sign(Number(a), Number(b)) : errorOr(b)
  if (a instanceof Duration) return b instanceof Duration ? sign(a.nanoseconds, b.nanoseconds) : errorOr(b)
  if (a instanceof Timestamp) return b instanceof Timestamp ? compareTimestamps(a, b) : errorOr(b)
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? compareBytes(a, b) : errorOr(b)
  return NO_SUCH_OVERLOAD
}

function compareTimestamps(a: Timestamp, b: Timestamp): number {
  return a.seconds === b.seconds ? sign(a.nanoseconds, b.nanoseconds) : sign(a.seconds, b.seconds)
}

/** Whether two values are equal; values of different kinds are not. Kubernetes' lists and objects may give an error. */
export function equals(a: Value, b: Value): boolean | CelError {
  if (a === b && !(a instanceof OpaqueValue)) return true
  if (a === null || b === null) return false
  if (typeof a === 'string' || typeof a === 'boolean') return false
  if (a instanceof CelError) return a
  const x = numberOf(a)
  if (x !== undefined) {
    const y = numberOf(b)
    return y !== undefined && !Number.isNaN(x) && !Number.isNaN(y) && compareNumbers(a, x, b, y) === 0
  }
  if (a instanceof ListValue || a instanceof MapValue || a instanceof OpaqueValue) return a.equals(b)
  return equalsPlain(a, b)
}

function equalsPlain(a: Value, b: Value): boolean | CelError {
  if (a instanceof OptionalValue) return b instanceof OptionalValue && equalsOptional(a, b)
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name
  if (a instanceof Duration) return b instanceof Duration && a.nanoseconds === b.nanoseconds
  if (a instanceof Timestamp) return b instanceof Timestamp && compareTimestamps(a, b) === 0
  return a instanceof Uint8Array && b instanceof Uint8Array && compareBytes(a, b) === 0
}

function equalsOptional(a: OptionalValue, b: OptionalValue): boolean | CelError {
  if (a.value === undefined || b.value === undefined) return a.value === b.value
  return equals(a.value, b.value)
}
