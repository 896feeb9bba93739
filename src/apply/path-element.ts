/**
 * The steps of a path, written as fieldsV1 writes them: `f:name` a field, `k:{"name":"a"}` the item of a list by its keys,
 * `v:"a"` the item of a set, `i:0` the item at an index. Follows structured-merge-diff's fieldpath.
 *
 * A step is its canonical text: keys in alphabetical order, JSON as Go escapes it. So equal steps are equal strings.
 */

import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { goPrint } from '../go/print.ts'
import { compareText, goQuote } from '../go/text.ts'
import { badRequest } from '../meta/errors.ts'
import { own, rankOfScalar, scalarText } from './value.ts'

/** How much is kept of what is made again and again. */
const MAX_PARSED = 2048

/** The step to a field of a struct or to a key of a map. */
export function fieldElement(name: string): string {
  return `f:${name}`
}

/** The step to an item of a set. Undefined for items that cannot be in one: lists, objects and null. */
export function valueElement(item: JsonValue): string | undefined {
  const text = item === null ? undefined : scalarText(item)
  return text === undefined ? undefined : `v:${text}`
}

const nameTexts = new Map<string, string>()

/** The JSON of a key's name, of which types have few. Names that clients make up do not count: the store is bounded. */
function nameText(name: string): string {
  const known = nameTexts.get(name)
  if (known !== undefined) return known
  const text = JSON.stringify(name)
  if (nameTexts.size < MAX_PARSED) nameTexts.set(name, text)
  return text
}

/** The step to a list item with these keys. The pairs come in the order of their names; undefined where a value is no scalar. */
export function keyElement(keys: Iterable<readonly [name: string, value: JsonValue]>): string | undefined {
  let text = ''
  for (const [name, value] of keys) {
    const scalar = scalarText(value)
    if (scalar === undefined) return undefined
    text += `${text === '' ? '' : ','}${nameText(name)}:${scalar}`
  }
  return `k:{${text}}`
}

const byName = (a: readonly [string, unknown], b: readonly [string, unknown]): number => compareText(a[0], b[0])

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    throw badRequest(`invalid JSON in a path element: ${text}`)
  }
}

function canonicalKey(text: string): string | undefined {
  const keys = parseJson(text)
  if (keys === null) return keyElement([])
  return isObject(keys) ? keyElement(Object.entries(keys).sort(byName)) : undefined
}

function canonicalIndex(text: string): string | undefined {
  return /^[+-]?\d{1,18}$/.test(text) ? `i:${Number.parseInt(text, 10)}` : undefined
}

function canonicalValue(text: string): string | undefined {
  const value = scalarText(parseJson(text))
  return value === undefined ? undefined : `v:${value}`
}

const PARSERS: ReadonlyMap<string, (text: string) => string | undefined> = new Map([
  ['f', fieldElement],
  ['k', canonicalKey],
  ['v', canonicalValue],
  ['i', canonicalIndex],
])

/**
 * The canonical form of a step that someone else wrote; undefined for a kind of step that is not known, which is to be ignored.
 * Throws badRequest for one that cannot be read.
 */
export function canonicalElement(text: string): string | undefined {
  if (text.length < 2) throw badRequest('key must be 2 characters long:')
  if (text[1] !== ':') throw badRequest(`missing colon: ${text}`)
  const parse = PARSERS.get(text.slice(0, 1))
  if (parse === undefined) return undefined
  const element = parse(text.slice(2))
  if (element === undefined) throw badRequest(`invalid path element: ${text}`)
  return element
}

const shownScalar = (value: JsonValue): string => (typeof value === 'string' ? goQuote(value) : goPrint(value))

const SHOWN: ReadonlyMap<string, (text: string) => string> = new Map([
  ['f', (text: string) => `.${text}`],
  ['i', (text: string) => `[${text}]`],
  ['v', (text: string) => `[=${shownScalar(parseJson(text))}]`],
  ['k', shownKeys],
])

function shownKeys(text: string): string {
  const keys = Object.entries(parseJson(text) as JsonObject)
  return `[${keys.map(([name, value]) => `${name}=${value === null ? 'null' : shownScalar(value)}`).join(',')}]`
}

/** A path as messages show it: `.spec.containers[name="a"].ports[containerPort=80,protocol="TCP"]`. */
export function pathText(elements: readonly string[]): string {
  return elements.map((element) => SHOWN.get(element.slice(0, 1))?.(element.slice(2)) ?? '').join('')
}

function compareScalars(a: JsonValue, b: JsonValue): number {
  const rank = rankOfScalar(a) - rankOfScalar(b)
  if (rank !== 0) return rank
  return typeof a === 'string' && typeof b === 'string' ? compareText(a, b) : Number(a) - Number(b)
}

function compareKeys(a: JsonObject, b: JsonObject): number {
  const left = Object.keys(a)
  const right = Object.keys(b)
  for (let i = 0; i < left.length && i < right.length; i++) {
    const [name = '', other = ''] = [left[i], right[i]]
    const order = compareText(name, other) || compareScalars(own(a, name) ?? null, own(b, other) ?? null)
    if (order !== 0) return order
  }
  return left.length - right.length
}

/** Parsed steps, because objects of one kind name the same ones again and again. */
const parsed = new Map<string, JsonValue>()

function parsedElement(element: string): JsonValue {
  const known = parsed.get(element)
  if (known !== undefined) return known
  if (parsed.size >= MAX_PARSED) parsed.clear()
  const value = JSON.parse(element.slice(2)) as JsonValue
  parsed.set(element, value)
  return value
}

const KINDS = '.fkvi'

function compareParsed(a: string, b: string, parse: (element: string) => JsonValue): number {
  if (a === b) return 0
  const kind = KINDS.indexOf(a.charAt(0)) - KINDS.indexOf(b.charAt(0))
  if (kind !== 0) return kind
  if (a.startsWith('f') || a.startsWith('.')) return compareText(a, b)
  const left = parse(a)
  const right = parse(b)
  return isObject(left) && isObject(right) ? compareKeys(left, right) : compareScalars(left, right)
}

/** The order in which fieldsV1 lists the steps of a set: fields, then keys, values and indices, each in their own order. */
export function compareElements(a: string, b: string): number {
  return compareParsed(a, b, parsedElement)
}

/** With more steps than this, sorting parses for itself: it would only empty the common store over and over. */
const MANY = 256

function sortMany(elements: string[]): string[] {
  const values = new Map<string, JsonValue>()
  const parse = (element: string): JsonValue => {
    const value = values.get(element) ?? (JSON.parse(element.slice(2)) as JsonValue)
    values.set(element, value)
    return value
  }
  return elements.sort((a, b) => compareParsed(a, b, parse))
}

/** Puts steps into the order of fieldsV1, in place. */
export function sortElements(elements: string[]): string[] {
  if (elements.length > MANY) return sortMany(elements)
  for (let i = 1; i < elements.length; i++) {
    if (compareElements(elements[i - 1] ?? '', elements[i] ?? '') > 0) return elements.sort(compareElements)
  }
  return elements
}
