/** The order of the keys of a schema, which its hash depends on. Follows SchemaProps of k8s.io/kube-openapi/pkg. */
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'

const keys = [
  'description',
  'type',
  'nullable',
  'format',
  'title',
  'default',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'enum',
  'maxProperties',
  'minProperties',
  'required',
  'items',
  'allOf',
  'oneOf',
  'anyOf',
  'not',
  'properties',
  'additionalProperties',
  'externalDocs',
  'example',
  '$ref',
]
const places: ReadonlyMap<string, number> = new Map(keys.map((key, place) => [key, place]))

/** Compares two keys. Extensions come after all other keys, sorted by name. */
function compare(a: string, b: string): number {
  const difference = (places.get(a) ?? keys.length) - (places.get(b) ?? keys.length)
  return difference === 0 ? (a < b ? -1 : 1) : difference
}

function ordered(
  value: JsonObject,
  order: (a: string, b: string) => number,
  inner: (key: string, each: JsonValue) => JsonValue,
): JsonObject {
  const entries = Object.entries(value).sort(([a], [b]) => order(a, b))
  return Object.fromEntries(entries.map(([key, each]) => [key, inner(key, each)]))
}

const byName = (a: string, b: string): number => (a < b ? -1 : 1)
const ofSchema = (value: JsonValue): JsonValue => (isObject(value) ? inSchemaOrder(value) : value)
const ofSchemas = (value: JsonValue): JsonValue => (Array.isArray(value) ? value.map(ofSchema) : ofSchema(value))
const ofProperties = (value: JsonValue): JsonValue =>
  isObject(value) ? ordered(value, byName, (_, each) => ofSchema(each)) : value

/** The keys whose values contain schemas. */
const inner: ReadonlyMap<string, (value: JsonValue) => JsonValue> = new Map([
  ['items', ofSchemas],
  ['allOf', ofSchemas],
  ['oneOf', ofSchemas],
  ['anyOf', ofSchemas],
  ['not', ofSchema],
  ['properties', ofProperties],
  ['additionalProperties', ofSchema],
])

/** Returns the schema with its keys, and those of the schemas in it, in order. */
export function inSchemaOrder(schema: JsonObject): JsonObject {
  return ordered(schema, compare, (key, value) => inner.get(key)?.(value) ?? value)
}
