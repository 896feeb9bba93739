/** Sends durable events to the watchers that want them, off the way of writes. */
import { expired } from '../meta/errors.ts'
import { CatchUp, type CatchUpSource } from './catch-up.ts'
import { prefixesOf } from './key-range.ts'
import type { LogBatch, LogSelection } from './log.ts'
import type { StoreEvent, WatchRequest } from './store.ts'
import { SharedEvent, Watcher, type WatcherHost, type WatchOptions } from './watcher.ts'

/** So many events are handed to watchers at a time; then others are served. */
const SLICE_DELIVERIES = 128

/** What the hub needs of the store. */
export interface HubSource {
  readonly compactedResourceVersion: number
  /** The events of a selection after a version up to another. */
  readLog(selection: LogSelection, after: number, last: number): LogBatch
  now(): number
}

/** The watchers of one store. */
export class WatchHub implements WatcherHost, CatchUpSource {
  readonly #source: HubSource
  readonly #options: WatchOptions
  readonly #watchers = new Set<Watcher>()
  /** Those that follow live, by the prefix or the single key that they watch. */
  readonly #livePrefixes = new Map<string, Set<Watcher>>()
  readonly #liveKeys = new Map<string, Set<Watcher>>()
  #waiting: SharedEvent[] = []
  /** Who still gets the first of the waiting events. */
  #recipients: Iterator<Watcher> | undefined
  #scheduled = false
  #idleSince = Number.NEGATIVE_INFINITY
  #durable: number
  #sent: number
  #onDrained: (() => void)[] = []

  constructor(source: HubSource, options: WatchOptions, resourceVersion: number) {
    this.#source = source
    this.#options = options
    this.#durable = resourceVersion
    this.#sent = resourceVersion
  }

  get durableResourceVersion(): number {
    return this.#durable
  }

  get sentResourceVersion(): number {
    return this.#sent
  }

  get compactedResourceVersion(): number {
    return this.#source.compactedResourceVersion
  }

  /** How many watchers there are. */
  get size(): number {
    return this.#watchers.size
  }

  now(): number {
    return this.#source.now()
  }

  /** The events that match the request, from its version on. Throws expired when history does not reach it. */
  watch(request: WatchRequest): ReadableStream<Uint8Array> {
    const oldest = this.#source.compactedResourceVersion
    if (request.resourceVersion < oldest) throw expired(`too old resource version: ${request.resourceVersion} (${oldest})`)
    const watcher = new Watcher(request, this.#options, this)
    this.#watchers.add(watcher)
    new CatchUp(watcher, this, this.#options, request.first).run()
    return watcher.stream
  }

  /** Takes over events that are durable, in their order. Returns at once. */
  publish(events: readonly StoreEvent[]): void {
    const last = events.at(-1)
    if (last === undefined) return
    this.#durable = last.object.resourceVersion
    for (const event of events) this.#waiting.push(new SharedEvent(event))
    this.#schedule(Math.max(0, this.#idleSince + this.#options.coalesceMilliseconds - this.now()))
  }

  /** Undefined where events go out as fast as they come in; otherwise resolves when they have gone out. */
  ready(): Promise<void> | undefined {
    if (this.#waiting.length <= this.#options.waitingEvents) return undefined
    return new Promise((resolve) => this.#onDrained.push(resolve))
  }

  /** Ends all watches of keys with the prefix, or all; their clients ask again from the version they have. */
  closeAll(prefix = ''): void {
    for (const watcher of this.#watchers) {
      const { key, prefix: watched } = watcher.request
      if ((key ?? watched).startsWith(prefix)) watcher.close()
    }
  }

  /** Closes all watches and goes on from a version: what was applied since may not be what the disk holds. */
  restart(resourceVersion: number): void {
    this.closeAll()
    this.#durable = Math.max(this.#durable, resourceVersion)
  }

  read(watcher: Watcher, last: number): LogBatch {
    return this.#source.readLog(watcher.request, watcher.position, last)
  }

  join(watcher: Watcher): void {
    watcher.live = true
    const [index, name] = this.#placeOf(watcher)
    const others = index.get(name)
    if (others === undefined) index.set(name, new Set([watcher]))
    else others.add(watcher)
  }

  ended(watcher: Watcher): void {
    this.#watchers.delete(watcher)
    this.#leave(watcher)
  }

  #placeOf(watcher: Watcher): [index: Map<string, Set<Watcher>>, name: string] {
    const { key, prefix } = watcher.request
    return key === undefined ? [this.#livePrefixes, prefix] : [this.#liveKeys, key]
  }

  #leave(watcher: Watcher): void {
    if (!watcher.live) return
    watcher.live = false
    const [index, name] = this.#placeOf(watcher)
    const others = index.get(name)
    others?.delete(watcher)
    if (others?.size === 0) index.delete(name)
  }

  *#watchersOf(key: string): Generator<Watcher, undefined> {
    for (const prefix of prefixesOf(key)) yield* this.#livePrefixes.get(prefix) ?? []
    yield* this.#liveKeys.get(key) ?? []
  }

  #schedule(delay: number): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setTimeout(() => {
      this.#scheduled = false
      this.#sendSlice()
    }, delay)
  }

  #sendSlice(): void {
    let sentEvents = 0
    for (let deliveries = 0; deliveries < SLICE_DELIVERIES && sentEvents < this.#waiting.length; ) {
      const shared = this.#waiting[sentEvents]
      if (shared === undefined) break
      this.#recipients ??= this.#watchersOf(shared.event.object.key)
      const next = this.#recipients.next()
      if (next.done) {
        this.#recipients = undefined
        this.#sent = shared.event.object.resourceVersion
        sentEvents++
        continue
      }
      this.#deliver(next.value, shared)
      deliveries++
    }
    this.#waiting.splice(0, sentEvents)
    if (this.#waiting.length > 0) this.#schedule(0)
    else this.#idle()
  }

  #deliver(watcher: Watcher, shared: SharedEvent): void {
    if (watcher.room > 0) {
      watcher.deliver(shared)
      return
    }
    watcher.position = Math.max(watcher.position, this.#sent)
    this.#leave(watcher)
    new CatchUp(watcher, this, this.#options).run()
  }

  #idle(): void {
    this.#idleSince = this.now()
    for (const resolve of this.#onDrained.splice(0)) resolve()
  }
}
