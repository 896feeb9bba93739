/** JSON as Go writes it. */
import type { JsonValue } from '../../meta/json-value.ts'

const escapes = new Map([
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
])

/**
 * A value as encoding/json writes it: on one line with a newline behind it, or indented by two spaces without one. Characters
 * that mean something in HTML are escaped. Keys stay in their order.
 */
export function renderJson(value: JsonValue, pretty: boolean): string {
  const text = pretty ? JSON.stringify(value, null, 2) : `${JSON.stringify(value)}\n`
  return text.replace(/[<>&\u2028\u2029]/g, (character) => escapes.get(character) ?? character)
}
