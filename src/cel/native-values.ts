/**
 * Converts the results of mutations to JSON, in the two ways of kube-apiserver: the fields of `Object{…}` become Go's native values,
 * the values of `JSONPatch{…}` become JSON by the rules of protobuf. Follows package cel/mutation/dynamic and cel-go's
 * ConvertToNative.
 */
import { formatDuration } from '../go/duration.ts'
import { parseJson, rawNumber, setKey } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { GoValue } from '../go/print.ts'
import { EntryMap } from './collections.ts'
import { durationText, formatValue, timestampText } from './format-value.ts'
import { PatchObject } from './patch-objects.ts'
import {
  Double,
  Duration,
  isInt,
  ListValue,
  MapValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
  type Value,
} from './value.ts'

/** A value that has no JSON form. The message is that of the conversion. */
export class NativeError extends Error {}

/** Native values that JSON does not have, by the placeholders that stand for them. */
export type GoValues = Map<JsonValue, GoValue>

/** Returns a whole double as such: a custom resource distinguishes it from an integer. */
function numberOf(value: number): JsonValue {
  return Number.isSafeInteger(value) ? parseJson(`${value}.0`, 'unstructured') : value
}

const integerOf = (value: number | bigint): JsonValue => (typeof value === 'number' ? value : rawNumber(value.toString()))

/** Returns Go's print of a map of CEL values: only its own keys and values are printed like a Go map. */
function printedMap(map: EntryMap): string {
  const entries = map.keys().map((key) => `${formatValue(key)}:${formatValue(map.find(key) ?? null)}`)
  return `map[${entries.sort().join(' ')}]`
}

function goValueOf(value: Value): GoValue | undefined {
  if (value === null) return { type: 'structpb.NullValue', printed: 'NULL_VALUE', syntax: '0' }
  if (value instanceof Uint) {
    return { type: 'uint64', printed: value.value.toString(), syntax: `0x${value.value.toString(16)}` }
  }
  if (value instanceof Uint8Array) {
    const bytes = [...value].map((byte) => `0x${byte.toString(16)}`)
    return { type: '[]uint8', printed: formatValue(value), syntax: `[]uint8{${bytes.join(', ')}}` }
  }
  if (value instanceof Timestamp) return { type: 'time.Time', printed: formatValue(value), syntax: formatValue(value) }
  if (value instanceof Duration) {
    const text = value.nanoseconds.toString()
    return { type: 'time.Duration', printed: formatDuration(value.nanoseconds), syntax: text }
  }
  if (value instanceof EntryMap) {
    return { type: 'map[ref.Val]ref.Val', printed: printedMap(value), syntax: printedMap(value) }
  }
  return undefined
}

/** Converts the objects of one result. */
class NativeValues {
  readonly values: GoValues = new Map()
  readonly #target: 'go' | 'json'

  /** @param target 'json': unsigned integers and bytes become JSON */
  constructor(target: 'go' | 'json') {
    this.#target = target
  }

  object({ fields }: PatchObject): JsonObject {
    const object: JsonObject = {}
    for (const [name, value] of fields) setKey(object, name, this.#field(value))
    return object
  }

  /** Converts a field. Only the map or the list of a field itself becomes a Go map or slice, not those within it. */
  #field(value: Value): JsonValue {
    return value instanceof EntryMap ? this.#map(value) : this.#value(value)
  }

  #map(map: MapValue): JsonObject {
    const object: JsonObject = {}
    for (const key of map.keys()) {
      if (typeof key !== 'string') throw new NativeError('invalid return type: *dynamic.ObjectVal')
      setKey(object, key, this.#value(map.find(key) ?? null))
    }
    return object
  }

  #value(value: Value): JsonValue {
    if (typeof value === 'string' || typeof value === 'boolean') return value
    if (isInt(value)) return integerOf(value)
    if (value instanceof Double) return numberOf(value.value)
    if (value instanceof PatchObject) return this.object(value)
    if (value instanceof ListValue) return value.elements.map((element) => this.#value(element))
    if (value instanceof TypeValue) return value.name
    if (value instanceof OptionalValue) return this.#value(value.value ?? null)
    if (this.#target === 'json' && (value instanceof Uint || value instanceof Uint8Array)) return jsonOf(value)
    const foreign = goValueOf(value)
    if (foreign !== undefined) return this.#placeholder(foreign)
    if (value instanceof MapValue) return this.#map(value)
    const text = formatValue(value)
    return this.#placeholder({ type: typeNameOf(value), printed: text, syntax: text })
  }

  #placeholder(value: GoValue): JsonValue {
    const placeholder = rawNumber('0')
    this.values.set(placeholder, value)
    return placeholder
  }
}

/**
 * Returns an `Object{…}` as JSON, and its values that JSON does not have.
 * @throws NativeError if a map has a key that is not a string
 */
export function nativeObject(object: PatchObject): { readonly object: JsonObject; readonly values: GoValues } {
  const converted = new NativeValues('go')
  return { object: converted.object(object), values: converted.values }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

/** Returns a map as JSON. Its keys must be strings. */
function jsonMap(map: MapValue): JsonObject {
  const object: JsonObject = {}
  for (const key of map.keys()) {
    if (typeof key !== 'string') throw new NativeError(`unsupported type conversion from '${typeNameOf(key)}' to string`)
    setKey(object, key, jsonOf(map.find(key) ?? null))
  }
  return object
}

/** Returns an object as JSON. Its fields are converted by structpb.NewValue, which knows fewer types. */
function jsonObject(object: PatchObject): JsonObject {
  const converted = new NativeValues('json')
  const json = converted.object(object)
  const [foreign] = converted.values.values()
  if (foreign !== undefined) throw new NativeError(`proto: invalid type: ${foreign.type}`)
  return json
}

/** The greatest integer that protobuf writes as a JSON number. */
const greatestNumber = BigInt(Number.MAX_SAFE_INTEGER)

const isNumber = (value: bigint): boolean => value >= -greatestNumber && value <= greatestNumber

/**
 * Converts a value to JSON by the rules of protobuf: great integers, bytes and times become strings.
 * @throws NativeError if the value has no JSON form
 */
export function jsonOf(value: Value): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (isInt(value)) return typeof value === 'number' ? value : value.toString()
  if (value instanceof Uint) return isNumber(value.value) ? Number(value.value) : value.value.toString()
  if (value instanceof Double) return value.value
  if (value instanceof Uint8Array) return base64(value)
  if (value instanceof Timestamp) return timestampText(value)
  if (value instanceof Duration) return durationText(value)
  if (value instanceof ListValue) return value.elements.map(jsonOf)
  if (value instanceof MapValue) return jsonMap(value)
  if (value instanceof PatchObject) return jsonObject(value)
  if (value instanceof OptionalValue) return value.value === undefined ? null : jsonOf(value.value)
  const name = typeNameOf(value)
  if (value instanceof TypeValue) throw new NativeError(`type conversion not supported for '${name}'`)
  throw new NativeError(`type conversion error from '${name.slice(name.lastIndexOf('.') + 1)}' to '*structpb.Value'`)
}

function collectMismatches(value: Value, path: string, found: string[]): void {
  if (value instanceof PatchObject) {
    if (value.typeName !== path) {
      const expected = `expected "${path}", which matches field name path from root Object type`
      found.push(`unexpected type name "${value.typeName}", ${expected}`)
    }
    for (const [name, field] of value.fields) collectMismatches(field, `${path}.${name}`, found)
  } else if (value instanceof ListValue) {
    for (const element of value.elements) collectMismatches(element, path, found)
  } else if (value instanceof EntryMap) {
    for (const key of value.keys()) collectMismatches(value.find(key) ?? null, path, found)
  }
}

/**
 * Returns the errors in the names of an object's types, one for each line: the type of a field has the name of its path. Undefined
 * if all names are right.
 */
export function typeNameErrors(object: PatchObject): string | undefined {
  const found: string[] = []
  collectMismatches(object, object.typeName, found)
  return found.length === 0 ? undefined : found.join('\n')
}
