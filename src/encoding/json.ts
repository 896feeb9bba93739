/** Writes JSON as Go's encoding/json does. */

import { structJson } from '../go/json-sorted.ts'
import type { JsonValue } from '../go/json-value.ts'
import { escapeHtml } from '../go/text.ts'

/**
 * Encodes a value as JSON. Characters that have a meaning in HTML are escaped.
 * @param pretty whether to indent by two spaces, without a newline at the end; otherwise the JSON is one line with a newline
 */
export function renderJson(value: JsonValue, pretty: boolean): string {
  return pretty ? escapeHtml(JSON.stringify(value, null, 2)) : `${structJson(value)}\n`
}
