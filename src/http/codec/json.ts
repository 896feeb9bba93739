/** JSON as Go writes it. */
import { structJson } from '../../meta/json-sorted.ts'
import type { JsonValue } from '../../meta/json-value.ts'

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g

/** JSON on one line, indented by two spaces. Numbers and the order of keys stay as they are written. */
export function indented(text: string): string {
  let result = ''
  let margin = '\n'
  let isEmpty = false
  for (const [token] of text.matchAll(TOKENS)) {
    const closes = token === '}' || token === ']'
    if (closes) margin = margin.slice(0, -2)
    if (closes ? !isEmpty : isEmpty) result += margin
    isEmpty = token === '{' || token === '['
    if (isEmpty) margin += '  '
    result += token === ':' ? ': ' : token === ',' ? `,${margin}` : token
  }
  return result
}

/**
 * A value as encoding/json writes it: on one line with a newline behind it, or indented by two spaces without one. Characters
 * that mean something in HTML are escaped.
 */
export function renderJson(value: JsonValue, pretty: boolean): string {
  const text = structJson(value)
  return pretty ? indented(text) : `${text}\n`
}
