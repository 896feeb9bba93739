/** Arithmetic on ints, uints and doubles, each with its own bounds. */
import { CelError, Double, errorOr, intOf, isInt, MAX_INT, MAX_UINT, MIN_INT, Uint, type Value } from './value.ts'

const DIVISION_BY_ZERO = new CelError('division by zero')
const MODULUS_BY_ZERO = new CelError('modulus by zero')
export const INT_OVERFLOW = new CelError('integer overflow')
export const UINT_OVERFLOW = new CelError('unsigned integer overflow')

/** An int, or the error that it does not fit. */
export function checkedInt(value: bigint): Value {
  return value > MAX_INT || value < MIN_INT ? INT_OVERFLOW : intOf(value)
}

/** A uint, or the error that it does not fit. */
export function checkedUint(value: bigint): Value {
  return value > MAX_UINT || value < 0n ? UINT_OVERFLOW : new Uint(value)
}

/** One operation, for each of the types that know it; errors come first. */
interface Arithmetic {
  /** Of safe integers; a result that is none is computed again. */
  readonly small: (a: number, b: number) => number
  readonly whole: (a: bigint, b: bigint) => bigint
  readonly double?: (a: number, b: number) => number
  /** The error of a right side that is zero. */
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
      // Adding 0 turns the -0 of a product or remainder into the only zero that ints have.
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
  // Go computes the quotient with it, which does not fit.
  whole: (a, b) => (a === MIN_INT && b === -1n ? -a : a % b),
  zero: MODULUS_BY_ZERO,
})

/** The whole number in a double that is one and fits the bounds, toward zero otherwise; undefined where it does not fit. */
export function truncated(value: number, low: number, high: number): bigint | undefined {
  return Number.isFinite(value) && value >= low && value < high ? BigInt(Math.trunc(value)) : undefined
}
