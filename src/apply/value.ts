/** Values as server-side apply sees them: equality, and the JSON text of the scalars that name list items. */
import { isRawNumber } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'

/**
 * The property that the object itself has, undefined where it has none: `constructor` and `__proto__` are keys like others.
 * What an object inherits are functions and Object.prototype, and neither is a JSON value.
 */
export function own(object: JsonObject, key: string): JsonValue | undefined {
  const value: unknown = object[key]
  return typeof value === 'function' || value === Object.prototype ? undefined : (value as JsonValue | undefined)
}

/** The property that the object itself has, or else what stands for an absent one. Null is a value. */
export function ownOr(object: JsonObject, key: string, otherwise: JsonValue | undefined): JsonValue | undefined {
  const value = own(object, key)
  return value === undefined ? otherwise : value
}

/** Whether the object has no keys. */
export function isEmptyObject(object: object): boolean {
  for (const _ in object) return false
  return true
}

/** Whether one of the values is a number that is kept as its digits, and the other one the same number. */
function isSameNumber(a: JsonValue, b: JsonValue): boolean {
  if (typeof a === 'number') return isRawNumber(b) && b.rawJSON === String(a)
  return typeof b === 'number' && isRawNumber(a) && a.rawJSON === String(b)
}

/** Whether two values are the same JSON; the order of keys is of no account. */
export function equalValues(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return isSameNumber(a, b)
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b)
  if (Array.isArray(b)) return false
  if (isRawNumber(a)) return isRawNumber(b) && a.rawJSON === b.rawJSON
  return !isRawNumber(b) && equalObjects(a as JsonObject, b as JsonObject)
}

/** Whether two lists hold the same values in the same order. */
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

/** Characters that Go's JSON writes as they are. */
const PLAIN = /^[ !#-%'-;=?-[\]-~]*$/

/** Characters that Go's JSON may escape where it is to be safe within HTML: controls and lone surrogates among them. */
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

/** A scalar as the JSON that stands in a path element (`k:{"name":"a"}`, `v:"a"`), undefined for lists and objects. */
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

/** The order of scalars of several types: numbers, strings, booleans, null. */
export function rankOfScalar(value: JsonValue): number {
  return RANKS.get(typeof value) ?? 3
}
