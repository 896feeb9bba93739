/** Sorts the keys of objects as Go encodes maps. */

import { isRawNumber, setKey } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { compareText } from '../go/text.ts'

/** Texts with surrogates need a separate comparison. */
export const SURROGATE = /[\ud800-\udfff]/

/** Returns the same entries in the order of their keys' UTF-8 bytes. */
export function sorted(object: JsonObject): JsonObject {
  const keys = Object.keys(object)
  const order = keys.some((key) => SURROGATE.test(key)) ? compareText : undefined
  const result: JsonObject = {}
  for (const key of keys.sort(order)) setKey(result, key, object[key] as JsonValue)
  return result
}

/** Returns the same value with sorted keys at every depth. */
export function sortedDeep(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortedDeep)
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value
  const inner: JsonObject = {}
  for (const key of Object.keys(value)) setKey(inner, key, sortedDeep(value[key] as JsonValue))
  return sorted(inner)
}
