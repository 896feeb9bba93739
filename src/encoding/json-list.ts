/** Lists in JSON, streamed from the first object on. */
import { freeBuffer } from '../meta/free-buffer.ts'
import { nextSlice, Slicer } from '../meta/slices.ts'
import type { Head, Store, Stored } from '../storage/store.ts'
import { type Body, type Making, Room, streamBody, textBody } from './body.ts'
import { itemsText, type JsonView, joinedItems, type ListMetadata } from './json-view.ts'
import { jsonViewOf } from './kind-views.ts'
import { groupsByLength, groupsOf, type ListWriter, type Part, type Reads, type WrittenList } from './list-writer.ts'

const encoder = new TextEncoder()

/** Bytes or characters of objects that are held in memory. */
const heldLength = 2 * 1024 * 1024

/** Bytes of values that are scanned in a few milliseconds. */
const slice = 1024 * 1024

/** The objects of a list that were collected before it is written. They are dropped if they are too long in all. */
export class HeldObjects {
  readonly #objects: Stored[] = []
  readonly #resourceVersions: number[] = []
  #joined: Uint8Array | undefined
  #length = 0

  add(part: Part): void {
    if (part.read === 'joined') this.#joined = part.bytes
    else if (part.read === 'objects')
      this.#hold(
        this.#objects,
        part.objects,
        sum(part.objects, ({ value }) => value.length),
      )
    else if (part.read === 'versions') this.#hold(this.#resourceVersions, part.resourceVersions, part.bytes)
    else
      this.#hold(
        this.#resourceVersions,
        part.heads.map(versionOf),
        sum(part.heads, ({ bytes }) => bytes),
      )
  }

  #hold<T>(held: T[], added: readonly T[], length: number): void {
    this.#length += length
    if (this.#length <= heldLength) held.push(...added)
    else held.length = 0
  }

  /** The values as SQLite joined them, if the whole list was one page. */
  get joined(): Uint8Array | undefined {
    return this.#joined
  }

  /** Returns the objects; undefined if they were too long. */
  objects(store: Store): readonly Stored[] | undefined {
    if (this.#length > heldLength) return undefined
    return this.#resourceVersions.length === 0 ? this.#objects : store.objectsOf(this.#resourceVersions)
  }
}

const versionOf = ({ resourceVersion }: Head): number => resourceVersion
const sum = <T>(all: readonly T[], lengthOf: (each: T) => number): number =>
  all.reduce((length, each) => length + lengthOf(each), 0)

/** Writes one list. */
class JsonListWriter implements ListWriter {
  readonly isMeasured = false
  readonly reads: Reads
  readonly #list: WrittenList
  readonly #view: JsonView
  /** The writer of long values as bytes; undefined if the view or the selection needs their text. */
  readonly #longItem: JsonView['longItem']
  #held: HeldObjects | undefined

  constructor(list: WrittenList, held: HeldObjects | undefined) {
    this.#list = list
    this.#held = held
    this.#view = jsonViewOf(list.kind, list.view, 'list', list.collection.now)
    const { item, longItem, sorted } = this.#view
    this.#longItem = list.selection === 'unread' ? longItem : undefined
    if (typeof item !== 'function' && sorted === undefined) this.reads = { part: 'joined', beginning: item.beginning }
    else this.reads = { part: this.#longItem !== undefined && sorted === undefined ? 'heads' : 'objects' }
  }

  async collect(parts: AsyncIterable<Part> | Iterable<Part>): Promise<void> {
    const held = new HeldObjects()
    this.#held = held
    for await (const part of parts) held.add(part)
  }

  async body(metadata: ListMetadata, again: (room: Room | undefined) => AsyncIterable<Part>): Promise<Body> {
    const frame = this.#view.list(metadata)
    if (this.#held?.joined !== undefined) return this.#joinedBody(frame, this.#held.joined)
    const objects = this.#held?.objects(this.#list.collection.store)
    if (objects !== undefined) return textBody(`${frame.head}${itemsText(this.#view, objects)}${frame.end}\n`)
    const making = this.#making()
    return streamBody(this.#chunks(frame, again(making.room), making.room), making)
  }

  /** Returns the memory that a list made page by page needs. */
  #making(): Making {
    const { selection, converted } = this.#list
    const isJoined = this.reads.part === 'joined' && selection === 'unread'
    const madeOf = this.#longItem === undefined || converted === 'texts' ? 'texts' : 'bytes'
    return { room: converted === 'texts' || !isJoined ? new Room(madeOf) : undefined, relayed: converted !== undefined }
  }

  #joinedBody({ head, end }: ListFrame, bytes: Uint8Array): Promise<Body> {
    // A stream frees the buffer of a page some chunks later: the end is split into chunks so that this happens before it closes.
    const ends = [']', end, '\n'].map((text) => encoder.encode(text))
    return streamBody([encoder.encode(`${head}[`), bytes, ...ends].values(), {
      bytes: bytes.byteLength,
      relayed: this.#list.converted !== undefined,
    })
  }

  /** Yields the whole list as bytes, with commas between the pages. Holds one page in memory at a time. */
  async *#chunks({ head, end }: ListFrame, parts: AsyncIterable<Part>, room: Room | undefined): AsyncGenerator<Uint8Array> {
    yield encoder.encode(head)
    let before = '['
    for await (const page of this.#pages(parts, room)) {
      yield encoder.encode(before)
      yield page
      before = ','
    }
    yield encoder.encode(`${before === '[' ? this.#view.emptyList : ']'}${end}\n`)
  }

  /** Yields non-empty pages of objects as they stand in the list, without the commas between pages. */
  async *#pages(parts: AsyncIterable<Part>, room: Room | undefined): AsyncGenerator<Uint8Array> {
    const { item, sorted } = this.#view
    const { store } = this.#list.collection
    const slicer = new Slicer(slice)
    const all: Stored[] = []
    for await (const part of parts) {
      if (part.read === 'joined') yield part.bytes
      else if (part.read === 'objects' && sorted !== undefined) all.push(...part.objects)
      else if (part.read === 'objects') yield encoder.encode(joinedItems(this.#view, part.objects))
      else if (part.read === 'heads' && typeof item !== 'function') {
        for (const group of groupsOf(part.heads)) yield store.joinedOf(group, item.beginning)
      } else if (part.read === 'heads') yield* this.#pagesByLength(part.heads, slicer, room)
    }
    if (all.length > 0) yield encoder.encode(joinedItems(this.#view, all))
  }

  /** Yields pages of which long values are scanned as bytes. Other requests get their turn between the pages. */
  async *#pagesByLength(heads: readonly Head[], slicer: Slicer, room: Room | undefined): AsyncGenerator<Uint8Array> {
    const { store } = this.#list.collection
    for (const { group, isLong } of groupsByLength(heads)) {
      const versions = group.map(versionOf)
      const length = sum(group, ({ bytes }) => bytes)
      if (isLong && this.#longItem !== undefined) {
        const value = store.joinedOf(versions, '{')
        const page = this.#longItem(value)
        freeBuffer(value.buffer)
        yield page
      } else {
        await room?.read(length)
        yield encoder.encode(joinedItems(this.#view, store.objectsOf(versions)))
      }
      if (slicer.due(length)) await nextSlice()
    }
  }
}

type ListFrame = ReturnType<JsonView['list']>

/**
 * Returns the writer of a list in JSON.
 * @param held objects that were collected before
 * @throws ApiError 400 for invalid Table options, 406 for a view that lists do not have
 */
export const jsonListWriter = (list: WrittenList, held?: HeldObjects): ListWriter => new JsonListWriter(list, held)
