/** Bodies as texts: YAML, and objects with unknown and duplicate fields. */
import type { JsonObject, JsonValue } from '../../../src/go/json-value.ts'
import { isObject, pick, placesOf, type Random, replaced } from './values.ts'

/** Returns YAML in block style. */
export const writtenAs = (value: JsonValue): string => `${lines(value, '').trimStart()}\n`

const scalar = (value: JsonValue): string => JSON.stringify(value)

function lines(value: JsonValue, indent: string): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []'
    return value.map((item) => `\n${indent}- ${lines(item, `${indent}  `).trimStart()}`).join('')
  }
  if (!isObject(value)) return ` ${scalar(value)}`
  const entries = Object.entries(value)
  if (entries.length === 0) return ' {}'
  return entries.map(([key, each]) => `\n${indent}${JSON.stringify(key)}:${lines(each, `${indent}  `)}`).join('')
}

const unknown: readonly string[] = ['unknown', 'Spec', 'specs', 'Name', 'ownField', 'bad-field', 'kind2']

/** Returns the object with unknown fields, or as a text with duplicate ones. */
export function twiceOrUnknown(object: JsonObject, random: Random, most = 2): JsonObject | string {
  const objects = placesOf(object).filter(({ value }) => isObject(value))
  const { path, value } = pick(objects, random)
  if (random() < 0.5) {
    const added = { ...(value as JsonObject), [pick(unknown, random)]: pick<JsonValue>(['x', 1, { a: 1 }, [], null], random) }
    const other = pick(objects, random)
    const once = replaced(object, path, added)
    return (most > 1 && random() < 0.4 ? replaced(once, [...other.path, pick(unknown, random)], 'y') : once) as JsonObject
  }
  const keys = Object.keys(value as JsonObject)
  if (keys.length === 0) return object
  const key = pick(keys, random)
  const twice = (value as JsonObject)[key] ?? null
  const text = JSON.stringify(
    replaced(object, path, { ...(value as JsonObject), '\u0001': pick<JsonValue>([twice, twice, 'x'], random) }),
  )
  return text.replace('"\\u0001"', JSON.stringify(key))
}
