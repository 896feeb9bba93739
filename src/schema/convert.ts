/** Why a value cannot be converted to a type without going through JSON. Follows FromUnstructured of k8s.io/apimachinery/pkg/runtime. */
import { isRawNumber } from '../meta/json.ts'
import type { JsonObject, JsonValue } from '../meta/json-value.ts'
import { decode } from './decode.ts'
import { DecodeError } from './decode-run.ts'
import type { Struct, Type } from './type.ts'

/** The kind of Go's value in an interface. */
function goKind(value: JsonValue): 'string' | 'bool' | 'int64' | 'float64' | 'slice' | 'map' {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (isRawNumber(value)) return /^-?\d{1,19}$/.test(value.rawJSON) ? 'int64' : 'float64'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  return Array.isArray(value) ? 'slice' : 'map'
}

const integers: ReadonlySet<string> = new Set(['int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'])

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

function firstError(type: Type, values: Iterable<JsonValue>): string | undefined {
  for (const value of values) {
    const error = value === null ? undefined : conversionError(type, value)
    if (error !== undefined) return error
  }
  return undefined
}

/** Types with a way of their own are read from JSON all the same. */
function specialError(type: Type, value: JsonValue): string | undefined {
  try {
    decode(type, value)
    return undefined
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return type.kind === 'bytes' ? `error decoding from json: ${error.message}` : error.message
  }
}

/** The first error in the order of the type's fields; undefined where the value fits. */
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
      return typeof value === 'string' ? specialError(type, value) : `cannot restore slice from ${goKind(value)}`
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
