/** The watch verb: a stream of the changes of a collection after a resourceVersion. */
import type { Kind, RemoteConversion } from '../catalog/kind.ts'
import type { Target, WatchOperation, WatchResumption } from '../clusters/operation.ts'
import { errorEvent, eventWriterOf } from '../encoding/encodings.ts'
import type { EventWriter } from '../encoding/event-writer.ts'
import { ApiError } from '../meta/errors.ts'
import { readResourceVersion } from '../meta/resource-version.ts'
import type { FeedRequest, InitialState, Stored } from '../storage/store.ts'
import { type Selected, select } from './list/selection.ts'
import { requireReadable } from './readable.ts'
import type { Registry } from './registry.ts'
import { isFailedConversion, notInitialized, waitForResourceVersion } from './versions.ts'

/** Rows of the first page of the initial state. Later pages have about `initialPageBytes`, and at most `initialPageRows`. */
const firstPageRows = 4
const initialPageRows = 100
const initialPageBytes = 64 * 1024

/**
 * The state at a version as ADDED events, read page by page. If `next` throws MissingLookups, it may be called again and
 * continues.
 */
class InitialEvents implements Iterator<Uint8Array>, InitialState {
  readonly #registry: Registry
  readonly #encoder: EventWriter
  readonly #selected: Selected
  readonly #resourceVersion: number
  #writes: EventWriter
  #items: readonly Stored[] = []
  #at = 0
  /** The last key before the page, and the last key of the page. */
  #before = ''
  #after = ''
  #rows = firstPageRows
  #left: 'pages' | 'end' | 'nothing' = 'pages'
  readonly #last: 'end' | 'nothing'
  #sent: string

  constructor(registry: Registry, { selected, encoder, resourceVersion, initial, after = '' }: WatchStart) {
    this.#registry = registry
    this.#encoder = encoder
    this.#selected = selected
    this.#resourceVersion = resourceVersion
    this.#writes = encoder
    this.#last = initial === 'state and its end' ? 'end' : 'nothing'
    this.#after = after
    this.#sent = after
  }

  [Symbol.iterator](): this {
    return this
  }

  get after(): string {
    return this.#sent
  }

  next(): IteratorResult<Uint8Array> {
    for (;;) {
      const item = this.#items[this.#at]
      if (item === undefined) {
        if (this.#left !== 'pages') return this.#end()
        this.#read()
        continue
      }
      const { key, matches } = this.#selected
      const isSelected = (key === undefined || item.key === key) && (matches?.(item) ?? true)
      const value = isSelected ? this.#writes.encode('ADDED', item) : undefined
      this.#at++
      this.#sent = item.key
      if (value === undefined) continue
      this.#writes = this.#encoder.following ?? this.#encoder
      return { done: false, value }
    }
  }

  /** Drops the unread part of the page; it is read again later. Otherwise each watch of a slow client would keep a page. */
  release(): void {
    if (this.#at >= this.#items.length) return
    this.#after = this.#items[this.#at - 1]?.key ?? this.#before
    this.#items = []
    this.#at = 0
    this.#left = 'pages'
  }

  #read(): void {
    const { prefix, indexHints } = this.#selected
    const { items, more } = this.#registry.store.list({
      prefix,
      after: this.#after,
      limit: this.#rows,
      resourceVersion: this.#resourceVersion,
      indexHints,
    })
    const bytes = items.reduce((sum, { value }) => sum + value.length, 0)
    this.#rows = Math.max(
      1,
      Math.min(initialPageRows, this.#rows * 8, Math.floor((initialPageBytes * items.length) / (bytes + 1))),
    )
    this.#items = items
    this.#at = 0
    this.#before = this.#after
    this.#after = items.at(-1)?.key ?? this.#after
    if (!more) this.#left = this.#last
    this.#encoder.prepare?.(items)
  }

  #end(): IteratorResult<Uint8Array> {
    if (this.#left === 'nothing') return { done: true, value: undefined }
    this.#left = 'nothing'
    return { done: false, value: this.#writes.initialEventsEnd(this.#resourceVersion) }
  }
}

/** A watch request after its options are parsed. */
interface WatchStart {
  readonly selected: Selected
  readonly encoder: EventWriter
  /** The version after which events are sent. If it is not reached yet, the watch is silent until then. */
  readonly resourceVersion: number
  /** The initial events: none, the state as ADDED events, or the state and the initial-events-end bookmark. */
  readonly initial: 'nothing' | 'state' | 'state and its end'
  /** The key after which the state continues; absent from its beginning. */
  readonly after?: string
}

/** Converts the first objects as a test: kube-apiserver rejects a watch of objects that it cannot list. */
async function requireConversion({ store }: Registry, kind: Kind, remote: RemoteConversion, { prefix }: Selected): Promise<void> {
  try {
    if (remote.isFailing === true) await requireReadable(store, kind, remote)
    const { items } = store.list({ prefix, limit: initialPageRows, resourceVersion: store.resourceVersion })
    await remote.show(items.map(({ value }) => value))
  } catch (error) {
    throw error instanceof ApiError && isFailedConversion(error) ? notInitialized(kind, error) : error
  }
}

/**
 * Resolves the version and the initial events of a watch. Follows the table of "Semantics for watch" of the API concepts, and
 * KEP-3157.
 * @throws ApiError 400 for invalid selectors, 500 for a malformed resourceVersion, 504 if the initial state is requested at a
 *   version that is not reached in time
 */
async function startWatch(registry: Registry, kind: Kind, operation: WatchOperation): Promise<WatchStart> {
  const { target, watch: options } = operation
  const selected = select(kind, target, options)
  const requested = readResourceVersion(options.resourceVersion)
  const { sendInitialEvents, allowWatchBookmarks } = options
  const encoder = eventWriterOf(registry, kind, operation)
  const last = sendInitialEvents === true && allowWatchBookmarks ? 'state and its end' : 'state'
  if (operation.resumption !== undefined) return resumed(operation.resumption, { selected, encoder, last })
  if (kind.conversion?.remote !== undefined) await requireConversion(registry, kind, kind.conversion.remote, selected)
  if (sendInitialEvents ?? requested === 0n) {
    if (sendInitialEvents === true) await waitForResourceVersion(registry.store, requested)
    return { selected, encoder, resourceVersion: registry.store.resourceVersion, initial: last }
  }
  return {
    selected,
    encoder,
    resourceVersion: requested === 0n ? registry.store.resourceVersion : Number(requested),
    initial: 'nothing',
  }
}

/** Returns the start of a watch that continues. Its options were checked when it began. */
function resumed(
  { place, begun }: WatchResumption,
  { selected, encoder: first, last }: Pick<WatchStart, 'selected' | 'encoder'> & { readonly last: WatchStart['initial'] },
): WatchStart {
  const { resourceVersion } = place
  const encoder = begun ? (first.following ?? first) : first
  if (place.phase === 'events') return { selected, encoder, resourceVersion, initial: 'nothing' }
  return { selected, encoder, resourceVersion, initial: last, after: place.after }
}

/** Returns the request to the store of a watch that has been resolved. */
function feedOf(registry: Registry, kind: Kind, target: Target, start: WatchStart): FeedRequest {
  const { selected, encoder, resourceVersion, initial } = start
  return {
    prefix: selected.prefix,
    ...(selected.key !== undefined && { key: selected.key }),
    resourceVersion,
    ...(selected.matches !== undefined && { matches: selected.matches }),
    encoder,
    ...(registry.metrics !== undefined && { tally: registry.metrics.watches(kind, target) }),
    ...(initial !== 'nothing' && { first: new InitialEvents(registry, start) }),
  }
}

/**
 * Returns the request to the store of a watch.
 * @throws ApiError as `startWatch`
 */
export async function requestOf(registry: Registry, kind: Kind, operation: WatchOperation): Promise<FeedRequest> {
  if (operation.resumption === undefined) registry.allowance?.admitWatch()
  return feedOf(registry, kind, operation.target, await startWatch(registry, kind, operation))
}

/** Returns the request to the store of a watch whose client has everything up to a version. */
export function requestAfter(registry: Registry, kind: Kind, operation: WatchOperation, resourceVersion: number): FeedRequest {
  const { target, watch: options } = operation
  const start = { selected: select(kind, target, options), encoder: eventWriterOf(registry, kind, operation), resourceVersion }
  return feedOf(registry, kind, target, { ...start, initial: 'nothing' })
}

/**
 * Watches a collection. Follows ListResource of k8s.io/apiserver with watch=true.
 * @returns the stream of encoded events. A version that is compacted or not reached in time becomes an ERROR event in it.
 * @throws ApiError 400 for invalid selectors and Table options, 406 for a view that events do not have, 500 for a
 *   malformed resourceVersion
 */
export async function watch(registry: Registry, kind: Kind, operation: WatchOperation): Promise<ReadableStream<Uint8Array>> {
  const { allowWatchBookmarks, timeoutSeconds } = operation.watch
  try {
    const request = await requestOf(registry, kind, operation)
    return registry.store.watch({
      ...request,
      // A bookmark confirms that all events up to a version were sent, which is impossible for a version that is not reached yet.
      bookmarks: allowWatchBookmarks && request.resourceVersion <= registry.store.resourceVersion,
      timeoutMilliseconds: timeoutSeconds * 1000,
    })
  } catch (error) {
    if (isErrorEvent(error)) return onlyChunk(errorEvent(error, operation.mediaType))
    throw error
  }
}

/** Whether kube-apiserver sends the error as an ERROR event in a 200 response: errors of the resourceVersion. */
export function isErrorEvent(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === 410 || error.code === 504)
}

/** Returns a stream of a single chunk, for an ERROR event in a 200 response as from kube-apiserver. */
function onlyChunk(chunk: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(chunk)
      controller.close()
    },
  })
}
