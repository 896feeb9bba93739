/** Tells JSON objects from other values. */
import { isRawNumber } from './json.ts'
import type { JsonObject, JsonValue } from './json-value.ts'

/** Whether the value is a JSON object: not null, not a list, not a number kept as digits. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
}
