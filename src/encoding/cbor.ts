/** Encodes whole values and watch events as CBOR, from the JSON of collections. Used only if CBORServingAndStorage is enabled. */

import { messageOf } from '../catalog/protobuf-messages.ts'
import { typeOf } from '../catalog/scheme.ts'
import { major } from '../cbor/heads.ts'
import { CborWriter, selfDescribed, writeCbor } from '../cbor/write.ts'
import { parseJson } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { Type } from '../schema/type.ts'

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')

/**
 * Returns the type of an object by its apiVersion and kind. Undefined for custom resources and Tables, whose strings never stand
 * for bytes.
 */
export function typeOfObject(value: JsonValue | undefined): Type | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { apiVersion, kind } = value as JsonObject
  const reference = messageOf(text(apiVersion), text(kind))
  return reference === undefined ? undefined : typeOf(reference)
}

/** Encodes an object, a list, a Table or a Status as CBOR. */
export function renderCbor(value: JsonValue): Uint8Array<ArrayBuffer> {
  return writeCbor(value, typeOfObject(value))
}

const newline = 0x0a

/** Encodes one watch event. The event and the object in it each begin with the self-described CBOR tag. */
function eventBytes(line: string): Uint8Array {
  const { type, object } = parseJson(line) as { type: string; object: JsonValue }
  const writer = new CborWriter()
  writer.raw(selfDescribed)
  writer.head(major.map, 2)
  writer.string('type')
  writer.string(type)
  writer.string('object')
  writer.raw(renderCbor(object))
  return writer.finish()
}

/**
 * Converts a watch from lines of JSON to a CBOR sequence (RFC 8742). Empty lines, which keep a connection alive, are left out.
 */
export function cborEvents(lines: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let kept: Uint8Array[] = []
  return lines.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        let start = 0
        for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
          const line = Buffer.concat([...kept, chunk.subarray(start, end)]).toString()
          kept = []
          start = end + 1
          if (line.trim() !== '') controller.enqueue(eventBytes(line))
        }
        if (start < chunk.byteLength) kept.push(chunk.slice(start))
      },
    }),
  )
}
