/**
 * Lists in protobuf. The length of a list stands before it, so every object is encoded and measured before the first byte is sent.
 * Most encoded objects are cached until they are sent; the others are encoded a second time.
 */
import type { JsonObject } from '../go/json-value.ts'
import { nextSlice } from '../meta/slices.ts'
import { envelopeAround } from '../protobuf/envelope.ts'
import { encodedLength, encodeMessage, setVarint } from '../protobuf/writer.ts'
import { joined } from '../storage/shared-event.ts'
import type { Stored } from '../storage/store.ts'
import { type Body, protobufBody, Room } from './body.ts'
import { type EncodedObject, encodedObjectsOf, readEncoded, type Versions } from './encoded-objects.ts'
import type { ListMetadata } from './json-view.ts'
import { protobufViewOf } from './kind-views.ts'
import { groupsOf, type ListWriter, type Part, type Reads, type WrittenList } from './list-writer.ts'
import type { ProtobufView } from './protobuf-view.ts'

/** Bounds of one chunk. */
const chunkObjects = 500
const chunkBytes = 1024 * 1024

const encoder = new TextEncoder()

const itemLength = ({ start, end }: EncodedObject): number => 1 + encodedLength(end - start)

/** Writes objects as the items of a list message: tag, length, message. */
function itemBytes(view: ProtobufView, objects: readonly EncodedObject[]): Uint8Array {
  const page = new Uint8Array(objects.reduce((length, object) => length + itemLength(object), 0))
  let at = 0
  for (const { bytes, start, end } of objects) {
    page[at++] = view.itemTag
    at = setVarint(page, at, end - start)
    page.set(bytes.subarray(start, end), at)
    at += end - start
  }
  return page
}

/** Returns the versions of a part, in groups that are encoded together. */
function* versionsOf(part: Part): Generator<Versions> {
  if (part.read === 'versions') yield part
  else if (part.read === 'heads') for (const resourceVersions of groupsOf(part.heads)) yield { resourceVersions }
  else if (part.read === 'objects') yield { resourceVersions: part.objects.map(({ resourceVersion }) => resourceVersion) }
}

/** Writes one list. */
class ProtobufListWriter implements ListWriter {
  readonly isMeasured = true
  readonly reads: Reads = { part: 'versions' }
  readonly #list: WrittenList
  readonly #view: ProtobufView
  /** The number by which the cache of encoded objects knows this list. */
  readonly #reading: number
  readonly #room = new Room()
  readonly #resourceVersions: number[] = []
  readonly #lengths: number[] = []
  /** Objects that a webhook has converted, which cannot be read again by their versions. */
  readonly #converted: EncodedObject[] = []

  constructor(list: WrittenList) {
    this.#list = list
    this.#view = protobufViewOf(list.kind, list.view, 'list')
    this.#reading = encodedObjectsOf(list.collection.store).beginReading()
  }

  /** Encodes and measures all objects. Other requests get their turn between the parts. */
  async collect(parts: AsyncIterable<Part> | Iterable<Part>): Promise<void> {
    try {
      for await (const part of parts) {
        if (part.read === 'objects' && this.#list.selection === 'converted') await this.#convert(part.objects)
        else for (const versions of versionsOf(part)) await this.#measure(versions)
      }
    } catch (error) {
      this.#room.release()
      throw error
    }
  }

  async #measure(versions: Versions): Promise<void> {
    if (this.#lengths.length > 0) await nextSlice()
    for (const resourceVersion of versions.resourceVersions) this.#resourceVersions.push(resourceVersion)
    await this.#add(this.#encoded(versions))
  }

  async #convert(objects: readonly Stored[]): Promise<void> {
    const encoded = objects.map(({ value }): EncodedObject => {
      const bytes = encodeMessage((writer) => this.#view.write(writer, encoder.encode(value), 0))
      return { bytes, start: 0, end: bytes.byteLength }
    })
    for (const object of encoded) this.#converted.push(object)
    await this.#add(encoded)
  }

  async #add(objects: readonly EncodedObject[]): Promise<void> {
    let read = 0
    for (const object of objects) {
      read += object.end - object.start
      this.#lengths.push(itemLength(object))
    }
    await this.#room.read(read)
  }

  #encoded(versions: Versions): readonly EncodedObject[] {
    return readEncoded(this.#list.collection.store, this.#view, versions, this.#reading)
  }

  body(metadata: ListMetadata): Promise<Body> {
    const { before, behind } = this.#view.frame(metadata as unknown as JsonObject)
    const length = this.#lengths.reduce((sum, each) => sum + each, 0)
    const { start, end } = envelopeAround(this.#view.list, before.byteLength + length + behind.byteLength)
    return protobufBody(this.#chunks(joined([start, before]), joined([behind, end])), { room: this.#room })
  }

  *#chunks(head: Uint8Array, end: Uint8Array): Generator<Uint8Array> {
    yield head
    for (const { from, to } of this.#groups()) {
      const isConverted = this.#list.selection === 'converted'
      const objects = isConverted
        ? this.#converted.slice(from, to)
        : this.#encoded({ resourceVersions: this.#resourceVersions.slice(from, to) })
      yield itemBytes(this.#view, objects)
    }
    yield end
  }

  /** Yields the ranges of objects that are sent in one chunk. */
  *#groups(): Generator<{ readonly from: number; readonly to: number }> {
    const lengths = this.#lengths
    for (let from = 0; from < lengths.length; ) {
      let to = from
      for (let bytes = 0; to < lengths.length && to - from < chunkObjects && (bytes < chunkBytes || to === from); to++) {
        bytes += lengths[to] ?? 0
      }
      yield { from, to }
      from = to
    }
  }
}

/**
 * Returns the writer of a list in protobuf.
 * @throws ApiError 406 for a view that lists do not have
 */
export const protobufListWriter = (list: WrittenList): ListWriter => new ProtobufListWriter(list)
