/** Helpers of all patch formats: parsing a body as Go does, names of JSON types, and objects with sorted keys. */

import type { Numbers } from '../go/json.ts'
import { isRawNumber, parseJson, setKey } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import { JsonSyntaxError } from '../go/json-syntax.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { compareText } from '../go/text.ts'
import { badRequest } from '../meta/errors.ts'

/** Returns the name of a JSON value's type in messages of Go's encoding/json. */
export function jsonType(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (isObject(value)) return 'object'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'string' ? 'string' : 'number'
}

/**
 * Parses the body of a patch.
 * @throws ApiError 400 with `prefix` and Go's message if the text is not valid JSON
 */
export function readPatch(text: string, numbers: Numbers, prefix: string): JsonValue {
  try {
    return parseJson(text, numbers)
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw badRequest(prefix + error.message)
    throw error
  }
}

/** Returns the first number, in the order of the text, that is out of range for a float64; undefined if all are in range. */
function unreadableNumber(value: JsonValue): string | undefined {
  if (isRawNumber(value)) return Number.isFinite(Number(value.rawJSON)) ? undefined : value.rawJSON
  if (typeof value !== 'object' || value === null) return undefined
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    const found = unreadableNumber(member)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Rejects numbers that Go cannot decode into an interface.
 * @param target the Go type or field to decode into, for the message
 * @throws ApiError 400 with `prefix` and Go's message
 */
export function checkNumbers(value: JsonValue, prefix: string, target = 'value'): void {
  const number = unreadableNumber(value)
  if (number !== undefined) throw badRequest(`${prefix}json: cannot unmarshal number ${number} into Go ${target} of type float64`)
}

/** Returns an object of these members with sorted keys, as Go encodes a map. */
export function sortedObject(members: Iterable<readonly [string, JsonValue]>): JsonObject {
  const object: JsonObject = {}
  for (const [key, value] of [...members].sort(([a], [b]) => compareText(a, b))) setKey(object, key, value)
  return object
}
