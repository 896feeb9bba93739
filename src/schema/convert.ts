/** Converts untyped values to types without going through JSON. Follows FromUnstructured of k8s.io/apimachinery/pkg/runtime. */
import { isGoInteger, isRawNumber, rawNumber } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { decode } from './decode.ts'
import { DecodeError } from './decode-run.ts'
import type { Struct, Type } from './type.ts'

/** Returns the kind of Go's value in an interface. */
function goKind(value: JsonValue): 'string' | 'bool' | 'int64' | 'float64' | 'slice' | 'map' {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number' || isRawNumber(value)) return isGoInteger(value) ? 'int64' : 'float64'
  return Array.isArray(value) ? 'slice' : 'map'
}

/** The integer types, with their size in bits. */
const integers: ReadonlyMap<string, number> = new Map([
  ['int32', 32],
  ['int64', 64],
  ['uint8', 8],
  ['uint16', 16],
  ['uint32', 32],
  ['uint64', 64],
])

function scalarError(type: Type, value: JsonValue): string | undefined {
  const from = goKind(value)
  const isInteger = integers.has(type.kind)
  const to = type.kind === 'boolean' ? 'bool' : type.kind
  if (from === to) return undefined
  if (from === 'int64') {
    if (isInteger || to === 'float32' || to === 'float64') return undefined
    if (to === 'string') return `cannot convert int64 to ${type.go}`
  }
  if (from === 'float64') {
    if (to === 'float32') return undefined
    if (isInteger) return Number.isInteger(Number(value)) ? undefined : `cannot convert float64 to ${type.go}`
  }
  return `unrecognized type: ${to}`
}

function structError(type: Struct, value: JsonValue): string | undefined {
  if (goKind(value) !== 'map') return `cannot restore struct from: ${goKind(value)}`
  const object = value as JsonObject
  for (const field of type.fields.values()) {
    const member = Object.hasOwn(object, field.name) ? object[field.name] : undefined
    if (member === undefined || member === null) continue
    const error = conversionError(field.type, member)
    if (error !== undefined) return error
  }
  return undefined
}

/** The elements of bytes, which a list may stand for. */
const octet: Type = { kind: 'uint8', go: 'uint8' }

function firstError(type: Type, values: Iterable<JsonValue>): string | undefined {
  for (const value of values) {
    const error = value === null ? undefined : conversionError(type, value)
    if (error !== undefined) return error
  }
  return undefined
}

/** Returns the error of a type with its own UnmarshalJSON, which FromUnstructured also decodes from JSON. */
function specialError(type: Type, value: JsonValue): string | undefined {
  try {
    decode(type, value)
    return undefined
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return type.kind === 'bytes' ? `error decoding from json: ${error.message}` : error.message
  }
}

/** Returns the first error in the order of the type's fields; undefined if the value can be converted. */
export function conversionError(type: Type, value: JsonValue): string | undefined {
  switch (type.kind) {
    case 'struct':
      return structError(type, value)
    case 'list':
      if (!Array.isArray(value)) return `cannot restore slice from ${goKind(value)}`
      return firstError(type.element, value)
    case 'map':
      if (goKind(value) !== 'map') return `cannot restore map from ${goKind(value)}`
      return firstError(type.value, Object.values(value as JsonObject))
    case 'bytes':
      if (typeof value === 'string') return specialError(type, value)
      return Array.isArray(value) ? firstError(octet, value) : `cannot restore slice from ${goKind(value)}`
    case 'string':
    case 'boolean':
    case 'int32':
    case 'int64':
    case 'uint8':
    case 'uint16':
    case 'uint32':
    case 'uint64':
    case 'float32':
    case 'float64':
      return scalarError(type, value)
    default:
      return specialError(type, value)
  }
}

const int64 = { low: -(2n ** 63n), high: 2n ** 63n - 1n }

/** Returns a number as a 64-bit integer, as amd64 converts it: a double out of range becomes the lowest integer. */
function bitsOf(value: JsonValue): bigint {
  const isExact = isRawNumber(value) && goKind(value) === 'int64'
  const integer = isExact ? BigInt(value.rawJSON) : BigInt(Math.trunc(Number(value)))
  return integer < int64.low || integer > int64.high ? int64.low : integer
}

/** Returns the integer that remains of a number in this many bits. */
function wrapped(type: Type, value: JsonValue, bits: number): JsonValue {
  const integer = type.kind.startsWith('u') ? BigInt.asUintN(bits, bitsOf(value)) : BigInt.asIntN(bits, bitsOf(value))
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : rawNumber(String(integer))
}

/** Truncates each integer to the bits of its type, as a conversion in Go does. The value must have no conversionError. */
export function wrapIntegers(type: Type, value: JsonValue): JsonValue {
  if (value === null) return value
  const bits = integers.get(type.kind)
  if (bits !== undefined) return wrapped(type, value, bits)
  if (type.kind === 'bytes') return Array.isArray(value) ? value.map((each) => wrapIntegers(octet, each)) : value
  if (type.kind === 'list') return Array.isArray(value) ? value.map((each) => wrapIntegers(type.element, each)) : value
  if (type.kind !== 'struct' && type.kind !== 'map') return value
  const typeOf = (key: string): Type | undefined => (type.kind === 'map' ? type.value : type.fields.get(key)?.type)
  const members = Object.entries(value).map(([key, member]) => {
    const memberType = typeOf(key)
    return [key, memberType === undefined ? member : wrapIntegers(memberType, member)] as const
  })
  return Object.fromEntries(members)
}
