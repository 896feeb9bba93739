/** Whole values and watches in CBOR, made of the JSON that collections answer. Off unless CBORServingAndStorage is on. */

import { messageOf } from '../../catalog/protobuf-messages.ts'
import { typeOf } from '../../catalog/scheme.ts'
import { major } from '../../cbor/heads.ts'
import { CborWriter, selfDescribed, writeCbor } from '../../cbor/write.ts'
import { parseJson } from '../../go/json.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import type { Type } from '../../schema/type.ts'

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')

/** The type of an object by what it says of itself; undefined for custom resources and Tables, whose strings are strings. */
export function typeOfObject(value: JsonValue | undefined): Type | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { apiVersion, kind } = value as JsonObject
  const reference = messageOf(text(apiVersion), text(kind))
  return reference === undefined ? undefined : typeOf(reference)
}

/** The bytes of an object, a list, a Table or a Status. */
export function renderCbor(value: JsonValue): Uint8Array<ArrayBuffer> {
  return writeCbor(value, typeOfObject(value))
}

const newline = 0x0a

/** An event of a watch; it and its object are each marked as CBOR. */
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

/** A watch in CBOR, a sequence (RFC 8742), of its lines of JSON. Empty lines, which keep a connection alive, are left out. */
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
