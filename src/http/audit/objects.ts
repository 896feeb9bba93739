/** Objects as the audit log holds them: JSON on one line, within a bound, without managedFields where these are not wanted. */

import { parseJson, stringify } from '../../go/json.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'

/** Larger objects are left out: they would be held in memory. */
export const maximumObjectBytes = 1024 * 1024

const decoder = new TextDecoder()

/** The text of a body; undefined where it is larger than the bound, and is then not read to its end. */
export async function readText(body: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > maximumObjectBytes) return undefined
    chunks.push(chunk)
  }
  return decoder.decode(Buffer.concat(chunks))
}

function dropManagedFields(object: JsonValue | undefined): void {
  if (isObject(object) && isObject(object.metadata)) delete object.metadata.managedFields
}

/** Of an object, of the items of a list, or of the rows of a Table. */
function withoutManagedFields(value: JsonObject): JsonObject {
  dropManagedFields(value)
  if (Array.isArray(value.items)) value.items.forEach(dropManagedFields)
  if (Array.isArray(value.rows)) for (const row of value.rows) if (isObject(row)) dropManagedFields(row.object)
  return value
}

/**
 * @param text JSON of the server's own making
 * @returns undefined for what is no object
 */
export function recorded(text: string, omitManagedFields: boolean): string | undefined {
  const trimmed = text.trim()
  if (!trimmed.startsWith('{')) return undefined
  if (!omitManagedFields && !trimmed.includes('\n')) return trimmed
  const value = parseJson(trimmed)
  if (!isObject(value)) return undefined
  return stringify(omitManagedFields ? withoutManagedFields(value) : value)
}
