/** What the patch formats share: reading the body as Go does, telling JSON's types apart, objects as Go writes maps. */

import type { Numbers } from '../go/json.ts'
import { isRawNumber, parseJson, setKey } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import { JsonSyntaxError } from '../go/json-syntax.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { compareText } from '../go/text.ts'
import { badRequest } from '../meta/errors.ts'

/** The type of a JSON value as messages of Go's encoding/json name it. */
export function jsonType(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (isObject(value)) return 'object'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'string' ? 'string' : 'number'
}

/**
 * The JSON of a patch's body.
 * @throws ApiError 400 with `prefix` and Go's message for a text that is not JSON
 */
export function readPatch(text: string, numbers: Numbers, prefix: string): JsonValue {
  try {
    return parseJson(text, numbers)
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw badRequest(prefix + error.message)
    throw error
  }
}

/** The first number in the value, in the order of its text, that no float64 holds; undefined where there is none. */
function unreadableNumber(value: JsonValue): string | undefined {
  if (isRawNumber(value)) return Number.isFinite(Number(value.rawJSON)) ? undefined : value.rawJSON
  if (typeof value !== 'object' || value === null) return undefined
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    const found = unreadableNumber(member)
    if (found !== undefined) return found
  }
  return undefined
}

/** Whether the text may hold a number that no float64 holds: a cheap look before checkNumbers. */
export function mayOverflow(text: string): boolean {
  return /\d[eE]\+?\d{3}|\d{308}/.test(text)
}

/**
 * Refuses numbers that Go cannot read into an interface.
 * @throws ApiError 400 with `prefix` and Go's message, in which `into` says where the number was to go
 */
export function checkNumbers(value: JsonValue, prefix: string, into = 'value'): void {
  const number = unreadableNumber(value)
  if (number !== undefined) throw badRequest(`${prefix}json: cannot unmarshal number ${number} into Go ${into} of type float64`)
}

/** An object of these members with its keys sorted, as Go writes a map. */
export function sortedObject(members: Iterable<readonly [string, JsonValue]>): JsonObject {
  const object: JsonObject = {}
  for (const [key, value] of [...members].sort(([a], [b]) => compareText(a, b))) setKey(object, key, value)
  return object
}
