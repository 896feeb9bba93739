/**
 * The values that expressions compute. What is common is a primitive of JavaScript, so that the common path allocates nothing:
 * int is a number as long as it is a safe integer and a bigint beyond; double and uint, which are rare, are boxed.
 */

/** A failed evaluation: it is a value, passed on until `&&`, `||` or a condition makes it irrelevant. */
export class CelError {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** A uint: 64 bits without sign. */
export class Uint {
  readonly value: bigint

  constructor(value: bigint) {
    this.value = value
  }
}

/** A double. */
export class Double {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/** A point in time; `offset` is the time zone that it was read with, in seconds east of UTC: only its text shows it. */
export class Timestamp {
  readonly seconds: number
  readonly nanoseconds: number
  readonly offset: number

  constructor(seconds: number, nanoseconds: number, offset = 0) {
    this.seconds = seconds
    this.nanoseconds = nanoseconds
    this.offset = offset
  }
}

/** A duration: 64 bits of nanoseconds. */
export class Duration {
  readonly nanoseconds: bigint

  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds
  }
}

/** A type as a value; two are equal when their names are. */
export class TypeValue {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** A value that may be missing (optional_type). */
export class OptionalValue {
  readonly value: Value | undefined

  constructor(value: Value | undefined) {
    this.value = value
  }
}

/** optional.none(). */
export const NONE = new OptionalValue(undefined)

/** A list. Kubernetes' lists of type set and map override how they compare and add. */
export abstract class ListValue {
  abstract readonly size: number

  /** All elements. */
  abstract readonly elements: readonly Value[]

  /** The element at an index within bounds. */
  abstract at(index: number): Value

  /** Whether the list equals `other`, or the error of comparing. */
  abstract equals(other: Value): boolean | CelError

  /** This list and behind it the elements of `other`. */
  abstract add(other: ListValue): Value

  /** Whether an element equals the value. */
  abstract contains(value: Value): boolean | CelError
}

/** A map, or an object of declared fields. */
export abstract class MapValue {
  abstract readonly size: number

  /** The value of a key, undefined where it is missing, an error where the key is of a type that no key has. */
  abstract find(key: Value): Value | undefined

  /** The keys in the order in which comprehensions visit them. */
  abstract keys(): readonly Value[]

  abstract equals(other: Value): boolean | CelError
}

/** A value of a type that a library brings. `size` is what cost calls its size; without one it counts 1. */
export abstract class OpaqueValue {
  abstract readonly typeName: string

  get size(): number | undefined {
    return undefined
  }

  /** The value of a field; undefined where there is none. */
  find(_name: Value): Value | undefined {
    return undefined
  }

  abstract equals(other: Value): boolean | CelError

  /** The value as an error shows it. */
  abstract show(): string
}

export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint
  | Double
  | Uint8Array
  | Timestamp
  | Duration
  | TypeValue
  | OptionalValue
  | ListValue
  | MapValue
  | OpaqueValue
  | CelError

/** No function takes values of these types. */
export const NO_SUCH_OVERLOAD = new CelError('no such overload')

export const MAX_INT = 2n ** 63n - 1n
export const MIN_INT = -(2n ** 63n)
export const MAX_UINT = 2n ** 64n - 1n

/** An int of 64 bits in its one representation. */
export function intOf(value: bigint): number | bigint {
  const small = Number(value)
  return Number.isSafeInteger(small) ? small : value
}

/** Whether the value is an int. */
export function isInt(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

/** The error, or else that no function takes the value. */
export function errorOr(value: Value, otherwise: CelError = NO_SUCH_OVERLOAD): CelError {
  return value instanceof CelError ? value : otherwise
}

/** The name of the value's type at run time, as errors and `type()` show it. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return 'int'
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    default:
      return value === null ? 'null_type' : objectTypeName(value)
  }
}

function objectTypeName(value: Exclude<Value, null | boolean | number | bigint | string>): string {
  if (value instanceof ListValue) return 'list'
  if (value instanceof MapValue) return 'map'
  if (value instanceof Double) return 'double'
  if (value instanceof Uint) return 'uint'
  if (value instanceof OptionalValue) return 'optional_type'
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp'
  if (value instanceof Duration) return 'google.protobuf.Duration'
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof TypeValue) return 'type'
  return value instanceof CelError ? 'error' : value.typeName
}
