/** Formats JSON values with Go's fmt verbs: kube-apiserver's messages contain parts of patches. */

import { isGoInteger, isRawNumber } from './json.ts'
import { isObject } from './json-object.ts'
import type { JsonObject, JsonValue } from './json-value.ts'
import { compareText, goQuote } from './text.ts'

/** A Go value that JSON does not have, as messages show it. */
export interface GoValue {
  /** The Go type: `[]uint8`. */
  readonly type: string
  /** The value formatted with `%v`. */
  readonly printed: string
  /** The value formatted with `%#v`. */
  readonly syntax: string
}

/** Formats a float64 with `%v`: the shortest digits, with an exponent below 1e-4 and from 1e6 on. */
export function goFloat(value: number): string {
  const magnitude = Math.abs(value)
  if (magnitude === 0 || (magnitude >= 1e-4 && magnitude < 1e6)) return String(value)
  const [digits, exponent = ''] = value.toExponential().split('e')
  const sign = exponent.startsWith('-') ? '-' : '+'
  return `${digits}e${sign}${exponent.replace(/^[-+]/, '').padStart(2, '0')}`
}

function printMap(object: JsonObject): string {
  const keys = Object.keys(object).sort(compareText)
  return `map[${keys.map((key) => `${key}:${goPrint(object[key] ?? null)}`).join(' ')}]`
}

/** Formats a value with `%v`: `map[a:1 b:[x <nil>]]`. Keys are sorted, texts have no quotes. */
export function goPrint(value: JsonValue): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goPrint).join(' ')}]`
  if (isRawNumber(value)) return isGoInteger(value) ? value.rawJSON : goFloat(Number(value.rawJSON))
  if (isObject(value)) return printMap(value)
  return typeof value === 'number' && !isGoInteger(value) ? goFloat(value) : String(value)
}

/** Returns the Go type of a JSON value in an interface: `map[string]interface {}`, `int64`. */
export function goTypeOf(value: JsonValue): string {
  if (value === null) return '%!s(<nil>)'
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number' || isRawNumber(value)) return isGoInteger(value) ? 'int64' : 'float64'
  return 'map[string]interface {}'
}

/** Formats a value with `%s`, which marks values that are not texts: `%!s(int64=5)`. */
export function goPrintText(value: JsonValue): string {
  if (typeof value === 'string') return value
  if (value === null) return '%!s(<nil>)'
  return typeof value === 'object' ? goPrint(value) : `%!s(${goTypeOf(value)}=${goPrint(value)})`
}

/** Formats a value with `%#v`, as Go syntax: `map[string]interface {}{"a":[]interface {}{1, "x"}}`. */
export function goSyntax(value: JsonValue): string {
  if (value === null) return 'interface {}(nil)'
  if (typeof value === 'string') return goQuote(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (!isObject(value)) return goPrint(value)
  const keys = Object.keys(value).sort(compareText)
  return `map[string]interface {}{${keys.map((key) => `${goQuote(key)}:${goSyntax(value[key] ?? null)}`).join(', ')}}`
}
