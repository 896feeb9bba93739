/** The list verb: one consistent state of a collection, streamed page by page. */
import type { Kind } from '../../catalog/kind.ts'
import type { ListFrame } from '../../catalog/object-codec.ts'
import type { ListOptions, Target } from '../../clusters/operation.ts'
import type { AnswerFields } from '../../encoding/answer-fields.ts'
import { type Body, type Making, Room, streamBody, textBody } from '../../encoding/body.ts'
import { itemsText, type JsonView, joinedItems } from '../../encoding/json-view.ts'
import { jsonViewOf } from '../../encoding/kind-views.ts'
import { ApiError } from '../../meta/errors.ts'
import { freeBuffer } from '../../meta/free-buffer.ts'
import { nextSlice, Slicer } from '../../meta/slices.ts'
import type { Stored } from '../../storage/store.ts'
import { requireReadable } from '../readable.ts'
import type { Registry } from '../registry.ts'
import { isFailedConversion, notInitialized } from '../versions.ts'
import {
  countRead,
  countReturned,
  groupsByLength,
  groupsOf,
  type ListRange,
  type ListSelection,
  listMetadata,
  selectedChunks,
  selectedHeads,
  selectsByHeads,
  startList,
  type Taken,
  take,
} from './pages.ts'

/** Rows that SQLite joins into one page of the response. */
const pageRows = 500

const encoder = new TextEncoder()

/** One list as JSON: the objects it reads, and the view in which it writes them. */
export interface ListRequest extends ListRange {
  readonly view: JsonView
  readonly converted: AnswerFields['converted']
}

/**
 * Returns the text of a list before and after its items.
 * @param next the key after which the list continues; undefined at its end
 */
function frameOf(request: ListRequest, next: string | undefined): ListFrame {
  return request.view.list(listMetadata(request, next))
}

/**
 * Writes a list of at most `limit` objects. The metadata with the continue token stands before the items, so the last item is
 * searched first.
 */
async function limited(request: ListRequest): Promise<Body> {
  return joinedPage(request) ?? takenBody(request, await take(request))
}

/** Returns the memory that a list made page by page needs. */
function makingOf({ view, selected, converted }: ListRequest): Making {
  const isJoined = typeof view.item !== 'function' && selectsUnread(selected)
  const madeOf = longItemOf(view, selected) === undefined || converted === 'texts' ? 'texts' : 'bytes'
  return { room: converted === 'texts' || !isJoined ? new Room(madeOf) : undefined, relayed: converted !== undefined }
}

/** Whether the selection can be decided without reading values. */
const selectsUnread = (selected: ListSelection): boolean => isWhole(selected) || selectsByHeads(selected)

/** Returns the writer of long values as bytes; undefined if the view or the selection needs their text. */
const longItemOf = ({ longItem }: JsonView, selected: ListSelection): JsonView['longItem'] =>
  selectsUnread(selected) ? longItem : undefined

/** Whether all objects are listed as they are stored: no selector, no conversion webhook. */
const isWhole = ({ matches, remote }: ListSelection): boolean => matches === undefined && remote === undefined

/** Writes the list of the objects that `take` found. If they were too long to be kept in memory, they are read again. */
export async function takenBody(request: ListRequest, { items, next }: Taken): Promise<Body> {
  const frame = frameOf(request, next)
  return items === undefined ? streamed(request, frame) : itemsBody(request, frame, items)
}

/** Writes objects that are in memory. */
function itemsBody({ view, selected }: ListRequest, { head, end }: ListFrame, items: readonly Stored[]): Body {
  countReturned(selected, items.length)
  return textBody(`${head}${itemsText(view, items)}${end}\n`)
}

/**
 * Writes the same list from bytes that SQLite joined. Undefined if the objects are not sent as they are stored, or if they do
 * not fit into one page of the store.
 */
function joinedPage(request: ListRequest): Promise<Body> | undefined {
  const { store, selected, converted } = request
  const { after, limit, resourceVersion } = request.start
  const { item } = request.view
  if (!isWhole(selected) || typeof item === 'function' || limit > pageRows) return undefined
  const page = store.listJoined({ prefix: selected.prefix, after, limit, resourceVersion }, item.beginning)
  if (page.count === 0 || (page.more && page.count < limit)) return undefined
  countRead(selected, page.count)
  countReturned(selected, page.count)
  const next = page.more ? page.lastKey : undefined
  const frame = frameOf(request, next)
  // A stream frees the buffer of a page some chunks later: the end is split into chunks so that this happens before it closes.
  const ends = [']', frame.end, '\n'].map((end) => encoder.encode(end))
  return streamBody([encoder.encode(`${frame.head}[`), page.bytes, ...ends].values(), {
    bytes: page.bytes.byteLength,
    relayed: converted !== undefined,
  })
}

/** Bytes of values that are scanned in a few milliseconds. */
const slice = 1024 * 1024

/** Yields pages of a view that scans long values as bytes. Other requests get their turn between the pages. */
async function* pagesByLength(
  request: ListRequest,
  longItem: NonNullable<JsonView['longItem']>,
  room: Room | undefined,
): AsyncGenerator<Uint8Array> {
  const { store, view, selected } = request
  const slicer = new Slicer(slice)
  for await (const heads of selectedHeads(request)) {
    countReturned(selected, heads.length)
    for (const { group, isLong } of groupsByLength(heads)) {
      const versions = group.map(({ resourceVersion }) => resourceVersion)
      const length = group.reduce((sum, { bytes }) => sum + bytes, 0)
      if (isLong) {
        const value = store.joinedOf(versions, '{')
        const page = longItem(value)
        freeBuffer(value.buffer)
        yield page
      } else {
        if (room !== undefined) await room.read(length)
        yield encoder.encode(joinedItems(view, store.objectsOf(versions)))
      }
      if (slicer.due(length)) await nextSlice()
    }
  }
}

/** Yields non-empty pages of objects as they stand in the list, without the commas between pages. */
async function* itemPages(request: ListRequest, room: Room | undefined): AsyncGenerator<Uint8Array> {
  const { store, view, selected, start } = request
  const { item } = view
  if (view.sorted !== undefined) {
    const all: Stored[] = []
    for await (const items of selectedChunks(request, room)) all.push(...items)
    countReturned(selected, all.length)
    if (all.length > 0) yield encoder.encode(joinedItems(view, all))
    return
  }
  if (typeof item !== 'function' && selectsByHeads(selected)) {
    for await (const heads of selectedHeads(request)) {
      countReturned(selected, heads.length)
      for (const group of groupsOf(heads)) yield store.joinedOf(group, item.beginning)
    }
    return
  }
  if (isWhole(selected) && typeof item !== 'function') {
    const { resourceVersion } = start
    let left = start.limit === 0 ? Number.POSITIVE_INFINITY : start.limit
    for (let after = start.after; left > 0; ) {
      const limit = Math.min(pageRows, left)
      const page = store.listJoined({ prefix: selected.prefix, after, limit, resourceVersion }, item.beginning)
      countRead(selected, page.count)
      countReturned(selected, page.count)
      if (page.count > 0) yield page.bytes
      if (!page.more) return
      after = page.lastKey
      left -= page.count
    }
    return
  }
  const longItem = longItemOf(view, selected)
  if (longItem !== undefined) {
    yield* pagesByLength(request, longItem, room)
    return
  }
  for await (const items of selectedChunks(request, room)) {
    countReturned(selected, items.length)
    if (items.length > 0) yield encoder.encode(joinedItems(view, items))
  }
}

/** Yields the whole list as bytes, with commas between the pages. Holds one page in memory at a time. */
async function* pages(request: ListRequest, { head, end }: ListFrame, room: Room | undefined): AsyncGenerator<Uint8Array> {
  yield encoder.encode(head)
  let before = '['
  for await (const page of itemPages(request, room)) {
    yield encoder.encode(before)
    yield page
    before = ','
  }
  yield encoder.encode(`${before === '[' ? request.view.emptyList : ']'}${end}\n`)
}

/** Streams the whole list, read page by page. */
function streamed(request: ListRequest, frame: ListFrame): Promise<Body> {
  const making = makingOf(request)
  return streamBody(pages(request, frame, making.room), making)
}

/** Whether kube-apiserver reads a list directly from etcd: a page without a selector. */
const isDirect = ({ limit, labelSelector, fieldSelector }: ListOptions): boolean =>
  limit > 0 && labelSelector === '' && fieldSelector === ''

/**
 * Returns the error of a list that fails because of a conversion: kube-apiserver reads such lists from its watch cache, which then
 * cannot be initialized. A list that it reads directly from etcd keeps the error of the conversion.
 */
function notListed(kind: Kind, options: ListOptions, error: unknown): unknown {
  return error instanceof ApiError && isFailedConversion(error) && !isDirect(options) ? notInitialized(kind, error) : error
}

/**
 * Lists a collection as JSON. Follows ListResource of k8s.io/apiserver.
 * @returns the body: a text if the list is short and has a limit, else a stream
 * @throws ApiError 400 for invalid selectors, continue tokens and Table options, 406 for a representation that lists do not
 *   have, 410 for a resourceVersion that is compacted, 504 for one that is not reached yet
 */
export async function list(
  registry: Registry,
  kind: Kind,
  target: Target,
  options: ListOptions,
  format: AnswerFields,
): Promise<Body> {
  if (kind.conversion?.remote === undefined) return listIn(registry, kind, target, options, format)
  try {
    return await listIn(registry, kind, target, options, format)
  } catch (error) {
    throw notListed(kind, options, error)
  }
}

async function listIn(
  registry: Registry,
  kind: Kind,
  target: Target,
  options: ListOptions,
  { representation, converted }: AnswerFields,
): Promise<Body> {
  const { store, selected, start, only } = await startList(registry, kind, target, options)
  const remote = kind.conversion?.remote
  if (remote?.isFailing === true && !isDirect(options)) await requireReadable(store, kind, remote)
  const view = jsonViewOf(kind.asStored(), representation, 'list', registry.now)
  const request: ListRequest = { store, selected, start, view, converted }
  if (start.limit > 0 && only === undefined) return limited(request)
  const frame = frameOf(request, undefined)
  return only === undefined ? streamed(request, frame) : itemsBody(request, frame, only)
}
