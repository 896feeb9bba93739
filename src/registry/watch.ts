/** watch: the changes of a collection after a version, as a stream of events. */
import type { Kind, RemoteConversion } from '../catalog/kind.ts'
import type { ResponseFormat, Target, WatchOptions } from '../clusters/operation.ts'
import { ApiError } from '../meta/errors.ts'
import { readResourceVersion } from '../meta/resource-version.ts'
import type { InitialState, Stored } from '../storage/store.ts'
import { encoderOf, errorEvent, type FormEncoder } from './encoding/events.ts'
import { type Selected, select } from './list/selection.ts'
import type { Registry } from './registry.ts'
import { isFailedConversion, notInitialized, waitForResourceVersion } from './versions.ts'

/** A page of the initial state has so many rows at first, then as many as come to `initialPageBytes`, and `initialPageRows` at most. */
const firstPageRows = 4
const initialPageRows = 100
const initialPageBytes = 64 * 1024

/**
 * The state at a version as ADDED events, page by page. MissingLookups that `next` throws change nothing: it may be called again.
 */
class InitialEvents implements Iterator<Uint8Array>, InitialState {
  readonly #registry: Registry
  readonly #encoder: FormEncoder
  readonly #selected: Selected
  readonly #resourceVersion: number
  #writes: FormEncoder
  #items: readonly Stored[] = []
  #at = 0
  /** The key in front of the page, and the last one in it. */
  #before = ''
  #after = ''
  #rows = firstPageRows
  #left: 'pages' | 'end' | 'nothing' = 'pages'
  readonly #last: 'end' | 'nothing'

  constructor(registry: Registry, { selected, encoder, resourceVersion, initial }: WatchStart) {
    this.#registry = registry
    this.#encoder = encoder
    this.#selected = selected
    this.#resourceVersion = resourceVersion
    this.#writes = encoder
    this.#last = initial === 'state and its end' ? 'end' : 'nothing'
  }

  [Symbol.iterator](): this {
    return this
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
      if (value === undefined) continue
      this.#writes = this.#encoder.following ?? this.#encoder
      return { done: false, value }
    }
  }

  /** Forgets what has been read and not been asked for: it is read again. Many wait for slow clients, each with a page otherwise. */
  release(): void {
    if (this.#at >= this.#items.length) return
    this.#after = this.#items[this.#at - 1]?.key ?? this.#before
    this.#items = []
    this.#at = 0
    this.#left = 'pages'
  }

  #read(): void {
    const { prefix, marks } = this.#selected
    const request = { prefix, after: this.#after, limit: this.#rows, resourceVersion: this.#resourceVersion, marks }
    const { items, more } = this.#registry.store.list(request)
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

/** A watch made ready. */
export interface WatchStart {
  readonly selected: Selected
  readonly encoder: FormEncoder
  /** Events after this version are shown; one that has not come yet is waited for without a word. */
  readonly resourceVersion: number
  /** What comes before them: nothing, the state as ADDED, or the state and the bookmark that says so. */
  readonly initial: 'nothing' | 'state' | 'state and its end'
}

/** Upstream begins no watch of objects that it cannot list: the first of them are tried. */
async function requireConversion({ store }: Registry, kind: Kind, remote: RemoteConversion, { prefix }: Selected): Promise<void> {
  const { items } = store.list({ prefix, limit: initialPageRows, resourceVersion: store.resourceVersion })
  try {
    await remote.show(items.map(({ value }) => value))
  } catch (error) {
    throw error instanceof ApiError && isFailedConversion(error) ? notInitialized(kind, error) : error
  }
}

/**
 * Where a watch begins: the table of "Semantics for watch" of the API concepts, and KEP-3157.
 * @throws ApiError 400 for selectors, 500 for a malformed version, 504 if the initial state is to be of one that does not come
 */
export async function startWatch(
  registry: Registry,
  kind: Kind,
  target: Target,
  options: WatchOptions,
  shown: ResponseFormat,
): Promise<WatchStart> {
  const selected = select(kind, target, options)
  const asked = readResourceVersion(options.resourceVersion)
  const { sendInitialEvents, allowWatchBookmarks } = options
  const encoder = encoderOf(registry, kind, shown)
  if (kind.conversion?.remote !== undefined) await requireConversion(registry, kind, kind.conversion.remote, selected)
  if (sendInitialEvents ?? asked === 0n) {
    if (sendInitialEvents === true) await waitForResourceVersion(registry.store, asked)
    const initial = sendInitialEvents === true && allowWatchBookmarks ? 'state and its end' : 'state'
    return { selected, encoder, resourceVersion: registry.store.resourceVersion, initial }
  }
  return { selected, encoder, resourceVersion: asked === 0n ? registry.store.resourceVersion : Number(asked), initial: 'nothing' }
}

/**
 * @throws ApiError 400 for selectors and options of a Table, 406 for a form that events do not have, 500 for a malformed version; a version that is too old or does not come becomes an ERROR event
 */
export async function watch(
  registry: Registry,
  kind: Kind,
  target: Target,
  options: WatchOptions,
  shown: ResponseFormat,
): Promise<ReadableStream<Uint8Array>> {
  try {
    const start = await startWatch(registry, kind, target, options, shown)
    const { selected, encoder, resourceVersion, initial } = start
    return registry.store.watch({
      prefix: selected.prefix,
      ...(selected.key !== undefined && { key: selected.key }),
      resourceVersion,
      ...(selected.matches !== undefined && { matches: selected.matches }),
      encoder,
      ...(registry.watchTallies !== undefined && { tally: registry.watchTallies.of(kind, target) }),
      // Of a version that has not come, nobody can say that all up to it was sent.
      bookmarks: options.allowWatchBookmarks && resourceVersion <= registry.store.resourceVersion,
      timeoutMilliseconds: options.timeoutSeconds * 1000,
      ...(initial !== 'nothing' && {
        first: new InitialEvents(registry, start),
      }),
    })
  } catch (error) {
    if (isErrorEvent(error)) return onlyChunk(errorEvent(error, shown.mediaType))
    throw error
  }
}

/** Whether kube-apiserver tells of an error within the stream: what the versions come to, when all else was right. */
export function isErrorEvent(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.code === 410 || error.code === 504)
}

/** A stream that tells only why there is none: the answer itself is a 200, as kube-apiserver's is. */
function onlyChunk(chunk: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(chunk)
      controller.close()
    },
  })
}
