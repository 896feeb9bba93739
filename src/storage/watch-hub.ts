/** Sends durable events to the watchers that want them, off the way of writes. */
import { type ApiError, expired } from '../meta/errors.ts'
import { CatchUp, type CatchUpSource } from './catch-up.ts'
import { prefixesOf } from './key-range.ts'
import type { LogBatch, LogSelection, StoreEvent, WatchRequest } from './store.ts'
import { SharedEvent, Watcher, type WatcherHost, type WatchOptions } from './watcher.ts'

/** So many watchers are served at a time, and about so many events sent; then others have their turn. */
const SLICE_WATCHERS = 32
const SLICE_EVENTS = 512
/** So many events make a batch at most. A watcher gets all of a batch that it wants at once, which costs little more than one. */
const BATCH_EVENTS = 64

/** Events on their way to the watchers that follow live. */
interface Batch {
  readonly resourceVersion: number
  /** Who still gets which of them. */
  readonly deliveries: Iterator<Delivery>
}

interface Delivery {
  readonly watcher: Watcher
  readonly events: readonly SharedEvent[]
}

/** What the hub needs of the store. */
export interface HubSource {
  readonly compactedResourceVersion: number
  /** The events of a selection after a version up to another. */
  readLog(selection: LogSelection, after: number, last: number): LogBatch
  now(): number
}

/** 410: the changes after a version are no longer all there. */
export function tooOld(asked: number, oldest: number): ApiError {
  return expired(`too old resource version: ${asked} (${oldest})`)
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
  #batch: Batch | undefined
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
    if (request.resourceVersion < oldest) throw tooOld(request.resourceVersion, oldest)
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

  /** Each watcher that wants some of the events, once: a watcher stands at one place of the indexes. */
  *#deliveries(batch: readonly SharedEvent[]): Generator<Delivery, undefined> {
    const wanted = new Map<ReadonlySet<Watcher>, SharedEvent[]>()
    for (const shared of batch) {
      const { key } = shared.event.object
      for (const watchers of [...prefixesOf(key).map((prefix) => this.#livePrefixes.get(prefix)), this.#liveKeys.get(key)]) {
        if (watchers === undefined) continue
        const events = wanted.get(watchers)
        if (events === undefined) wanted.set(watchers, [shared])
        else events.push(shared)
      }
    }
    for (const [watchers, events] of wanted) {
      for (const watcher of watchers) yield { watcher, events }
    }
  }

  #schedule(delay: number): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setTimeout(() => {
      this.#scheduled = false
      this.#sendSlice()
    }, delay)
  }

  #nextBatch(): Batch | undefined {
    const events = this.#waiting.splice(0, BATCH_EVENTS)
    const last = events.at(-1)
    return last && { resourceVersion: last.event.object.resourceVersion, deliveries: this.#deliveries(events) }
  }

  #sendSlice(): void {
    let watchers = 0
    for (let events = 0; watchers < SLICE_WATCHERS && events < SLICE_EVENTS; ) {
      this.#batch ??= this.#nextBatch()
      if (this.#batch === undefined) {
        this.#idle()
        return
      }
      const next = this.#batch.deliveries.next()
      if (next.done) {
        this.#sent = this.#batch.resourceVersion
        this.#batch = undefined
        continue
      }
      this.#deliver(next.value)
      watchers++
      events += next.value.events.length
    }
    this.#schedule(0)
  }

  #deliver({ watcher, events }: Delivery): void {
    for (const shared of events) {
      if (watcher.room <= 0) {
        this.#fallBehind(watcher)
        return
      }
      watcher.deliver(shared)
    }
  }

  #fallBehind(watcher: Watcher): void {
    if (watcher.ended) return
    watcher.position = Math.max(watcher.position, this.#sent)
    this.#leave(watcher)
    new CatchUp(watcher, this, this.#options).run()
  }

  #idle(): void {
    this.#idleSince = this.now()
    for (const resolve of this.#onDrained.splice(0)) resolve()
  }
}
