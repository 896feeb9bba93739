/** Tells JSON objects from other values, and copies them. */
import { isRawNumber, setKey } from './json.ts'
import type { JsonObject, JsonValue } from './json-value.ts'

/** Whether the value is a JSON object: not null, not a list, not a number kept as digits. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
}

/** Copies a value deeply. Numbers that are kept as digits are shared, because they never change. */
export function copyOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(copyOf)
  if (!isObject(value)) return value
  const copy: JsonObject = {}
  for (const [key, member] of Object.entries(value)) setKey(copy, key, copyOf(member ?? null))
  return copy
}
