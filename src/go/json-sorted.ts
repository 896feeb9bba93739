/** JSON as Go's encoder writes maps: keys in the order of their bytes, at every depth. */

import { isRawNumber, setKey } from './json.ts'
import type { JsonObject, JsonValue } from './json-value.ts'
import { compareText, escapeHtml } from './text.ts'

/**
 * Texts that JSON.stringify does not write as Go does, whatever the order of keys in memory: halves of surrogate pairs are
 * escaped where Go has U+FFFD, and whole ones compare by UTF-16 instead of UTF-8.
 */
const UNUSUAL = /[\ud800-\udfff]|\\ud[89a-f]/

/** Objects list keys that look like indexes first, by their numbers: no order of insertion changes that. */
const isIndex = (key: string): boolean => /^\d/.test(key)

/** Brings the keys of a value in order without touching it. */
class Sorting {
  /** Some object has an order that no object in memory can have. */
  isImpossible = false

  of(value: JsonValue): JsonValue {
    if (typeof value !== 'object' || value === null || isRawNumber(value)) return value
    return Array.isArray(value) ? this.#list(value) : this.#object(value)
  }

  #list(list: JsonValue[]): JsonValue[] {
    let result = list
    for (let i = 0; i < list.length; i++) {
      const item = list[i] as JsonValue
      const ordered = this.of(item)
      if (ordered === item) continue
      if (result === list) result = list.slice()
      result[i] = ordered
    }
    return result
  }

  #object(object: JsonObject): JsonObject {
    let isSorted = true
    let last = ''
    let changed: Map<string, JsonValue> | undefined
    for (const key in object) {
      if (key < last) isSorted = false
      last = key
      const inner = object[key] as JsonValue
      const ordered = this.of(inner)
      if (ordered === inner) continue
      changed ??= new Map()
      changed.set(key, ordered)
    }
    if (isSorted && changed === undefined) return object
    const keys = Object.keys(object)
    if (!isSorted) {
      if (isIndex(keys[0] ?? '')) this.isImpossible = true
      keys.sort()
    }
    const result: JsonObject = {}
    for (const key of keys) setKey(result, key, changed?.get(key) ?? (object[key] as JsonValue))
    return result
  }
}

/** Which objects are written with their keys in order: all, or those alone that can only be maps. */
type Sorted = 'all' | 'maps'

function keysOf(object: JsonObject, sorted: Sorted): string[] {
  const keys = Object.keys(object)
  return sorted === 'all' || isIndex(keys[0] ?? '') ? keys.sort(compareText) : keys
}

/** The same, written key by key: right for every text, but slow. */
function written(value: JsonValue, sorted: Sorted): string {
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed())
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => written(item, sorted)).join(',')}]`
  const members: string[] = []
  for (const key of keysOf(value, sorted)) {
    const inner: JsonValue | undefined = value[key]
    if (inner !== undefined) members.push(`${JSON.stringify(key.toWellFormed())}:${written(inner, sorted)}`)
  }
  return `{${members.join(',')}}`
}

/** Writes a value with the keys of all its objects in order. What is undefined is left out. */
export function sortedJson(value: JsonValue): string {
  const sorting = new Sorting()
  const sorted = sorting.of(value)
  const text = sorting.isImpossible ? '' : JSON.stringify(sorted)
  return escapeHtml(sorting.isImpossible || UNUSUAL.test(text) ? written(value, 'all') : text)
}

/** A key that looks like an index, in what JSON.stringify wrote: a text has a backslash before its quotes. */
const INDEX_KEY = /"\d+":/

/**
 * Writes a value whose fields are in the order of their structs and whose maps are in that of their keys. Maps with keys that
 * look like indexes cannot be in order in memory; no struct has such a field.
 */
export function structJson(value: JsonValue | object): string {
  const text = JSON.stringify(value)
  return escapeHtml(INDEX_KEY.test(text) ? written(value as JsonValue, 'maps') : text)
}
