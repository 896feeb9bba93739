/** JSON with sorted map keys, as Go's encoder writes it: in the order of the keys' bytes, at every depth. */

import { isRawNumber, setKey } from './json.ts'
import type { JsonObject, JsonValue } from './json-value.ts'
import { compareText, escapeHtml } from './text.ts'

/**
 * Texts that JSON.stringify writes differently from Go for any order of keys: it escapes lone surrogates, which Go writes as
 * U+FFFD, and surrogate pairs sort by UTF-16 instead of UTF-8.
 */
const UNUSUAL = /[\ud800-\udfff]|\\ud[89a-f]/

/** JavaScript objects list index-like keys first, by number, in any order of insertion. */
const isIndex = (key: string): boolean => /^\d/.test(key)

/** Sorts the keys of a value without changing it. */
class Sorting {
  /** Whether an object needs an order of keys that JavaScript objects cannot have. */
  isImpossible = false

  sort(value: JsonValue): JsonValue {
    if (typeof value !== 'object' || value === null || isRawNumber(value)) return value
    return Array.isArray(value) ? this.#list(value) : this.#object(value)
  }

  #list(list: JsonValue[]): JsonValue[] {
    let result = list
    for (let i = 0; i < list.length; i++) {
      const item = list[i] as JsonValue
      const ordered = this.sort(item)
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
      const ordered = this.sort(inner)
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

/** The objects whose keys are sorted: all, or only those that must be maps because of their keys. */
type Sorted = 'all' | 'maps'

function keysOf(object: JsonObject, sorted: Sorted): string[] {
  const keys = Object.keys(object)
  return sorted === 'all' || isIndex(keys[0] ?? '') ? keys.sort(compareText) : keys
}

/** Writes the same JSON key by key: correct for every text, but slow. */
function writeSorted(value: JsonValue, sorted: Sorted): string {
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed())
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => writeSorted(item, sorted)).join(',')}]`
  const members: string[] = []
  for (const key of keysOf(value, sorted)) {
    const inner: JsonValue | undefined = value[key]
    if (inner !== undefined) members.push(`${JSON.stringify(key.toWellFormed())}:${writeSorted(inner, sorted)}`)
  }
  return `{${members.join(',')}}`
}

/** Serializes a value with the keys of all objects sorted. Omits undefined members. */
export function sortedJson(value: JsonValue): string {
  const sorting = new Sorting()
  const sorted = sorting.sort(value)
  const text = sorting.isImpossible ? '' : JSON.stringify(sorted)
  return escapeHtml(sorting.isImpossible || UNUSUAL.test(text) ? writeSorted(value, 'all') : text)
}

/** An index-like key in the output of JSON.stringify. Inside a text, a backslash precedes the quotes. */
const INDEX_KEY = /"\d+":/

/**
 * Serializes a value whose struct fields are in the order of their structs and whose map keys are sorted. A JavaScript object
 * cannot keep index-like map keys sorted; struct fields never look like an index.
 */
export function structJson(value: JsonValue | object): string {
  const text = JSON.stringify(value)
  return escapeHtml(INDEX_KEY.test(text) ? writeSorted(value as JsonValue, 'maps') : text)
}

/** Matches the texts of JSON, and the characters after which lines begin or end. Empty lists and objects stay on one line. */
const TOKENS = /"(?:[^"\\]|\\.)*"?|\{\}|\[\]|[{}[\],:]/g

/** Breaks JSON without white space into lines, indented by one space for each level. */
function indented(json: string): string {
  let depth = 0
  const lineBreak = (by: number): string => {
    depth += by
    return `\n${' '.repeat(depth)}`
  }
  return json.replace(TOKENS, (token) => {
    if (token === '{' || token === '[') return `${token}${lineBreak(1)}`
    if (token === '}' || token === ']') return `${lineBreak(-1)}${token}`
    if (token === ',') return `,${lineBreak(0)}`
    return token === ':' ? ': ' : token
  })
}

/** Serializes a value as `structJson` does, with line breaks, and one space of indentation for each level. */
export function indentedJson(value: unknown): string {
  const text = JSON.stringify(value, null, ' ')
  return /"\d+": /.test(text) ? indented(structJson(value as JsonValue)) : escapeHtml(text)
}
