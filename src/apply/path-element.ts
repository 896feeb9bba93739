/**
 * Path elements in the notation of fieldsV1: `f:name` a field, `k:{"name":"a"}` the item of a list by its keys, `v:"a"` the item
 * of a set, `i:0` the item at an index. Follows fieldpath.PathElement of structured-merge-diff.
 *
 * A path element is its canonical text: keys in alphabetical order, JSON as Go escapes it. So equal path elements are equal
 * strings.
 */

import { parseStoredJson } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { goPrint } from '../go/print.ts'
import { compareText, goQuote } from '../go/text.ts'
import { badRequest } from '../meta/errors.ts'
import { own, rankOfScalar, scalarText } from './value.ts'

/** The maximum size of each cache. */
const MAX_PARSED = 2048

/** Returns the path element of a struct's field or a map's key. */
export function fieldElement(name: string): string {
  return `f:${name}`
}

/** Returns the path element of a set's item; undefined for lists, objects and null, which cannot be in a set. */
export function valueElement(item: JsonValue): string | undefined {
  const text = item === null ? undefined : scalarText(item)
  return text === undefined ? undefined : `v:${text}`
}

const nameTexts = new Map<string, string>()

/**
 * Returns the JSON text of a key's name, cached because types have few. The cache is bounded because clients can make up names.
 */
function nameText(name: string): string {
  const cached = nameTexts.get(name)
  if (cached !== undefined) return cached
  const text = JSON.stringify(name)
  if (nameTexts.size < MAX_PARSED) nameTexts.set(name, text)
  return text
}

/**
 * Returns the path element of a list item with these keys, which must come in the order of their names; undefined if a value is
 * not a scalar.
 */
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
    return parseStoredJson(text)
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
 * Returns the canonical form of a path element from a client; undefined for an unknown kind of path element, which is ignored.
 * @throws ApiError 400 if it cannot be parsed
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

function formatValue(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return `[${value.map(formatValue).join(',')}]`
  if (isObject(value)) return formatMembers(value, '')
  return typeof value === 'string' ? goQuote(value) : goPrint(value)
}

const formatMembers = (object: JsonObject, separator: string): string =>
  Object.entries(object)
    .map(([name, value]) => `${name}=${formatValue(value)}`)
    .join(separator)

const FORMATTERS: ReadonlyMap<string, (text: string) => string> = new Map([
  ['f', (text: string) => `.${text}`],
  ['i', (text: string) => `[${text}]`],
  ['v', (text: string) => `[=${formatValue(parseJson(text))}]`],
  ['k', (text: string) => `[${formatMembers(parseJson(text) as JsonObject, ',')}]`],
])

/** Formats a path for messages: `.spec.containers[name="a"].ports[containerPort=80,protocol="TCP"]`. */
export function pathText(elements: readonly string[]): string {
  return elements.map((element) => FORMATTERS.get(element.slice(0, 1))?.(element.slice(2)) ?? '').join('')
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

/** A cache of parsed path elements, because objects of one kind often have the same ones. */
const parsed = new Map<string, JsonValue>()

function parsedElement(element: string): JsonValue {
  const cached = parsed.get(element)
  if (cached !== undefined) return cached
  if (parsed.size >= MAX_PARSED) parsed.clear()
  const value = JSON.parse(element.slice(2)) as JsonValue
  parsed.set(element, value)
  return value
}

const KINDS = '.fkvi'

/** The first kind of path elements that has a value to parse. */
const FIRST_PARSED = KINDS.indexOf('k')

const compareValues = (a: JsonValue, b: JsonValue): number =>
  isObject(a) && isObject(b) ? compareKeys(a, b) : compareScalars(a, b)

/** Compares path elements in the order of fieldsV1: fields, then keys, values and indices, each in its own order. */
export function compareElements(a: string, b: string): number {
  if (a === b) return 0
  const kind = KINDS.indexOf(a.charAt(0)) - KINDS.indexOf(b.charAt(0))
  if (kind !== 0) return kind
  if (a.startsWith('f') || a.startsWith('.')) return compareText(a, b)
  return compareValues(parsedElement(a), parsedElement(b))
}

/** The most path elements that are sorted with the common cache; more of them would evict its entries. */
const MANY = 256

/** A path element and what it is sorted by: its kind, then its value, or its text if it is a field. */
interface SortedElement {
  readonly element: string
  readonly kind: number
  readonly value: JsonValue
}

function sortedElement(element: string): SortedElement {
  const kind = KINDS.indexOf(element.charAt(0))
  return { element, kind, value: kind < FIRST_PARSED ? element : (JSON.parse(element.slice(2)) as JsonValue) }
}

function compareSorted(a: SortedElement, b: SortedElement): number {
  return a.kind - b.kind || compareValues(a.value, b.value)
}

/** Parses each path element once, and compares only what has been parsed. */
function sortMany(elements: string[]): string[] {
  const sorted = elements.map(sortedElement).sort(compareSorted)
  for (const [index, { element }] of sorted.entries()) elements[index] = element
  return elements
}

/** Sorts path elements in the order of fieldsV1, in place. */
export function sortElements(elements: string[]): string[] {
  if (elements.length > MANY) return sortMany(elements)
  for (let i = 1; i < elements.length; i++) {
    if (compareElements(elements[i - 1] ?? '', elements[i] ?? '') > 0) return elements.sort(compareElements)
  }
  return elements
}
