/**
 * Sends durable events to watchers: in the same turn as the commit if there are few watchers and no write waits, otherwise off
 * the write path.
 *
 * Events go out in rounds. A round takes the events since the last one, joins them per group of watchers with the same view, and
 * visits each watcher once. A lone event goes out at once; the more watchers there are, the more events share the cost of a
 * visit.
 */
import { type ApiError, expired } from '../meta/errors.ts'
import { Budget, CatchUp, type CatchUpSource, type SharedBatch } from './catch-up.ts'
import { type Delivery, LiveWatchers } from './live-watchers.ts'
import { RecentEvents } from './recent-events.ts'
import { SharedEvent } from './shared-event.ts'
import type { Feed, FeedRequest, LogBatch, LogSelection, StoreEvent, WatchRequest, WatchSink } from './store.ts'
import { StreamSink } from './stream-sink.ts'
import { Timers } from './timers.ts'
import { type BacklogHost, WatchBacklog } from './watch-backlog.ts'
import { Watcher, type WatcherHost, type WatchOptions } from './watcher.ts'

/** The most watchers that one slice serves, and the most bytes that it sends; then other requests get their turn. */
const SLICE_WATCHERS = 32
const SLICE_BYTES = 1024 * 1024
/** The most watchers that get an event in the turn of its commit: a round for them takes less time than the commit itself. */
const FEW_WATCHERS = 4
/** The cost of a group that selects no event of a round, as a part of a visit. */
const UNCONCERNED = 1 / 16
/** The most events in a round. */
const ROUND_EVENTS = 256
/**
 * The approximate cost of sending to one watcher, in milliseconds. After a round of many watchers, the pause is as long as the
 * round.
 */
const VISIT_MILLISECONDS = 0.02
const LONGEST_PAUSE = 20
/** Events are joined into chunks of about this many bytes. */
const CHUNK_BYTES = 64 * 1024
/** The memory for a watcher that is receiving its initial state, including the runtime's memory for its connection. */
const INITIAL_BYTES = 512 * 1024
/** The smallest backlog that a watcher is allowed, however many watchers there are. */
const LEAST_BACKLOG = 16 * 1024

/** Events on their way to the live watchers. */
interface Round {
  readonly resourceVersion: number
  /** The time at which its first event was published. */
  readonly since: number
  /** The deliveries that remain. */
  readonly deliveries: Iterator<Delivery | undefined>
  readonly began: number
  visits: number
}

/** The parts of the store that the hub needs. */
export interface HubSource {
  readonly compactedResourceVersion: number
  /** Returns the events of a selection after one version up to another. */
  readLog(selection: LogSelection, after: number, last: number): LogBatch
  now(): number
}

/** Returns the 410 Expired error for a version that history no longer reaches. */
export function expiredError(requested: number, oldest: number): ApiError {
  return expired(`too old resource version: ${requested} (${oldest})`)
}

/**
 * The watchers of one store. Every watch begins with catch-up, then joins the live watchers.
 * @example
 * const hub = new WatchHub({ compactedResourceVersion: 1, readLog, now: Date.now }, DEFAULT_WATCH_OPTIONS, 41)
 * const request = { prefix: 'pods/default/', resourceVersion: 41, encoder, bookmarks: true, timeoutMilliseconds: 60_000 }
 * const stream = hub.watch(request)
 * hub.publish(events)
 * for await (const chunk of stream) console.log(new TextDecoder().decode(chunk))
 */
export class WatchHub implements WatcherHost, CatchUpSource, BacklogHost {
  readonly timers = new Timers()
  readonly chunkBytes: number
  readonly initial: Budget
  readonly initialBytes: number
  readonly #source: HubSource
  readonly #options: WatchOptions
  readonly #watchers = new Set<Watcher>()
  readonly #live = new LiveWatchers()
  readonly #recent: RecentEvents
  readonly #backlog: WatchBacklog
  #liveCount = 0
  #waiting: SharedEvent[] = []
  /** The time at which the first waiting event was published. */
  #waitingSince = 0
  #round: Round | undefined
  #scheduled = false
  #nextRoundAt = 0
  #durable: number
  #sent: number
  #onTime: (() => void)[] = []

  constructor(source: HubSource, options: WatchOptions, resourceVersion: number) {
    this.#source = source
    this.#options = options
    this.#durable = resourceVersion
    this.#sent = resourceVersion
    this.#recent = new RecentEvents(options.recentBytes, resourceVersion)
    this.#backlog = new WatchBacklog(this, options.isolateBacklogBytes)
    this.initialBytes = Math.min(INITIAL_BYTES, options.backlogBytes / 2)
    this.initial = new Budget(options.totalBacklogBytes / 2)
    this.chunkBytes = Math.min(CHUNK_BYTES, options.backlogBytes / 4)
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

  get stallMilliseconds(): number {
    return this.#options.stallMilliseconds
  }

  /** The number of watchers. */
  get size(): number {
    return this.#watchers.size
  }

  now(): number {
    return this.#source.now()
  }

  /**
   * Returns the backlog in bytes that the watcher may have. Live watchers of a group share their chunks; a watcher that catches
   * up has its own.
   */
  backlogOf(watcher: Watcher): number {
    const { backlogBytes, totalBacklogBytes } = this.#options
    const sharing = watcher.live ? this.#live.groups : this.#watchers.size - this.#liveCount
    return Math.min(backlogBytes, Math.max(LEAST_BACKLOG, totalBacklogBytes / Math.max(1, sharing)))
  }

  /**
   * Streams the events that the request selects, after its resourceVersion.
   * @throws ApiError 410 Expired if history does not reach that version
   */
  watch(request: WatchRequest): ReadableStream<Uint8Array> {
    this.#requireHistory(request)
    const sink = new StreamSink(this.#options.backlogBytes)
    const watcher = new Watcher(request, sink, this)
    const among = this.size < this.#options.crowdThreshold ? 'few' : 'crowd'
    sink.start(watcher, request, this.#options, this.timers, among)
    this.#begin(watcher)
    return sink.stream
  }

  /**
   * Sends the events that the request selects, after its resourceVersion, to a sink that has its own heartbeats and end.
   * @throws ApiError 410 Expired if history does not reach that version
   */
  feed(request: FeedRequest, sink: WatchSink): Feed {
    this.#requireHistory(request)
    const watcher = new Watcher(request, sink, this)
    this.#begin(watcher)
    return watcher
  }

  #requireHistory({ resourceVersion }: FeedRequest): void {
    const oldest = this.#source.compactedResourceVersion
    if (resourceVersion < oldest) throw expiredError(resourceVersion, oldest)
  }

  #begin(watcher: Watcher): void {
    this.#watchers.add(watcher)
    new CatchUp(watcher, this, watcher.request.first).run()
  }

  /**
   * Takes durable events, in their order, and returns at once.
   * @param waitingWrites the number of queued writes
   */
  publish(events: readonly StoreEvent[], waitingWrites = 0): void {
    const last = events.at(-1)
    if (last === undefined) return
    this.#durable = last.object.resourceVersion
    const shared = events.map((event) => new SharedEvent(event))
    this.#recent.push(shared)
    if (this.#waiting.length === 0) this.#waitingSince = Date.now()
    this.#waiting.push(...shared)
    // A timer is late if other Durable Objects of the process are busy, and controllers wait for the events of their own writes.
    const isSoon = waitingWrites === 0 && this.#round === undefined && this.#liveCount <= FEW_WATCHERS
    if (isSoon) queueMicrotask(() => this.#sendSlice())
    else this.#schedule()
  }

  /** Returns undefined if events go out as fast as they come in, otherwise a promise that resolves when they do again. */
  ready(): Promise<void> | undefined {
    if (!this.#isLate()) return undefined
    return new Promise((resolve) => this.#onTime.push(resolve))
  }

  #isLate(): boolean {
    const since = this.#round?.since ?? (this.#waiting.length > 0 ? this.#waitingSince : Number.POSITIVE_INFINITY)
    return Date.now() - since >= this.#options.lateMilliseconds
  }

  /** Ends all watches of keys with the prefix, or all watches. The clients watch again from the version they have. */
  closeAll(prefix = ''): void {
    for (const watcher of this.#watchers) {
      const { key, prefix: watched } = watcher.request
      if ((key ?? watched).startsWith(prefix)) watcher.close()
    }
  }

  /** Restarts all watches and continues from a version, because changes applied since may not be on disk. */
  restart(resourceVersion: number): void {
    for (const watcher of this.#watchers) watcher.restart()
    this.#durable = Math.max(this.#durable, resourceVersion)
    this.#recent.restart(this.#durable)
  }

  read(watcher: Watcher, last: number): SharedBatch {
    const recent = this.#recent.read(watcher.request, watcher.position)
    if (recent !== undefined) return { events: recent, through: last }
    const { events, through } = this.#source.readLog(watcher.request, watcher.position, last)
    return { events: events.map((event) => new SharedEvent(event)), through }
  }

  join(watcher: Watcher): void {
    watcher.live = true
    this.#liveCount++
    this.#live.add(watcher)
  }

  ended(watcher: Watcher): void {
    this.#watchers.delete(watcher)
    this.#leave(watcher)
    this.#backlog.ended()
  }

  sent(bytes: number): void {
    this.#backlog.sent(bytes)
  }

  *backlogGroups(): Iterable<Iterable<Watcher>> {
    yield* this.#live.watchers()
    for (const watcher of this.#watchers) if (!watcher.live) yield [watcher]
  }

  #leave(watcher: Watcher): void {
    if (!watcher.live) return
    watcher.live = false
    this.#liveCount--
    this.#live.delete(watcher)
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    const pause = this.#round === undefined ? Math.min(LONGEST_PAUSE, Math.max(0, this.#nextRoundAt - Date.now())) : 0
    setTimeout(() => {
      this.#scheduled = false
      this.#sendSlice()
    }, pause)
  }

  #nextRound(): Round | undefined {
    const events = this.#waiting.splice(0, ROUND_EVENTS)
    const last = events.at(-1)
    return (
      last && {
        resourceVersion: last.resourceVersion,
        since: this.#waitingSince,
        deliveries: this.#live.deliveries(events, this.chunkBytes),
        began: Date.now(),
        visits: 0,
      }
    )
  }

  #sendSlice(): void {
    this.#round ??= this.#nextRound()
    const round = this.#round
    if (round === undefined) return
    let bytes = 0
    for (let visits = 0; visits < SLICE_WATCHERS && bytes < SLICE_BYTES; ) {
      const next = round.deliveries.next()
      if (next.done) {
        this.#endRound(round)
        return
      }
      const visit = next.value === undefined ? UNCONCERNED : 1
      visits += visit
      round.visits += visit
      if (next.value !== undefined) bytes += this.#deliver(next.value)
    }
    this.#schedule()
  }

  /** Sends to one watcher. @returns the number of bytes sent */
  #deliver({ watcher, joined }: Delivery): number {
    const before = watcher.queued
    const all = watcher.deliver(joined)
    const after = watcher.queued
    if (!all && !watcher.ended) this.#fallBehind(watcher)
    return Math.max(0, after - before)
  }

  #fallBehind(watcher: Watcher): void {
    watcher.position = Math.max(watcher.position, this.#sent)
    this.#leave(watcher)
    new CatchUp(watcher, this).run()
  }

  #endRound(round: Round): void {
    this.#round = undefined
    this.#sent = round.resourceVersion
    this.#nextRoundAt = round.began + 2 * VISIT_MILLISECONDS * round.visits
    if (this.#waiting.length > 0) this.#schedule()
    if (!this.#isLate()) for (const resolve of this.#onTime.splice(0)) resolve()
  }
}
