/**
 * The list verb in protobuf. The length of a list stands before it, so every object is encoded and measured before the first
 * byte is sent. Most encoded objects are cached until they are sent; the others are encoded a second time.
 */
import type { Kind } from '../../catalog/kind.ts'
import type { ListOptions, Target } from '../../clusters/operation.ts'
import { type Body, protobufBody, Room } from '../../encoding/body.ts'
import { type EncodedObject, encodedObjectsOf, readEncoded, type Versions } from '../../encoding/encoded-objects.ts'
import { protobufViewOf } from '../../encoding/kind-views.ts'
import type { ProtobufView } from '../../encoding/protobuf-view.ts'
import type { View } from '../../encoding/view.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { nextSlice } from '../../meta/slices.ts'
import { envelopeAround } from '../../protobuf/envelope.ts'
import { encodedLength, encodeMessage, setVarint } from '../../protobuf/writer.ts'
import { joined } from '../../storage/shared-event.ts'
import type { Stored } from '../../storage/store.ts'
import type { Registry } from '../registry.ts'
import {
  countRead,
  countReturned,
  groupsOf,
  type Listing,
  listMetadata,
  nextKey,
  selectedChunks,
  selectedHeads,
  selectsByHeads,
  startList,
} from './pages.ts'

/** Bounds of one page, both when objects are measured and when they are sent: objects, and bytes. */
const pageObjects = 500
const pageBytes = 1024 * 1024

const encoder = new TextEncoder()

/** One list request. */
interface Reading {
  readonly registry: Registry
  readonly view: ProtobufView
  readonly listing: Listing
  /** The number by which the cache of encoded objects knows this request. */
  readonly number: number
}

const encodedOf = ({ registry, view, number }: Reading, versions: Versions): readonly EncodedObject[] =>
  readEncoded(registry.store, view, versions, number)

/** Objects by their versions, and the key of the last. */
type Part = Versions & { readonly lastKey: string }

/** Yields the parts of a list without a selector as resourceVersions, which take little memory even for many objects. */
function* allParts({ listing }: Reading): Generator<Part> {
  const { prefix } = listing.selected
  const { resourceVersion, limit } = listing.start
  let left = limit === 0 ? Number.POSITIVE_INFINITY : limit
  let size = pageObjects
  for (let after = listing.start.after; left > 0; ) {
    const page = listing.store.listVersions({ prefix, after, limit: Math.min(size, left), resourceVersion })
    const count = page.resourceVersions.length
    if (page.bytes > pageBytes && count > 1) {
      size = Math.max(1, Math.floor((count * pageBytes) / page.bytes / 2))
      continue
    }
    countRead(listing.selected, count)
    yield page
    if (!page.more) return
    after = page.lastKey
    left -= count
    size = Math.min(pageObjects, size * 2)
  }
}

async function* selectedParts({ listing }: Reading): AsyncGenerator<Part> {
  if (selectsByHeads(listing.selected)) {
    for await (const heads of selectedHeads(listing)) {
      const lastKey = heads.at(-1)?.key ?? ''
      for (const resourceVersions of groupsOf(heads)) yield { resourceVersions, lastKey }
    }
    return
  }
  for await (const items of selectedChunks(listing)) {
    yield { resourceVersions: items.map(({ resourceVersion }) => resourceVersion), lastKey: items.at(-1)?.key ?? '' }
  }
}

function partsOf(reading: Reading): Iterable<Part> | AsyncIterable<Part> {
  const { selected, only } = reading.listing
  if (only !== undefined) return [{ resourceVersions: only.map(({ resourceVersion }) => resourceVersion), lastKey: '' }]
  return selected.matches === undefined ? allParts(reading) : selectedParts(reading)
}

/** The objects of a list, and the bytes that each of them takes. */
interface Measured {
  readonly resourceVersions: readonly number[]
  readonly lengths: readonly number[]
  readonly lastKey: string | undefined
  /** The memory that was reserved, if the list is long. */
  readonly room: Room
}

/** Encodes and measures all objects of a list. Other requests get their turn between the parts. */
async function measure(reading: Reading): Promise<Measured> {
  const resourceVersions: number[] = []
  const lengths: number[] = []
  let lastKey: string | undefined
  const room = new Room()
  try {
    for await (const part of partsOf(reading)) {
      if (resourceVersions.length > 0) await nextSlice()
      for (const resourceVersion of part.resourceVersions) resourceVersions.push(resourceVersion)
      let read = 0
      for (const { start, end } of encodedOf(reading, part)) {
        read += end - start
        lengths.push(1 + encodedLength(end - start))
      }
      await room.read(read)
      if (part.lastKey !== '') lastKey = part.lastKey
    }
  } catch (error) {
    room.release()
    throw error
  }
  return { resourceVersions, lengths, lastKey, room }
}

/** Yields the resourceVersions of the objects that are sent in one chunk. */
function* groups({ resourceVersions, lengths }: Measured): Generator<readonly number[]> {
  for (let from = 0; from < resourceVersions.length; ) {
    let to = from
    for (let bytes = 0; to < resourceVersions.length && to - from < pageObjects && (bytes < pageBytes || to === from); to++) {
      bytes += lengths[to] ?? 0
    }
    yield resourceVersions.slice(from, to)
    from = to
  }
}

/** Writes objects as the items of a list message: tag, length, message. */
function objectBytes(view: ProtobufView, objects: readonly EncodedObject[]): Uint8Array {
  const page = new Uint8Array(objects.reduce((length, { start, end }) => length + 1 + encodedLength(end - start), 0))
  let at = 0
  for (const { bytes, start, end } of objects) {
    page[at++] = view.itemTag
    at = setVarint(page, at, end - start)
    page.set(bytes.subarray(start, end), at)
    at += end - start
  }
  return page
}

async function listBody(reading: Reading): Promise<Body> {
  const { view, listing } = reading
  const { selected, only } = listing
  const measured = await measure(reading)
  const { resourceVersions, lengths, lastKey, room } = measured
  countReturned(selected, resourceVersions.length)
  const next = only === undefined ? nextKey(listing, resourceVersions.length, lastKey) : undefined
  const metadata = listMetadata(listing, next)
  const { before, behind } = view.frame(metadata as unknown as JsonObject)
  const length = lengths.reduce((sum, each) => sum + each, 0)
  const { start, end } = envelopeAround(view.list, before.byteLength + length + behind.byteLength)
  const chunks = function* (): Generator<Uint8Array> {
    yield joined([start, before])
    for (const group of groups(measured)) yield objectBytes(view, encodedOf(reading, { resourceVersions: group }))
    yield joined([behind, end])
  }
  return protobufBody(chunks(), { room })
}

/** Writes a list of objects that a webhook has converted. In protobuf, custom resources exist only as PartialObjectMetadata. */
async function convertedList(view: ProtobufView, listing: Listing): Promise<Body> {
  const { selected, only } = listing
  const encoded = ({ value }: Stored): EncodedObject => {
    const bytes = encodeMessage((writer) => view.write(writer, encoder.encode(value), 0))
    return { bytes, start: 0, end: bytes.byteLength }
  }
  const objects: EncodedObject[] = (only ?? []).map(encoded)
  let last: string | undefined
  if (only === undefined) {
    for await (const items of selectedChunks(listing)) {
      for (const item of items) objects.push(encoded(item))
      last = items.at(-1)?.key ?? last
    }
  }
  countReturned(selected, objects.length)
  const next = nextKey(listing, objects.length, last)
  const metadata = listMetadata(listing, next)
  const { before, behind } = view.frame(metadata as unknown as JsonObject)
  const content = objectBytes(view, objects)
  const around = envelopeAround(view.list, before.byteLength + content.byteLength + behind.byteLength)
  return protobufBody([joined([around.start, before, content, behind, around.end])].values())
}

/**
 * Lists a collection as protobuf.
 * @throws ApiError as `list` does
 */
export async function protobufList(
  registry: Registry,
  kind: Kind,
  target: Target,
  options: ListOptions,
  representation: View | undefined,
): Promise<Body> {
  const listing = await startList(registry, kind, target, options)
  const view = protobufViewOf(kind.asStored(), representation, 'list')
  if (kind.conversion?.remote !== undefined) return convertedList(view, listing)
  return listBody({ registry, view, listing, number: encodedObjectsOf(registry.store).beginReading() })
}
