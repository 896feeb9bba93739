/** list: a consistent state of a collection, streamed page by page. */
import type { Kind } from '../../catalog/kind.ts'
import type { ListFrame } from '../../catalog/object-codec.ts'
import type { ListOptions, ResponseFormat, Target } from '../../clusters/operation.ts'
import { ApiError } from '../../meta/errors.ts'
import { giveBack } from '../../meta/give-back.ts'
import { nextSlice, Slicer } from '../../meta/slices.ts'
import { type Body, type Making, Room, streamBody, textBody } from '../encoding/body.ts'
import { type Form, itemsText, joinedItems } from '../encoding/json.ts'
import { formOf } from '../encoding/representation.ts'
import type { Registry } from '../registry.ts'
import { isFailedConversion, notInitialized } from '../versions.ts'
import {
  type Continuation,
  continuationOf,
  groupsByLength,
  groupsOf,
  type ListSelection,
  listMetadata,
  selectedChunks,
  selectedHeads,
  selectsByHeads,
  startList,
  type Taken,
  take,
} from './pages.ts'
import type { Start } from './start.ts'

/** Rows that SQLite joins, and that are answered, at once. */
const pageRows = 500

const encoder = new TextEncoder()

/** What stands around the objects of a list. */
export function listFrame(form: Form, resourceVersion: number, more: Continuation | undefined): ListFrame {
  return form.list(listMetadata(resourceVersion, more))
}

/** A list of at most `limit` objects. What a token needs stands before the items, so their end is looked for first. */
async function limited(
  registry: Registry,
  form: Form,
  selected: ListSelection,
  start: Start,
  converted: ResponseFormat['converted'],
): Promise<Body> {
  const joined = joinedPage(registry, form, selected, start, converted)
  if (joined !== undefined) return joined
  return takenBody(registry, form, selected, start, await take(registry, selected, start), converted)
}

/** What has to be known of a list that is made page by page. */
function makingOf(form: Form, selected: ListSelection, converted: ResponseFormat['converted']): Making {
  const isJoined = typeof form.item !== 'function' && selectsUnread(selected)
  const madeOf = longItemOf(form, selected) === undefined || converted === 'texts' ? 'texts' : 'bytes'
  return { room: converted === 'texts' || !isJoined ? new Room(madeOf) : undefined, relayed: converted !== undefined }
}

/** Whether values need not be read to know which objects are listed. */
const selectsUnread = (selected: ListSelection): boolean => isWhole(selected) || selectsByHeads(selected)

/** How long values are written of which no text is made; undefined if the form or the selection needs the text. */
const longItemOf = ({ longItem }: Form, selected: ListSelection): Form['longItem'] =>
  selectsUnread(selected) ? longItem : undefined

/** Whether all objects are listed, as they are stored. */
const isWhole = ({ matches, remote }: ListSelection): boolean => matches === undefined && remote === undefined

/** The list of what was taken: objects that are too long to be held are read again. */
export async function takenBody(
  registry: Registry,
  form: Form,
  selected: ListSelection,
  start: Start,
  { items, next }: Taken,
  converted: ResponseFormat['converted'],
): Promise<Body> {
  const more = continuationOf(registry, selected, start, next)
  if (items === undefined) {
    const making = makingOf(form, selected, converted)
    return streamBody(pages(registry, form, selected, start, making.room, more), making)
  }
  const { head, end } = listFrame(form, start.resourceVersion, more)
  return textBody(`${head}${itemsText(form, items)}${end}\n`)
}

/** The same list as bytes, as far as objects go out as they are stored and one page of the store holds them; else undefined. */
function joinedPage(
  registry: Registry,
  form: Form,
  selected: ListSelection,
  start: Start,
  converted: ResponseFormat['converted'],
): Promise<Body> | undefined {
  const { after, limit, resourceVersion } = start
  const { item } = form
  if (!isWhole(selected) || typeof item === 'function' || limit > pageRows) return undefined
  const page = registry.store.listJoined({ prefix: selected.prefix, after, limit, resourceVersion }, item.beginning)
  if (page.count === 0 || (page.more && page.count < limit)) return undefined
  const next = page.more ? page.lastKey : undefined
  const frame = listFrame(form, resourceVersion, continuationOf(registry, selected, start, next))
  // A stream gives a page back some chunks later: the end is cut small so that it does before it ends itself.
  const ends = [']', frame.end, '\n'].map((end) => encoder.encode(end))
  return streamBody([encoder.encode(`${frame.head}[`), page.bytes, ...ends].values(), {
    bytes: page.bytes.byteLength,
    relayed: converted !== undefined,
  })
}

/** Bytes of values that are looked over in a few milliseconds. */
const slice = 1024 * 1024

/** Pages of a form that looks long values over as bytes. Others have their turn between them. */
async function* pagesByLength(
  registry: Registry,
  form: Form,
  longItem: NonNullable<Form['longItem']>,
  selected: ListSelection,
  start: Start,
  room: Room | undefined,
): AsyncGenerator<Uint8Array> {
  const { store } = registry
  const slicer = new Slicer(slice)
  for await (const heads of selectedHeads(registry, selected, start)) {
    for (const { group, isLong } of groupsByLength(heads)) {
      const versions = group.map(({ resourceVersion }) => resourceVersion)
      const length = group.reduce((sum, { bytes }) => sum + bytes, 0)
      if (isLong) {
        const value = store.joinedOf(versions, '{')
        const page = longItem(value)
        giveBack(value.buffer)
        yield page
      } else {
        if (room !== undefined) await room.read(length)
        yield encoder.encode(joinedItems(form, store.objectsOf(versions)))
      }
      if (slicer.due(length)) await nextSlice()
    }
  }
}

/** Pages of objects as they stand in the list, without the commas between pages; none is empty. */
async function* itemPages(
  registry: Registry,
  form: Form,
  selected: ListSelection,
  start: Start,
  room: Room | undefined,
): AsyncGenerator<Uint8Array> {
  const { item } = form
  if (typeof item !== 'function' && selectsByHeads(selected)) {
    for await (const heads of selectedHeads(registry, selected, start)) {
      for (const group of groupsOf(heads)) yield registry.store.joinedOf(group, item.beginning)
    }
    return
  }
  if (isWhole(selected) && typeof item !== 'function') {
    const { resourceVersion } = start
    let left = start.limit === 0 ? Number.POSITIVE_INFINITY : start.limit
    for (let after = start.after; left > 0; ) {
      const limit = Math.min(pageRows, left)
      const page = registry.store.listJoined({ prefix: selected.prefix, after, limit, resourceVersion }, item.beginning)
      if (page.count > 0) yield page.bytes
      if (!page.more) return
      after = page.lastKey
      left -= page.count
    }
    return
  }
  const longItem = longItemOf(form, selected)
  if (longItem !== undefined) {
    yield* pagesByLength(registry, form, longItem, selected, start, room)
    return
  }
  for await (const items of selectedChunks(registry, selected, start, room)) {
    if (items.length > 0) yield encoder.encode(joinedItems(form, items))
  }
}

/** Pages as bytes, commas between the objects: one page in memory at a time. */
async function* pages(
  registry: Registry,
  form: Form,
  selected: ListSelection,
  start: Start,
  room: Room | undefined,
  more?: Continuation,
): AsyncGenerator<Uint8Array> {
  const { head, end } = listFrame(form, start.resourceVersion, more)
  yield encoder.encode(head)
  let before = '['
  for await (const page of itemPages(registry, form, selected, start, room)) {
    yield encoder.encode(before)
    yield page
    before = ','
  }
  yield encoder.encode(`${before === '[' ? form.emptyList : ']'}${end}\n`)
}

/**
 * What a client is told whose list a webhook stands in the way of: upstream reads such lists from a cache, which then cannot
 * be filled. The first page of all objects is read without it.
 */
function notListed(kind: Kind, { limit, labelSelector, fieldSelector }: ListOptions, error: unknown): unknown {
  const isDirect = limit > 0 && labelSelector === '' && fieldSelector === ''
  return error instanceof ApiError && isFailedConversion(error) && !isDirect ? notInitialized(kind, error) : error
}

/**
 * @returns the list's JSON: a stream, but for what is short and limited
 * @throws ApiError 400 for selectors, tokens and options of a Table, 406 for a form that lists do not have, 410 for versions
 *   that are gone, 504 for ones that have not come
 */
export async function list(
  registry: Registry,
  kind: Kind,
  target: Target,
  options: ListOptions,
  shown: ResponseFormat,
): Promise<Body> {
  if (kind.conversion?.remote === undefined) return listIn(registry, kind, target, options, shown)
  try {
    return await listIn(registry, kind, target, options, shown)
  } catch (error) {
    throw notListed(kind, options, error)
  }
}

async function listIn(
  registry: Registry,
  kind: Kind,
  target: Target,
  options: ListOptions,
  { representation, converted }: ResponseFormat,
): Promise<Body> {
  const { selected, start, only } = await startList(registry, kind, target, options)
  const form = formOf(kind.asStored(), representation, 'list', registry.now)
  if (only !== undefined) {
    const { head, end } = listFrame(form, start.resourceVersion, undefined)
    return textBody(`${head}${itemsText(form, only)}${end}\n`)
  }
  if (start.limit > 0) return limited(registry, form, selected, start, converted)
  const making = makingOf(form, selected, converted)
  return streamBody(pages(registry, form, selected, start, making.room), making)
}
