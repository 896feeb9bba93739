/** The objects of a list page by page, and its metadata, independent of the media type. */
import type { Kind, RemoteConversion } from '../../catalog/kind.ts'
import type { ObjectCodec } from '../../catalog/object-codec.ts'
import type { ListOptions, Selection, Target } from '../../clusters/operation.ts'
import type { Room } from '../../encoding/body.ts'
import type { ListMetadata } from '../../encoding/json-view.ts'
import { type Part, partOf, type Reads, textRows, type WrittenList } from '../../encoding/list-writer.ts'
import { nextSlice, Slicer } from '../../meta/slices.ts'
import { encodeContinue } from '../../storage/continue-token.ts'
import type { Store, Stored } from '../../storage/store.ts'
import type { Registry } from '../registry.ts'
import type { ListCells } from '../store-metrics.ts'
import { type Selected, select } from './selection.ts'
import { type Start, startOf } from './start.ts'

/** The objects that a list reads, and where it begins. */
export interface ListRange {
  readonly store: Store
  readonly selected: ListSelection
  readonly start: Start
}

/** A list request after its options are parsed. */
export interface Listing extends ListRange {
  /** The objects if the selection allows at most one and it was read by its key; else undefined. */
  readonly only: readonly Stored[] | undefined
}

/**
 * Parses the options of a list and waits for its resourceVersion.
 * @throws ApiError 400 for invalid selectors and continue tokens, 410 for a resourceVersion that is compacted, 504 for one that
 *   is not reached yet
 */
export async function startList(registry: Registry, kind: Kind, target: Target, options: ListOptions): Promise<Listing> {
  const { store, metrics } = registry
  const counted = metrics?.lists(kind)
  const selected = { ...selectListed(kind, target, options), counted }
  const start = await startOf(store, kind, selected, options)
  const byKey = options.continue === '' && start.resourceVersion === store.resourceVersion
  if (selected.key === undefined || !byKey) return { store, selected, start, only: undefined }
  const found = store.get(selected.key)
  const stored = found?.key.startsWith(selected.prefix) === true ? [found] : []
  countRead(selected, stored.length)
  const served = selected.remote === undefined ? stored : await shownByWebhook(selected.remote, stored)
  return { store, selected, start, only: served.filter((object) => selected.matches?.(object) ?? true) }
}

/** The selection of a list. Objects of a kind with a conversion webhook are matched after the conversion. */
export interface ListSelection extends Selected {
  readonly remote?: ListConversion | undefined
  /** The counters of the resource's lists; absent if the list is not counted. */
  readonly counted?: ListCells | undefined
}

/** Counts objects that were read for a list, and are matched. */
export function countRead({ counted }: ListSelection, objects: number): void {
  if (counted === undefined) return
  counted.fetched.value += objects
  counted.evaluated.value += objects
}

/** Counts objects that are in the response of a list. */
export function countReturned({ counted }: ListSelection, objects: number): void {
  if (counted !== undefined) counted.returned.value += objects
}

/** A conversion webhook that is called before objects are selected. */
interface ListConversion extends RemoteConversion {
  /** Encodes the objects that the webhook returns. */
  readonly codec: ObjectCodec
}

/**
 * Parses the selection of a list.
 * @throws ApiError 400 for selectors that do not parse or name fields that the kind does not support
 */
export function selectListed(kind: Kind, target: Target, selection: Selection): ListSelection {
  const remote = kind.conversion?.remote
  if (remote === undefined) return select(kind, target, selection)
  // The webhook may change labels, so the index of stored labels cannot be used.
  return { ...select(kind.asStored(), target, selection), indexHints: undefined, remote: { ...remote, codec: kind.codec } }
}

/** Returns the objects as the conversion webhook returns them, with their new labels. */
async function shownByWebhook(remote: ListConversion, items: readonly Stored[]): Promise<Stored[]> {
  const objects = await remote.show(items.map(({ value }) => value))
  return objects.flatMap((object, i) => {
    const item = items[i]
    if (item === undefined) return []
    const { labels, resourceVersion = '' } = object.metadata
    const value = remote.codec.encode(object, resourceVersion)
    return [{ ...item, value, labels: labels === undefined ? '' : JSON.stringify(labels) }]
  })
}

/** Whether all objects are listed as they are stored: no selector, no conversion webhook. */
const isWhole = ({ matches, remote }: ListSelection): boolean => matches === undefined && remote === undefined

/** Whether keys and labels suffice to decide which objects are selected. */
const selectsByHeads = ({ matches, readsValue, remote }: ListSelection): boolean =>
  matches !== undefined && !readsValue && remote === undefined

/** Returns the way in which the objects of a list are selected. */
export function selectionOf(selected: ListSelection): WrittenList['selection'] {
  if (selected.remote !== undefined) return 'converted'
  return isWhole(selected) || selectsByHeads(selected) ? 'unread' : 'read'
}

/** One page of a collection: the selected objects in it, and the position after it. */
interface PageOfList {
  readonly part: Part
  /** Objects that were read, selected or not. */
  readonly rows: number
  readonly lastKey: string
  readonly more: boolean
  /** The part of a slice, a few milliseconds, that the page takes, if other requests get their turn between pages. */
  readonly work?: number
  /** Characters that were read as texts. */
  readonly characters?: number
}

/** Reads one page after a key, of which at most `left` objects are selected. */
type PageReader = (after: string, left: number) => PageOfList | Promise<PageOfList>

/** Rows of one page of keys and labels, of versions, or of values that SQLite joins. */
const pageRows = 500
/** Rows that a webhook converts in one call: a call costs more than memory. */
const convertedRows = 500
/** The work of one slice: characters of values, or rows of keys and labels. */
const characterSlice = 1024 * 1024
const headSlice = 5_000

/** Returns the rows of one page of objects. Objects beyond the limit are not converted: that may fail. */
function rowsOf({ remote, matches }: ListSelection, { limit }: Start): number {
  if (remote === undefined) return textRows
  return limit > 0 && matches === undefined ? Math.min(limit, convertedRows) : convertedRows
}

function objectReader({ store, selected, start }: ListRange): PageReader {
  const { prefix, indexHints, matches, remote } = selected
  const { resourceVersion } = start
  return async (after, left) => {
    const page = store.list({ prefix, after, limit: rowsOf(selected, start), resourceVersion, indexHints })
    const items = remote === undefined ? page.items : await shownByWebhook(remote, page.items)
    const objects = matches === undefined ? items : items.filter(matches)
    const characters = items.reduce((sum, { value }) => sum + value.length, 0)
    const part = partOf(objects.length > left ? objects.slice(0, left) : objects)
    const lastKey = page.items.at(-1)?.key ?? after
    return { part, rows: page.items.length, lastKey, more: page.more, characters, work: characters / characterSlice }
  }
}

function headReader({ store, selected, start }: ListRange): PageReader {
  const { prefix, indexHints, matches } = selected
  const { resourceVersion } = start
  return (after, left) => {
    const { items, more } = store.listHeads({ prefix, after, limit: pageRows, resourceVersion, indexHints })
    const heads = items.filter((head) => matches?.({ ...head, value: '' }) ?? true).slice(0, left)
    const part: Part = { read: 'heads', heads, count: heads.length, lastKey: heads.at(-1)?.key ?? '' }
    return { part, rows: items.length, lastKey: items.at(-1)?.key ?? after, more, work: items.length / headSlice }
  }
}

/** Bytes of the values of a page of versions: so many may be encoded for it. */
const versionBytes = 1024 * 1024

/** Reads resourceVersions alone, which take little memory even for many objects. */
function versionReader({ store, selected, start }: ListRange): PageReader {
  const { prefix } = selected
  const { resourceVersion } = start
  let size = pageRows
  return (after, left) => {
    for (;;) {
      const page = store.listVersions({ prefix, after, limit: Math.min(size, left), resourceVersion })
      const count = page.resourceVersions.length
      if (page.bytes <= versionBytes || count <= 1) {
        size = Math.min(pageRows, size * 2)
        return { ...page, part: { ...page, read: 'versions', count }, rows: count }
      }
      size = Math.max(1, Math.floor((count * versionBytes) / page.bytes / 2))
    }
  }
}

function joinedReader({ store, selected, start }: ListRange, beginning: string): PageReader {
  const { prefix } = selected
  const { resourceVersion } = start
  return (after, left) => {
    const page = store.listJoined({ prefix, after, limit: Math.min(pageRows, left), resourceVersion }, beginning)
    return { ...page, part: { ...page, read: 'joined' }, rows: page.count }
  }
}

/** Returns the reader of a list: the one that reads least of those that the selection and the writer allow. */
function readerOf(range: ListRange, reads: Reads): PageReader {
  const { selected } = range
  if (reads.part === 'objects' || selectionOf(selected) !== 'unread') return objectReader(range)
  if (!isWhole(selected) || reads.part === 'heads') return headReader(range)
  return reads.part === 'joined' ? joinedReader(range, reads.beginning) : versionReader(range)
}

/**
 * Yields the selected objects of a list in parts that are not empty, at most `limit` in all. Other requests get their turn between
 * the pages.
 * @param room reserves memory for the texts that are read
 */
export async function* parts(range: ListRange, reads: Reads, room?: Room): AsyncGenerator<Part> {
  const { selected, start } = range
  const read = readerOf(range, reads)
  const slicer = new Slicer(1)
  let left = start.limit === 0 ? Number.POSITIVE_INFINITY : start.limit
  for (let after = start.after; ; ) {
    const { part, rows, lastKey, more, work, characters } = await read(after, left)
    countRead(selected, rows)
    if (part.count > 0) yield part
    left -= part.count
    if (!more || left <= 0) return
    after = lastKey
    if (characters !== undefined) await room?.read(characters)
    if (work !== undefined && slicer.due(work)) await nextSlice()
  }
}

/**
 * Returns the part of a list with a limit that SQLite joins in one page. Undefined if it does not fit into one page of the store,
 * or is not sent as it is stored.
 */
export function onlyJoinedPart(range: ListRange, reads: Reads): Part | undefined {
  const { selected, start } = range
  if (reads.part !== 'joined' || !isWhole(selected) || start.limit > pageRows) return undefined
  const { part, more } = joinedReader(range, reads.beginning)(start.after, start.limit) as PageOfList
  if (part.count === 0 || (more && part.count < start.limit)) return undefined
  countRead(selected, part.count)
  return part
}

/**
 * Returns the key after which a list with a limit continues; undefined at the end of the collection.
 * @param count the number of objects in this response
 * @param last the key of the last of these objects
 */
export function nextKey({ store, selected, start }: ListRange, count: number, last: string | undefined): string | undefined {
  const { resourceVersion, limit } = start
  if (limit === 0 || count < limit || last === undefined) return undefined
  return store.list({ prefix: selected.prefix, after: last, limit: 1, resourceVersion }).items.length > 0 ? last : undefined
}

/** The metadata of a list that has more pages. */
interface Continuation {
  readonly continue: string
  /** The number of objects that follow. Undefined if there is a selector, as in kube-apiserver. */
  readonly remaining: number | undefined
}

/** Returns the continue token and the remaining count of a list. */
function continuationOf({ store, selected, start }: ListRange, next: string | undefined): Continuation | undefined {
  if (next === undefined) return undefined
  const after = next.slice(selected.prefix.length)
  return {
    continue: encodeContinue({ resourceVersion: start.resourceVersion, after }),
    remaining: selected.matches === undefined ? store.countAfter(selected.prefix, next, start.resourceVersion) : undefined,
  }
}

/**
 * Returns the ListMeta with its fields in the order in which Go encodes them.
 * @param next the key of the last object in this response if more keys follow it; else undefined
 */
export function listMetadata(range: ListRange, next: string | undefined): ListMetadata {
  const more = continuationOf(range, next)
  return {
    resourceVersion: String(range.start.resourceVersion),
    ...(more !== undefined && { continue: more.continue }),
    ...(more?.remaining !== undefined && { remainingItemCount: more.remaining }),
  }
}
