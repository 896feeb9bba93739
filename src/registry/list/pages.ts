/** The objects of a list page by page, and its metadata, independent of the media type. */
import type { Kind, RemoteConversion } from '../../catalog/kind.ts'
import type { ObjectCodec } from '../../catalog/object-codec.ts'
import type { ListOptions, Selection, Target } from '../../clusters/operation.ts'
import type { Room } from '../../encoding/body.ts'
import type { ListMetadata } from '../../encoding/json-view.ts'
import { nextSlice, Slicer } from '../../meta/slices.ts'
import { encodeContinue } from '../../storage/continue-token.ts'
import type { Head, Page, Store, Stored } from '../../storage/store.ts'
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
  const served = selected.remote === undefined ? stored : await convertedBy(selected.remote, stored)
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
async function convertedBy(remote: ListConversion, items: readonly Stored[]): Promise<Stored[]> {
  const objects = await remote.show(items.map(({ value }) => value))
  return objects.flatMap((object, i) => {
    const item = items[i]
    if (item === undefined) return []
    const { labels, resourceVersion = '' } = object.metadata
    const value = remote.codec.encode(object, resourceVersion)
    return [{ ...item, value, labels: labels === undefined ? '' : JSON.stringify(labels) }]
  })
}

/**
 * Rows of one page that are read as texts. Texts of larger pages outlive V8's young generation while their page is written, and
 * then hundreds of MB gather before the old generation is collected.
 */
const readRows = 100
/** Rows that a webhook converts in one call: a call costs more than memory. */
const convertedRows = 500

/** Characters of values that are read in a few milliseconds. */
const slice = 1024 * 1024

/** Returns the rows of one page. Objects beyond the limit are not converted: that may fail. */
function rowsOf({ remote, matches }: ListSelection, { limit }: Start): number {
  if (remote === undefined) return readRows
  return limit > 0 && matches === undefined ? Math.min(limit, convertedRows) : convertedRows
}

/** Yields the pages of a list, converted but not filtered yet. Other requests get their turn between the pages. */
async function* chunks({ store, selected, start }: ListRange, room: Room | undefined): AsyncGenerator<Page> {
  const slicer = new Slicer(slice)
  let after = start.after
  for (;;) {
    const page = store.list({
      prefix: selected.prefix,
      after,
      limit: rowsOf(selected, start),
      resourceVersion: start.resourceVersion,
      indexHints: selected.indexHints,
    })
    countRead(selected, page.items.length)
    yield selected.remote === undefined ? page : { ...page, items: await convertedBy(selected.remote, page.items) }
    if (!page.more) return
    after = page.items.at(-1)?.key ?? after
    const length = page.items.reduce((sum, { value }) => sum + value.length, 0)
    if (room !== undefined) await room.read(length)
    if (slicer.due(length)) await nextSlice()
  }
}

/**
 * Yields the selected objects of a list in parts, at most `limit` in all.
 * @param room reserves memory for the texts that are read
 */
export async function* selectedChunks(range: ListRange, room?: Room): AsyncGenerator<readonly Stored[]> {
  const { selected, start } = range
  let left = start.limit === 0 ? Number.POSITIVE_INFINITY : start.limit
  for await (const { items } of chunks(range, room)) {
    const found = selected.matches === undefined ? items : items.filter(selected.matches)
    yield found.length > left ? found.slice(0, left) : found
    left -= found.length
    if (left <= 0) return
  }
}

/** Rows of one page of keys and labels. */
const headRows = 500
/** Rows of keys and labels that are matched in a few milliseconds. */
const headSlice = 5_000

/** Whether keys and labels suffice to decide which objects are selected. */
export function selectsByHeads({ matches, readsValue, remote }: ListSelection): boolean {
  return matches !== undefined && !readsValue && remote === undefined
}

/** Yields the heads of the selected objects in parts, at most `limit` in all. Only if `selectsByHeads`. */
export async function* selectedHeads({ store, selected, start }: ListRange): AsyncGenerator<readonly Head[]> {
  const slicer = new Slicer(headSlice)
  const { prefix, indexHints, matches } = selected
  const { resourceVersion } = start
  let left = start.limit === 0 ? Number.POSITIVE_INFINITY : start.limit
  for (let after = start.after; left > 0; ) {
    const { items, more } = store.listHeads({ prefix, after, limit: headRows, resourceVersion, indexHints })
    countRead(selected, items.length)
    const found = items.filter((head) => matches?.({ ...head, value: '' }) ?? true).slice(0, left)
    if (found.length > 0) yield found
    if (!more) return
    after = items.at(-1)?.key ?? after
    left -= found.length
    if (slicer.due(items.length)) await nextSlice()
  }
}

/** Length in bytes from which a value is scanned as bytes, if the form can do so. */
const longBytes = 64 * 1024

/** Groups heads whose values are read in one query: each long value alone, the others up to the size of a page. */
export function* groupsByLength(
  heads: readonly Head[],
): Generator<{ readonly group: readonly Head[]; readonly isLong: boolean }> {
  let group: Head[] = []
  let bytes = 0
  for (const head of heads) {
    const isLong = head.bytes >= longBytes
    if (group.length > 0 && (isLong || group.length === readRows || bytes + head.bytes > groupBytes)) {
      yield { group, isLong: false }
      group = []
      bytes = 0
    }
    if (isLong) yield { group: [head], isLong }
    else {
      group.push(head)
      bytes += head.bytes
    }
  }
  if (group.length > 0) yield { group, isLong: false }
}

/** Groups the resourceVersions of objects that are read in one query, up to the bytes of a page of the store. */
export function* groupsOf(heads: readonly Head[]): Generator<readonly number[]> {
  let group: number[] = []
  let length = 0
  for (const { resourceVersion, bytes } of heads) {
    if (group.length > 0 && length + bytes > groupBytes) {
      yield group
      group = []
      length = 0
    }
    group.push(resourceVersion)
    length += bytes + 1
  }
  if (group.length > 0) yield group
}

/** Durable Objects limit a text to 2 MB, and joined values are one text. The remainder is for the typeMeta of each object. */
const groupBytes = 1_800_000

/** The selected objects of a list with a limit, found before it is written. */
export interface Taken {
  /** The objects; undefined if they are too long to be kept in memory until they are written. */
  readonly items: readonly Stored[] | undefined
  /** The key of the last object, if more keys follow it, selected or not. */
  readonly next: string | undefined
}

/** Characters of objects that are kept in memory. */
const heldCharacters = 2 * 1024 * 1024

/** Collects the selected objects of a list, and drops them if they are too long in all. */
export class Taking {
  readonly #range: ListRange
  readonly #items: Stored[] = []
  #count = 0
  #characters = 0
  #last: string | undefined

  constructor(range: ListRange) {
    this.#range = range
  }

  add(found: readonly Stored[]): void {
    this.#count += found.length
    this.#last = found.at(-1)?.key ?? this.#last
    for (const { value } of found) this.#characters += value.length
    if (this.#characters <= heldCharacters) this.#items.push(...found)
    else this.#items.length = 0
  }

  /** Returns the result. To be called after the last `add`. */
  end(): Taken {
    const next = nextKey(this.#range, this.#count, this.#last)
    return { items: this.#characters <= heldCharacters ? this.#items : undefined, next }
  }
}

/** Does the same for a selection that needs no values. */
async function takeHeads(range: ListRange): Promise<Taken> {
  const heads: Head[] = []
  for await (const found of selectedHeads(range)) heads.push(...found)
  const next = nextKey(range, heads.length, heads.at(-1)?.key)
  const bytes = heads.reduce((sum, head) => sum + head.bytes, 0)
  if (bytes > heldCharacters) return { items: undefined, next }
  return { items: range.store.objectsOf(heads.map(({ resourceVersion }) => resourceVersion)), next }
}

/** Finds the objects of a list with a limit, and the key from which it continues. */
export async function take(range: ListRange): Promise<Taken> {
  const { store, selected, start } = range
  if (selectsByHeads(selected)) return takeHeads(range)
  if (selected.matches === undefined && selected.remote === undefined) {
    const page = store.listVersions({ ...start, prefix: selected.prefix })
    if (page.bytes > heldCharacters) return { items: undefined, next: page.more ? page.lastKey : undefined }
  }
  const taking = new Taking(range)
  for await (const found of selectedChunks(range)) taking.add(found)
  return taking.end()
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
