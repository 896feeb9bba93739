/** Objects in audit events: JSON on one line, bounded, without managedFields if the policy omits them. */

import { parseJson, stringify } from '../../go/json.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'

/** Larger objects are left out, because they would have to be in memory. */
export const maximumObjectBytes = 1024 * 1024

const decoder = new TextDecoder()

/** Reads a body as text. Returns undefined as soon as it exceeds the bound; the rest is not read. */
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

/** Removes the managedFields of an object, of a list's items, or of the objects in a Table's rows. */
function withoutManagedFields(value: JsonObject): JsonObject {
  dropManagedFields(value)
  if (Array.isArray(value.items)) value.items.forEach(dropManagedFields)
  if (Array.isArray(value.rows)) for (const row of value.rows) if (isObject(row)) dropManagedFields(row.object)
  return value
}

/**
 * Converts the JSON text of an object to the form of audit events.
 * @param text JSON that this server has written
 * @returns undefined if the text is not an object
 */
export function recorded(text: string, omitManagedFields: boolean): string | undefined {
  const trimmed = text.trim()
  if (!trimmed.startsWith('{')) return undefined
  if (!omitManagedFields && !trimmed.includes('\n')) return trimmed
  const value = parseJson(trimmed)
  if (!isObject(value)) return undefined
  return stringify(omitManagedFields ? withoutManagedFields(value) : value)
}
