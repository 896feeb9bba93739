/** Readers for the arguments of functions. Dispatch has checked the types, so the fallbacks never apply. */
import { ArrayList } from './collections.ts'
import { CelError, Double, Duration, isInt, ListValue, OptionalValue, Timestamp, Uint, type Value } from './value.ts'

export function textAt(args: readonly Value[], index: number): string {
  const value = args[index]
  return typeof value === 'string' ? value : ''
}

/** Reads an int as a number. One beyond the safe integers loses digits but stays outside of all bounds. */
export function intAt(args: readonly Value[], index: number): number {
  const value = args[index] ?? null
  return isInt(value) ? Number(value) : 0
}

/** Reads an int with its exact value, for functions that print or return it. */
export function anyIntAt(args: readonly Value[], index: number): number | bigint {
  const value = args[index] ?? null
  return isInt(value) ? value : 0
}

/** Reads an int as a bigint. */
export function wholeAt(args: readonly Value[], index: number): bigint {
  const value = args[index] ?? null
  return isInt(value) ? BigInt(value) : 0n
}

/** Reads a uint as a bigint. */
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

/** Reads a duration in nanoseconds. */
export function durationAt(args: readonly Value[], index: number): bigint {
  const value = args[index]
  return value instanceof Duration ? value.nanoseconds : 0n
}

/** Reads the value of an optional; undefined if it has no value. */
export function optionalAt(args: readonly Value[], index: number): Value | undefined {
  const value = args[index]
  return value instanceof OptionalValue ? value.value : undefined
}

/** Returns the computed value, or a CelError with the message of the thrown error. */
export function orError(compute: () => Value): Value {
  try {
    return compute()
  } catch (error) {
    return new CelError(error instanceof Error ? error.message : String(error))
  }
}
