/** Arithmetic on ints, uints and doubles, each with its own bounds. */
import { CelError, Double, errorOr, intOf, isInt, MAX_INT, MAX_UINT, MIN_INT, Uint, type Value } from './value.ts'

const DIVISION_BY_ZERO = new CelError('division by zero')
const MODULUS_BY_ZERO = new CelError('modulus by zero')
export const INT_OVERFLOW = new CelError('integer overflow')
export const UINT_OVERFLOW = new CelError('unsigned integer overflow')

/** Returns an int, or the overflow error. */
export function checkedInt(value: bigint): Value {
  return value > MAX_INT || value < MIN_INT ? INT_OVERFLOW : intOf(value)
}

/** Returns a uint, or the overflow error. */
export function checkedUint(value: bigint): Value {
  return value > MAX_UINT || value < 0n ? UINT_OVERFLOW : new Uint(value)
}

/** One operation for each type that supports it; operand errors take precedence. */
interface Arithmetic {
  /** The operation on safe integers; it is repeated with bigint if the result is not safe. */
  readonly small: (a: number, b: number) => number
  readonly whole: (a: bigint, b: bigint) => bigint
  readonly double?: (a: number, b: number) => number
  /** The error of a zero divisor. */
  readonly zero?: CelError
}

function apply(operation: Arithmetic, a: Value, b: Value): Value {
  if (isInt(a)) {
    if (!isInt(b)) return errorOr(b)
    if (operation.zero !== undefined && (b === 0 || b === 0n)) return operation.zero
    return checkedInt(operation.whole(BigInt(a), BigInt(b)))
  }
  if (a instanceof Double && operation.double !== undefined)
    return b instanceof Double ? new Double(operation.double(a.value, b.value)) : errorOr(b)
  if (!(a instanceof Uint)) return errorOr(a)
  if (!(b instanceof Uint)) return errorOr(b)
  if (operation.zero !== undefined && b.value === 0n) return operation.zero
  return checkedUint(operation.whole(a.value, b.value))
}

const operator =
  (operation: Arithmetic) =>
  (a: Value, b: Value): Value => {
    if (typeof a === 'number' && typeof b === 'number' && (operation.zero === undefined || b !== 0)) {
      const result = operation.small(a, b)
      // Adding 0 turns the -0 of a product or remainder into 0, the only zero of ints.
      if (Number.isSafeInteger(result)) return result + 0
    }
    return apply(operation, a, b)
  }

export const addNumbers = operator({ small: (a, b) => a + b, whole: (a, b) => a + b, double: (a, b) => a + b })
export const subtractNumbers = operator({ small: (a, b) => a - b, whole: (a, b) => a - b, double: (a, b) => a - b })
export const multiply = operator({ small: (a, b) => a * b, whole: (a, b) => a * b, double: (a, b) => a * b })
export const divide = operator({
  small: (a, b) => Math.trunc(a / b),
  whole: (a, b) => a / b,
  double: (a, b) => a / b,
  zero: DIVISION_BY_ZERO,
})
export const modulo = operator({
  small: (a, b) => a % b,
  // Go computes the quotient too, and reports its overflow.
  whole: (a, b) => (a === MIN_INT && b === -1n ? -a : a % b),
  zero: MODULUS_BY_ZERO,
})

/** Truncates a double toward zero; undefined if it is outside of the bounds. */
export function truncated(value: number, low: number, high: number): bigint | undefined {
  return Number.isFinite(value) && value >= low && value < high ? BigInt(Math.trunc(value)) : undefined
}
