/** JSON as Go writes it. */

import { structJson } from '../../go/json-sorted.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { escapeHtml } from '../../go/text.ts'

/**
 * A value as encoding/json writes it: on one line with a newline behind it, or indented by two spaces without one. Characters
 * that mean something in HTML are escaped.
 */
export function renderJson(value: JsonValue, pretty: boolean): string {
  return pretty ? escapeHtml(JSON.stringify(value, null, 2)) : `${structJson(value)}\n`
}
