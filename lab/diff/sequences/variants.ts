/** Variants of the schemas of custom resources: those of another version, or of the same one after a change of the definition. */
import type { JsonObject } from '../../../src/go/json-value.ts'
import { isObject, pick, type Random } from './values.ts'

const listKeys = ['x-kubernetes-list-type', 'x-kubernetes-list-map-keys']

/** Returns a schema without the keywords of list types. */
const atomic = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !listKeys.includes(keyword)))

/** Returns a schema with another default; without one if it had one. */
function otherDefault(schema: JsonObject): JsonObject {
  const { default: _default, ...rest } = schema
  if (_default !== undefined) return rest
  return schema.type === 'string' && Object.keys(schema).length === 1 ? { ...schema, default: 'other' } : schema
}

const changes: readonly ((schema: JsonObject) => JsonObject)[] = [
  atomic,
  otherDefault,
  (schema) => (schema.type === 'object' ? { ...schema, 'x-kubernetes-preserve-unknown-fields': true } : schema),
  (schema) => (schema.type === 'object' ? { ...schema, 'x-kubernetes-map-type': 'atomic' } : schema),
]

/** Returns a schema that lacks some fields, and treats others differently. */
export function variant(schema: JsonObject, random: Random): JsonObject {
  const changed = random() < 0.15 ? pick(changes, random)(schema) : schema
  const { properties } = changed
  if (!isObject(properties) || isObject(changed['x-kubernetes-validations'])) return changed
  const required = new Set(Array.isArray(changed.required) ? changed.required : [])
  const kept = Object.entries(properties).filter(([name]) => required.has(name) || random() < 0.85)
  const inner = kept.map(([name, each]) => [name, isObject(each) ? variant(each, random) : each] as const)
  return { ...changed, properties: Object.fromEntries(inner) }
}
