/**
 * The values of expressions. Frequent types are JavaScript primitives, so that the common path allocates nothing: an int is a
 * number while it is a safe integer, else a bigint; double and uint, which are rare, are boxed.
 */

/** An evaluation error. It is a value, passed on until `&&`, `||` or a condition makes it irrelevant. */
export class CelError {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** A uint: 64 bits, unsigned. */
export class Uint {
  readonly value: bigint

  constructor(value: bigint) {
    this.value = value
  }
}

export class Double {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/** A point in time. `offset` is the time zone of the parsed text, in seconds east of UTC; only its string form shows it. */
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

/** A type as a value; types are equal if their names are. */
export class TypeValue {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** An optional value (optional_type). */
export class OptionalValue {
  readonly value: Value | undefined

  constructor(value: Value | undefined) {
    this.value = value
  }
}

/** The value of optional.none(). */
export const NONE = new OptionalValue(undefined)

/** A list. Kubernetes' lists of type set and map override equality and addition. */
export abstract class ListValue {
  abstract readonly size: number

  abstract readonly elements: readonly Value[]

  /** Returns the element at an index within bounds. */
  abstract at(index: number): Value

  /** Whether the list equals `other`, or the error of the comparison. */
  abstract equals(other: Value): boolean | CelError

  /** Returns this list with the elements of `other` added. */
  abstract add(other: ListValue): Value

  /** Whether the list contains the value. */
  abstract contains(value: Value): boolean | CelError
}

/** A map, or an object with declared fields. */
export abstract class MapValue {
  abstract readonly size: number

  /** Returns the value of a key; undefined if it is missing, an error if the key's type is invalid. */
  abstract find(key: Value): Value | undefined

  /** Returns the keys in the order of comprehensions. */
  abstract keys(): readonly Value[]

  abstract equals(other: Value): boolean | CelError
}

/** A value of a library type. `size` is its size for the cost; 1 if undefined. */
export abstract class OpaqueValue {
  abstract readonly typeName: string

  get size(): number | undefined {
    return undefined
  }

  /** Returns the value of a field; undefined if it does not exist. */
  find(_name: Value): Value | undefined {
    return undefined
  }

  abstract equals(other: Value): boolean | CelError

  /** Formats the value for an error text. */
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

/** The error for values of these types, which no overload accepts. */
export const NO_SUCH_OVERLOAD = new CelError('no such overload')

export const MAX_INT = 2n ** 63n - 1n
export const MIN_INT = -(2n ** 63n)
export const MAX_UINT = 2n ** 64n - 1n

/** Returns a 64-bit int in its canonical representation. */
export function intOf(value: bigint): number | bigint {
  const small = Number(value)
  return Number.isSafeInteger(small) ? small : value
}

/** Whether the value is an int. */
export function isInt(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

/** Returns the error if the value is one, else that no overload accepts it. */
export function errorOr(value: Value, otherwise: CelError = NO_SUCH_OVERLOAD): CelError {
  return value instanceof CelError ? value : otherwise
}

/** Returns the runtime type name, as errors and `type()` show it. */
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
