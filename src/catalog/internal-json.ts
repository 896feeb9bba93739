/**
 * Converts values to the form in which kube-apiserver's messages quote them: as its internal types, to which all versions
 * convert. These have no JSON tags: every field is present, under its Go name.
 */
import type { JsonValue } from '../go/json-value.ts'
import { emptyMap, explicitEmpty } from '../schema/explicit-empty.ts'
import { internalTypes } from './generated/internal/types.ts'

type Fields = Readonly<Record<string, unknown>>

/** A field: its name in Go ('' for an embedded struct, whose fields are inlined), its name in JSON, its type. */
type InternalField = readonly [name: string, json: string, type: string]

function readField(text: string): InternalField {
  const [name = '', second = '', third] = text.split(' ')
  return third === undefined ? [name, `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`, second] : [name, second, third]
}

const read = new Map<string, readonly InternalField[]>()

/** Returns the fields of a struct; undefined for other types. */
function fieldsOf(type: string): readonly InternalField[] | undefined {
  const text = Object.hasOwn(internalTypes, type) ? internalTypes[type] : undefined
  if (text === undefined) return undefined
  let fields = read.get(type)
  if (fields === undefined) {
    fields = text === '' ? [] : text.split(',').map(readField)
    read.set(type, fields)
  }
  return fields
}

const zeros: Readonly<Record<string, JsonValue>> = {
  string: '',
  number: 0,
  bool: false,
  'api:Quantity': '0',
  'api:IntOrString': 0,
}

/** Fields of the v1 spec that are in the internal security context of a Pod. */
const fromSpec = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'] as const

function withContext(spec: Fields): Fields {
  const given = Object.fromEntries(fromSpec.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])))
  const context = spec.securityContext as Fields | undefined
  if (context === undefined && Object.keys(given).length === 0) return spec
  return { ...spec, securityContext: { ...given, ...context } }
}

function struct(type: string, value: Fields): JsonValue {
  const fields = type === 'PodSpec' ? withContext(value) : value
  const out: Record<string, JsonValue> = {}
  for (const [name, json, fieldType] of fieldsOf(type) ?? []) {
    if (name === '') Object.assign(out, fields[json])
    else out[name] = internalValue(fieldType, fields[json] ?? explicitEmpty(fields, json))
  }
  return out
}

const schemaType = 'apiextensions.JSONSchemaProps'

/** Union types of a schema and another value, which are structs in Go with one field for each. */
const alternatives: Readonly<Record<string, (value: JsonValue) => JsonValue>> = {
  'or:Array': (value) => ({
    Schema: Array.isArray(value) ? null : internalValue(schemaType, value),
    JSONSchemas: Array.isArray(value) ? internalValue(`[]${schemaType}`, value) : null,
  }),
  'or:Bool': (value) => ({
    Allows: value !== false,
    Schema: typeof value === 'boolean' ? null : internalValue(schemaType, value),
  }),
  'or:StringArray': (value) => ({
    Schema: Array.isArray(value) ? null : internalValue(schemaType, value),
    Property: Array.isArray(value) ? value : null,
  }),
}

function internalValue(type: string, value: unknown): JsonValue {
  const prefix = type.slice(0, 2)
  const isAbsent = value === undefined || value === null
  if (type.startsWith('*')) return isAbsent ? null : internalValue(type.slice(1), value)
  if (prefix === '[]') return isAbsent ? null : (value as unknown[]).map((element) => internalValue(type.slice(2), element))
  if (prefix === '{}') {
    if (isAbsent) return null
    if (value === emptyMap) return emptyMap
    return Object.fromEntries(Object.entries(value as Fields).map(([key, entry]) => [key, internalValue(type.slice(2), entry)]))
  }
  const alternative = alternatives[type]
  if (alternative !== undefined) return alternative((value ?? null) as JsonValue)
  if (fieldsOf(type) !== undefined) return struct(type, (value ?? {}) as Fields)
  return isAbsent ? (zeros[type] ?? null) : (value as JsonValue)
}

/**
 * Converts a value to the JSON of its internal Go type.
 * @param type the Go type: `PodSpec`, `PodTemplateSpec`, `[]NodeSelectorTerm`, `storage.CSINodeDriver`
 * @param value a decoded value of the API version
 * @example
 * internalJson('TypedLocalObjectReference', { kind: 'Secret', name: 'a' })
 * // { APIGroup: null, Kind: 'Secret', Name: 'a' }
 */
export function internalJson(type: string, value: unknown): JsonValue {
  return internalValue(type, value)
}
