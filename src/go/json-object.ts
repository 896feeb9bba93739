/** JSON values that are objects. */
import { isRawNumber } from './json.ts'
import type { JsonObject, JsonValue } from './json-value.ts'

/** Whether the value is a JSON object: not null, a list, or a number kept as its digits. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
}
