/** Whole values, lists and watches in CBOR, made of the JSON that collections answer. Off unless CBORServingAndStorage is on. */
import { typeOf } from '../../catalog/catalogue.ts'
import { messageOf } from '../../catalog/messages.ts'
import { major } from '../../cbor/heads.ts'
import { ListSplitter } from '../../cbor/json-list.ts'
import { CborWriter, selfDescribed, writeCbor } from '../../cbor/write.ts'
import { parseJson } from '../../meta/json.ts'
import type { JsonObject, JsonValue } from '../../meta/json-value.ts'
import type { Type } from '../../schema/type.ts'

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')

/** The type of an object by what it says of itself; undefined for custom resources and Tables, whose strings are strings. */
function typeOfObject(value: JsonValue | undefined): Type | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { apiVersion, kind } = value as JsonObject
  const reference = messageOf(text(apiVersion), text(kind))
  return reference === undefined ? undefined : typeOf(reference)
}

/** The bytes of an object, a list, a Table or a Status. */
export function renderCbor(value: JsonValue): Uint8Array<ArrayBuffer> {
  return writeCbor(value, typeOfObject(value))
}

/** Above so many bytes a list is written while it comes, and does not tell beforehand how many objects it has. */
const largestWhole = 1024 * 1024

/** The type of the objects of a list: what a list of custom resources holds has none. */
function itemTypeOf(list: Type | undefined): Type | undefined {
  const items = list?.kind === 'struct' ? list.fields.get('items')?.type : undefined
  return items?.kind === 'list' ? items.element : undefined
}

class ListWriter {
  readonly #splitter = new ListSplitter()
  #itemType: Type | undefined

  /** What can be written of the list with these bytes of its JSON. */
  write(bytes: Uint8Array): Uint8Array {
    const writer = new CborWriter()
    for (const { part, text: json } of this.#splitter.push(bytes)) {
      const value = parseJson(json)
      if (part === 'head') this.#begin(writer, value as JsonObject)
      else writer.value(value, this.#itemType)
    }
    return writer.finish()
  }

  #begin(writer: CborWriter, head: JsonObject): void {
    const type = typeOfObject(head)
    this.#itemType = itemTypeOf(type)
    writer.raw(selfDescribed)
    writer.beginMap()
    const members = Object.entries(head)
    writer.members(members.slice(0, -1), type)
    writer.string(members.at(-1)?.[0] ?? '')
    writer.beginArray()
  }

  end(): Uint8Array {
    const writer = new CborWriter()
    writer.end()
    const { text: json } = this.#splitter.end()
    writer.members(Object.entries(parseJson(json) as JsonObject), undefined)
    writer.end()
    return writer.finish()
  }
}

/**
 * A list in CBOR of its JSON.
 * @param body is read as fast as the answer is
 */
export async function cborList(body: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  const reader = body.getReader()
  const first: Uint8Array[] = []
  for (let length = 0; length <= largestWhole; ) {
    const { done, value } = await reader.read()
    if (done) return renderCbor(parseJson(Buffer.concat(first).toString()))
    first.push(value)
    length += value.byteLength
  }
  const list = new ListWriter()
  return new ReadableStream({
    async pull(controller) {
      const next = first.shift()
      const { done, value } = next === undefined ? await reader.read() : { done: false, value: next }
      if (!done) return controller.enqueue(list.write(value ?? new Uint8Array()))
      controller.enqueue(list.end())
      controller.close()
    },
    cancel: (reason) => reader.cancel(reason),
  })
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
