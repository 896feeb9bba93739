/** Converts a list from JSON to CBOR object by object, while the JSON arrives, and in slices. */
import { CborWriter, selfDescribed } from '../cbor/write.ts'
import { parseJson } from '../go/json.ts'
import type { JsonObject } from '../go/json-value.ts'
import { nextSlice, Slicer } from '../meta/slices.ts'
import type { Type } from '../schema/type.ts'
import { renderCbor, typeOfObject } from './cbor.ts'
import { ListItems, type ListPart } from './list-items.ts'

/** Up to so many bytes, a list is converted as a whole. A longer one is streamed, as an array of indefinite length. */
const largestWhole = 1024 * 1024

/** The characters of JSON that are read and written as CBOR in one slice, about 5 ms. */
const cborSlice = 512 * 1024

/** Returns the type of a list's objects; undefined for a list of custom resources, which has no compiled type. */
function itemTypeOf(list: Type | undefined): Type | undefined {
  const items = list?.kind === 'struct' ? list.fields.get('items')?.type : undefined
  return items?.kind === 'list' ? items.element : undefined
}

/** Writes one list as CBOR from its parts. */
class ListWriter {
  #head = ''
  /** Number of the list's fields up to and including `items`. */
  #leading = 0
  #itemType: Type | undefined

  write(part: ListPart): Uint8Array {
    const writer = new CborWriter()
    if (part.kind === 'head') this.#begin(writer, part.text)
    else if (part.kind === 'item') writer.value(parseJson(part.text), this.#itemType)
    else if (this.#leading === 0) return renderCbor(parseJson(part.text))
    else {
      writer.end()
      const members = Object.entries(parseJson(this.#head + part.text) as JsonObject)
      writer.members(members.slice(this.#leading), undefined)
      writer.end()
    }
    return writer.finish()
  }

  #begin(writer: CborWriter, text: string): void {
    this.#head = text
    const head = parseJson(`${text}]}`) as JsonObject
    const type = typeOfObject(head)
    this.#itemType = itemTypeOf(type)
    writer.raw(selfDescribed)
    writer.beginMap()
    const members = Object.entries(head)
    this.#leading = members.length
    writer.members(members.slice(0, -1), type)
    writer.string(members.at(-1)?.[0] ?? '')
    writer.beginArray()
  }
}

/** Yields the CBOR of a list. If the JSON is a Status instead of a list, yields the CBOR of the Status. */
export async function* cborListChunks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const items = new ListItems()
  const writer = new ListWriter()
  const slicer = new Slicer(cborSlice)
  const unread: Uint8Array[] = []
  let length = 0
  for await (const bytes of source) {
    unread.push(bytes)
    length += bytes.byteLength
    if (length <= largestWhole) continue
    for (const each of unread.splice(0)) {
      for (const part of items.write(each)) {
        yield writer.write(part)
        if (slicer.due(part.text.length)) await nextSlice()
      }
    }
  }
  yield length <= largestWhole ? renderCbor(parseJson(Buffer.concat(unread).toString())) : writer.write(items.end())
}
