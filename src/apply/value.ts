/** Equality of JSON values in server-side apply, and the JSON text of scalars in path elements. */
import { isRawNumber } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'

/**
 * Returns an object's own property; undefined if it has none. `constructor` and `__proto__` are ordinary keys: inherited
 * properties are functions or Object.prototype, which are not JSON values.
 */
export function own(object: JsonObject, key: string): JsonValue | undefined {
  const value: unknown = object[key]
  return typeof value === 'function' || value === Object.prototype ? undefined : (value as JsonValue | undefined)
}

/** Returns an object's own property, or `otherwise` if it has none. Null is a value. */
export function ownOr(object: JsonObject, key: string, otherwise: JsonValue | undefined): JsonValue | undefined {
  const value = own(object, key)
  return value === undefined ? otherwise : value
}

/** Whether the object has no keys. */
export function isEmptyObject(object: object): boolean {
  for (const _ in object) return false
  return true
}

/** Whether one of the values is a number kept as digits, and the other the same number. */
function isSameNumber(a: JsonValue, b: JsonValue): boolean {
  if (typeof a === 'number') return isRawNumber(b) && b.rawJSON === String(a)
  return typeof b === 'number' && isRawNumber(a) && a.rawJSON === String(b)
}

/** Whether two values are equal as JSON, in any order of keys. */
export function equalValues(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return isSameNumber(a, b)
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b)
  if (Array.isArray(b)) return false
  if (isRawNumber(a)) return isRawNumber(b) && a.rawJSON === b.rawJSON
  return !isRawNumber(b) && equalObjects(a as JsonObject, b as JsonObject)
}

/** Whether two lists have equal values in the same order. */
export function equalLists(a: readonly JsonValue[], b: readonly JsonValue[]): boolean {
  return a.length === b.length && a.every((value, i) => equalValues(value, b[i] ?? null))
}

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  let keys = 0
  for (const key in a) {
    keys++
    const left = a[key]
    const right = own(b, key)
    if (left === right) continue
    if (left === undefined || right === undefined || !equalValues(left, right)) return false
  }
  for (const _ in b) keys--
  return keys === 0
}

/** Matches texts that Go's JSON writes without escapes. */
const PLAIN = /^[ !#-%'-;=?-[\]-~]*$/

/** Matches characters that Go's JSON may escape, also for safety in HTML: among them control characters and lone surrogates. */
const ESCAPED = /["\\<>&\u2028\u2029\p{Cc}\p{Cs}]/gu

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

function escaped(character: string): string {
  const code = character.charCodeAt(0)
  if ((code & 0xf800) === 0xd800) return '\\ufffd'
  if (code >= 0x7f && code < 0xa0) return character
  return SHORT_ESCAPES.get(character) ?? `\\u${code.toString(16).padStart(4, '0')}`
}

function stringText(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : `"${text.replace(ESCAPED, escaped)}"`
}

/** Returns a scalar's JSON text for a path element (`k:{"name":"a"}`, `v:"a"`); undefined for lists and objects. */
export function scalarText(value: JsonValue): string | undefined {
  if (typeof value === 'string') return stringText(value)
  if (typeof value === 'number') return String(value).replace(/e-(\d)$/, 'e-0$1')
  if (typeof value === 'boolean' || value === null) return String(value)
  return isRawNumber(value) ? value.rawJSON : undefined
}

const RANKS: ReadonlyMap<string, number> = new Map([
  ['number', 0],
  ['string', 1],
  ['boolean', 2],
])

/** Returns the rank of a scalar's type in sorting: numbers, strings, booleans, null. */
export function rankOfScalar(value: JsonValue): number {
  return RANKS.get(typeof value) ?? 3
}
