/** Reads the arguments of functions. Dispatch has seen to their types, so that what else there could be never is. */
import { ArrayList } from './collections.ts'
import { CelError, Double, Duration, isInt, ListValue, OptionalValue, Timestamp, Uint, type Value } from './value.ts'

/** A string. */
export function textAt(args: readonly Value[], index: number): string {
  const value = args[index]
  return typeof value === 'string' ? value : ''
}

/** An int as a number: one that is no safe integer loses digits, but stays out of all bounds. */
export function intAt(args: readonly Value[], index: number): number {
  const value = args[index] ?? null
  return isInt(value) ? Number(value) : 0
}

/** An int as it is, for what shows or gives it. */
export function anyIntAt(args: readonly Value[], index: number): number | bigint {
  const value = args[index] ?? null
  return isInt(value) ? value : 0
}

/** An int with all its digits. */
export function wholeAt(args: readonly Value[], index: number): bigint {
  const value = args[index] ?? null
  return isInt(value) ? BigInt(value) : 0n
}

/** The digits of a uint. */
export function uintAt(args: readonly Value[], index: number): bigint {
  const value = args[index]
  return value instanceof Uint ? value.value : 0n
}

export function doubleAt(args: readonly Value[], index: number): number {
  const value = args[index]
  return value instanceof Double ? value.value : Number.NaN
}

export function bytesAt(args: readonly Value[], index: number): Uint8Array {
  const value = args[index]
  return value instanceof Uint8Array ? value : new Uint8Array()
}

export function listAt(args: readonly Value[], index: number): ListValue {
  const value = args[index]
  return value instanceof ListValue ? value : new ArrayList([])
}

export function timestampAt(args: readonly Value[], index: number): Timestamp {
  const value = args[index]
  return value instanceof Timestamp ? value : new Timestamp(0, 0)
}

/** The nanoseconds of a duration. */
export function durationAt(args: readonly Value[], index: number): bigint {
  const value = args[index]
  return value instanceof Duration ? value.nanoseconds : 0n
}

/** What an optional value holds. */
export function optionalAt(args: readonly Value[], index: number): Value | undefined {
  const value = args[index]
  return value instanceof OptionalValue ? value.value : undefined
}

/** The value, or an error with the message of what was thrown. */
export function orError(compute: () => Value): Value {
  try {
    return compute()
  } catch (error) {
    return new CelError(error instanceof Error ? error.message : String(error))
  }
}
