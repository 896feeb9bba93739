/** What a list is made of, whatever it is written in: its objects page by page, and its metadata. */
import type { Kind, RemoteConversion } from '../../catalog/kind.ts'
import type { ObjectCodec } from '../../catalog/object-codec.ts'
import type { ListOptions, Selection, Target } from '../../clusters/operation.ts'
import { nextSlice, Slicer } from '../../meta/slices.ts'
import { encodeContinue } from '../../storage/continue-token.ts'
import type { Head, Page, Stored } from '../../storage/store.ts'
import type { Room } from '../encoding/body.ts'
import type { Registry } from '../registry.ts'
import { type Selected, select } from './selection.ts'
import { type Start, startOf } from './start.ts'

/** A list made ready. */
export interface Listing {
  readonly selected: ListSelection
  readonly start: Start
  /** The objects where they are at most one, found without a search; else undefined. */
  readonly only: readonly Stored[] | undefined
}

/** @throws ApiError 400 for selectors and tokens, 410 for versions that are gone, 504 for ones that have not come */
export async function startList(registry: Registry, kind: Kind, target: Target, options: ListOptions): Promise<Listing> {
  const { store } = registry
  const selected = selectListed(kind, target, options)
  const start = await startOf(store, selected, options)
  const byKey = options.continue === '' && start.resourceVersion === store.resourceVersion
  if (selected.key === undefined || !byKey) return { selected, start, only: undefined }
  const found = store.get(selected.key)
  const stored = found?.key.startsWith(selected.prefix) === true ? [found] : []
  const shown = selected.remote === undefined ? stored : await shownBy(selected.remote, stored)
  return { selected, start, only: shown.filter((object) => selected.matches?.(object) ?? true) }
}

/** A selection of objects that are listed: what a webhook converts is looked at when it is converted. */
export interface ListSelection extends Selected {
  readonly remote?: ListConversion | undefined
}

/** Converts objects by a webhook before they are selected. */
interface ListConversion extends RemoteConversion {
  /** Writes what the webhook gives. */
  readonly codec: ObjectCodec
}

/** @throws ApiError 400 for selectors that do not parse or name fields that the kind does not support */
export function selectListed(kind: Kind, target: Target, selection: Selection): ListSelection {
  const remote = kind.conversion?.remote
  if (remote === undefined) return select(kind, target, selection)
  // The labels that are stored need not be those that are shown.
  return { ...select(kind.asStored(), target, selection), marks: undefined, remote: { ...remote, codec: kind.codec } }
}

async function shownBy(remote: ListConversion, items: readonly Stored[]): Promise<Stored[]> {
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
 * Rows that are read one by one at once. Texts of larger pages outlive the young generation while their page is written, and
 * then gather by the hundred MB before the old one is collected.
 */
const readRows = 100
/** Rows that a webhook converts at once: a call costs more than memory. */
const convertedRows = 500

/** Characters that are read in a few milliseconds. */
const slice = 1024 * 1024

/** The pages of a list, converted, but not selected yet. Others have their turn between them. */
async function* chunks(registry: Registry, selected: ListSelection, start: Start, room: Room | undefined): AsyncGenerator<Page> {
  const slicer = new Slicer(slice)
  let after = start.after
  for (;;) {
    const page = registry.store.list({
      prefix: selected.prefix,
      after,
      limit: selected.remote === undefined ? readRows : convertedRows,
      resourceVersion: start.resourceVersion,
      indexHints: selected.marks,
    })
    yield selected.remote === undefined ? page : { ...page, items: await shownBy(selected.remote, page.items) }
    if (!page.more) return
    after = page.items.at(-1)?.key ?? after
    const length = page.items.reduce((sum, { value }) => sum + value.length, 0)
    if (room !== undefined) await room.read(length)
    if (slicer.due(length)) await nextSlice()
  }
}

/**
 * The objects of a list, a part of them at a time: those that are selected, and no more than are asked for.
 * @param room is told what is read
 */
export async function* selectedChunks(
  registry: Registry,
  selected: ListSelection,
  start: Start,
  room?: Room,
): AsyncGenerator<readonly Stored[]> {
  let left = start.limit === 0 ? Number.POSITIVE_INFINITY : start.limit
  for await (const { items } of chunks(registry, selected, start, room)) {
    const found = selected.matches === undefined ? items : items.filter(selected.matches)
    yield found.length > left ? found.slice(0, left) : found
    left -= found.length
    if (left <= 0) return
  }
}

/** Objects whose keys and labels are looked at, at once. */
const headRows = 500
/** So many are looked at in a few milliseconds. */
const headSlice = 5_000

/** Whether values need not be read to know what is selected. */
export function selectsByHeads({ matches, readsValue, remote }: ListSelection): boolean {
  return matches !== undefined && !readsValue && remote === undefined
}

/** The objects of a list that is selected so, a part of them at a time, and no more than are asked for. */
export async function* selectedHeads(
  { store }: Registry,
  selected: ListSelection,
  start: Start,
): AsyncGenerator<readonly Head[]> {
  const slicer = new Slicer(headSlice)
  const { prefix, marks, matches } = selected
  const { resourceVersion } = start
  let left = start.limit === 0 ? Number.POSITIVE_INFINITY : start.limit
  for (let after = start.after; left > 0; ) {
    const { items, more } = store.listHeads({ prefix, after, limit: headRows, resourceVersion, indexHints: marks })
    const found = items.filter((head) => matches?.({ ...head, value: '' }) ?? true).slice(0, left)
    if (found.length > 0) yield found
    if (!more) return
    after = items.at(-1)?.key ?? after
    left -= found.length
    if (slicer.due(items.length)) await nextSlice()
  }
}

/** A value of so many bytes is looked over as bytes by the forms that can. */
const longBytes = 64 * 1024

/** Heads in groups whose values are read at once: long ones alone, of the others no more than a page has. */
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

/** Objects that are read at once: of no more bytes than a page of the store has. */
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

/** Durable Objects have no text of 2 MB or more, and joined values are one; the rest is for what they begin with. */
const groupBytes = 1_800_000

/** What is found of a limited list before it is written. */
export interface Taken {
  /** Its objects; undefined where they are too long to be held until they are written. */
  readonly items: readonly Stored[] | undefined
  /** The key of the last one, where more keys follow, be they selected or not. */
  readonly next: string | undefined
}

/** So many characters of objects are held. */
const heldCharacters = 2 * 1024 * 1024

/** Gathers what is found of a list, as far as it is short. */
export class Taking {
  readonly #registry: Registry
  readonly #selected: ListSelection
  readonly #start: Start
  readonly #items: Stored[] = []
  #count = 0
  #characters = 0
  #last: string | undefined

  constructor(registry: Registry, selected: ListSelection, start: Start) {
    this.#registry = registry
    this.#selected = selected
    this.#start = start
  }

  add(found: readonly Stored[]): void {
    this.#count += found.length
    this.#last = found.at(-1)?.key ?? this.#last
    for (const { value } of found) this.#characters += value.length
    if (this.#characters <= heldCharacters) this.#items.push(...found)
    else this.#items.length = 0
  }

  /** When all objects are added. */
  end(): Taken {
    const next = nextKey(this.#registry, this.#selected, this.#start, this.#count, this.#last)
    return { items: this.#characters <= heldCharacters ? this.#items : undefined, next }
  }
}

/** The same where values need not be read to select. */
async function takeHeads(registry: Registry, selected: ListSelection, start: Start): Promise<Taken> {
  const heads: Head[] = []
  for await (const found of selectedHeads(registry, selected, start)) heads.push(...found)
  const next = nextKey(registry, selected, start, heads.length, heads.at(-1)?.key)
  const bytes = heads.reduce((sum, head) => sum + head.bytes, 0)
  if (bytes > heldCharacters) return { items: undefined, next }
  return { items: registry.store.objectsOf(heads.map(({ resourceVersion }) => resourceVersion)), next }
}

/** Looks for the end of a list of at most `limit` objects. */
export async function take(registry: Registry, selected: ListSelection, start: Start): Promise<Taken> {
  if (selectsByHeads(selected)) return takeHeads(registry, selected, start)
  if (selected.matches === undefined && selected.remote === undefined) {
    const page = registry.store.listVersions({ ...start, prefix: selected.prefix })
    if (page.bytes > heldCharacters) return { items: undefined, next: page.more ? page.lastKey : undefined }
  }
  const taking = new Taking(registry, selected, start)
  for await (const found of selectedChunks(registry, selected, start)) taking.add(found)
  return taking.end()
}

/**
 * The key behind which a limited list goes on; undefined at its end.
 * @param count how many objects it has, the last of which has the key `last`
 */
export function nextKey(
  registry: Registry,
  { prefix }: Selected,
  { resourceVersion, limit }: Start,
  count: number,
  last: string | undefined,
): string | undefined {
  if (limit === 0 || count < limit || last === undefined) return undefined
  return registry.store.list({ prefix, after: last, limit: 1, resourceVersion }).items.length > 0 ? last : undefined
}

/** How a list goes on. */
export interface Continuation {
  readonly continue: string
  /** Unknown where not all objects are selected. */
  readonly remaining: number | undefined
}

/** What a list says of itself. */
export interface ListMetadata {
  /** Absent where the objects are kept nowhere. */
  readonly resourceVersion?: string
  readonly continue?: string
  readonly remainingItemCount?: number
}

/** @param next the last key of the list where more keys follow */
export function continuationOf(
  registry: Registry,
  selected: Selected,
  start: Start,
  next: string | undefined,
): Continuation | undefined {
  if (next === undefined) return undefined
  const after = next.slice(selected.prefix.length)
  return {
    continue: encodeContinue({ resourceVersion: start.resourceVersion, after }),
    remaining:
      selected.matches === undefined ? registry.store.countAfter(selected.prefix, next, start.resourceVersion) : undefined,
  }
}

/** The metadata of a list, in the order in which Go encodes it. */
export function listMetadata(resourceVersion: number, more: Continuation | undefined): ListMetadata {
  return {
    resourceVersion: String(resourceVersion),
    ...(more !== undefined && { continue: more.continue }),
    ...(more?.remaining !== undefined && { remainingItemCount: more.remaining }),
  }
}
