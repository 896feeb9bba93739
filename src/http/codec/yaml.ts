/** YAML as sigs.k8s.io/yaml writes it: block style, keys sorted, lists not indented under their key. */
import { isRawNumber } from '../../meta/json.ts'
import type { JsonObject, JsonValue } from '../../meta/json-value.ts'
import type { Place } from './yaml-scalar.ts'
import { flowScalar, isSimpleKey, literalScalar, numberScalar, scalarStyle } from './yaml-scalar.ts'

const isLetter = (character: string): boolean => /\p{L}/u.test(character)
const isDigit = (character: string | undefined): boolean => character !== undefined && /\p{Nd}/u.test(character)

/** The digits at `from` as a number, and where they end. */
function readNumber(characters: readonly string[], from: number, start: number): { value: number; end: number } {
  let value = start
  let end = from
  for (; isDigit(characters[end]); end++) value = value * 10 + ((characters[end]?.codePointAt(0) ?? 0) - 48)
  return { value, end }
}

/** Zeros behind other digits count, leading zeros do not. */
function standsBehindDigits(characters: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && isDigit(characters[i]); i--) if (characters[i] !== '0') return true
  return false
}

function compareAt(a: readonly string[], b: readonly string[], i: number): number {
  const [x = '', y = ''] = [a[i], b[i]]
  const difference = (x.codePointAt(0) ?? 0) - (y.codePointAt(0) ?? 0)
  if (isLetter(x) && isLetter(y)) return difference
  if (isLetter(x)) return 1
  if (isLetter(y)) return -1
  const start = (x === '0' || y === '0') && standsBehindDigits(a, i) ? 1 : 0
  const [left, right] = [readNumber(a, i, start), readNumber(b, i, start)]
  return left.value - right.value || left.end - right.end || difference
}

/** Go's YAML sorts keys so that `a2` stands before `a10`, and letters behind all others. */
function compareKeys(left: string, right: string): number {
  const [a, b] = [[...left], [...right]]
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return compareAt(a, b, i)
  return a.length - b.length
}

const margin = (indent: number): string => ' '.repeat(indent)

function textScalar(text: string, place: Place): string {
  const style = scalarStyle(text, !place.folds)
  return style === 'literal' ? literalScalar(text, place.indent) : flowScalar(text, style, place)
}

function scalar(value: JsonValue, place: Place): string {
  if (typeof value === 'string') return textScalar(value.toWellFormed(), place)
  if (Array.isArray(value)) return '[]'
  const json = JSON.stringify(value)
  return /^[-0-9]/.test(json) ? numberScalar(json) : json
}

type Collection = { readonly list: readonly JsonValue[] } | { readonly map: JsonObject }

/** A list or a map with something in it: what takes lines of its own. */
function collectionOf(value: JsonValue): Collection | undefined {
  if (Array.isArray(value)) return value.length > 0 ? { list: value } : undefined
  if (value === null || typeof value !== 'object' || isRawNumber(value)) return undefined
  return Object.keys(value).length > 0 ? { map: value } : undefined
}

/** The lines of a list or map, the first of which begins where the cursor is. */
const block = (of: Collection, indent: number): string => ('list' in of ? listLines(of.list, indent) : mapLines(of.map, indent))

/** What stands behind an indicator (`- `) on the same line. */
function inline(value: JsonValue, indent: number): string {
  const inner = indent + 2
  const collection = collectionOf(value)
  return collection === undefined ? scalar(value, { column: inner, indent: inner, folds: true }) : block(collection, inner)
}

function listLines(items: readonly JsonValue[], indent: number): string {
  return items.map((item) => `- ${inline(item, indent)}`).join(`\n${margin(indent)}`)
}

function entry(key: string, value: JsonValue, indent: number): string {
  if (!isSimpleKey(key)) return `? ${inline(key, indent)}\n${margin(indent)}: ${inline(value, indent)}`
  const name = `${textScalar(key, { column: indent, indent: indent + 2, folds: false })}:`
  const collection = collectionOf(value)
  if (collection === undefined)
    return `${name} ${scalar(value, { column: indent + name.length + 1, indent: indent + 2, folds: true })}`
  const inner = 'list' in collection ? indent : indent + 2
  return `${name}\n${margin(inner)}${block(collection, inner)}`
}

function mapLines(map: JsonObject, indent: number): string {
  const keys = Object.keys(map).sort(compareKeys)
  return keys.map((key) => entry(key.toWellFormed(), map[key] ?? null, indent)).join(`\n${margin(indent)}`)
}

/** A value as YAML, with a newline behind it. */
export function renderYaml(value: JsonValue): string {
  const collection = collectionOf(value)
  return `${collection === undefined ? scalar(value, { column: 0, indent: 2, folds: true }) : block(collection, 0)}\n`
}
