/**
 * Sends durable events to the watchers that want them: with their commit where watchers are few and no write waits, off the way
 * of writes otherwise.
 *
 * Events go out in rounds. A round takes what has come in since the one before began, joins it for all watchers that see
 * alike, and visits each of them once: an event alone goes out at once, and the more watchers there are, the more events
 * share the cost of a visit.
 */
import { type ApiError, expired } from '../meta/errors.ts'
import { Budget, CatchUp, type CatchUpSource, type SharedBatch } from './catch-up.ts'
import { type Delivery, LiveWatchers } from './live-watchers.ts'
import { RecentEvents } from './recent-events.ts'
import { SharedEvent } from './shared-event.ts'
import type { LogBatch, LogSelection, StoreEvent, WatchRequest } from './store.ts'
import { Timers } from './timers.ts'
import { Watcher, type WatcherHost, type WatchOptions } from './watcher.ts'

/** So many watchers are served at a time, and so many bytes handed over; then others have their turn. */
const SLICE_WATCHERS = 32
const SLICE_BYTES = 1024 * 1024
/** So many watchers see an event in the turn of its commit: a round of them takes less than the commit itself. */
const FEW_WATCHERS = 4
/** A group that sees nothing of a round costs this part of a visit. */
const UNCONCERNED = 1 / 16
/** So many events make a round at most. */
const ROUND_EVENTS = 256
/** About what sending to a watcher takes, in milliseconds. Rounds of many watchers leave as much time between them. */
const VISIT_MILLISECONDS = 0.02
const LONGEST_PAUSE = 20
/** Events are joined to chunks of about so many bytes. */
const CHUNK_BYTES = 64 * 1024
/** What a watcher takes that is sent its initial state, with what the runtime keeps for its connection. */
const INITIAL_BYTES = 512 * 1024
/** The least that may wait for a watcher, however many there are. */
const LEAST_BACKLOG = 16 * 1024

/** Events on their way to the watchers that follow live. */
interface Round {
  readonly resourceVersion: number
  /** Who still gets which of them. */
  readonly deliveries: Iterator<Delivery | undefined>
  readonly began: number
  visits: number
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
  readonly timers = new Timers()
  readonly chunkBytes: number
  readonly initial: Budget
  readonly initialBytes: number
  readonly #source: HubSource
  readonly #options: WatchOptions
  readonly #watchers = new Set<Watcher>()
  readonly #live = new LiveWatchers()
  readonly #recent: RecentEvents
  #liveCount = 0
  #waiting: SharedEvent[] = []
  #round: Round | undefined
  #scheduled = false
  #nextRoundAt = 0
  #durable: number
  #sent: number
  #onDrained: (() => void)[] = []

  constructor(source: HubSource, options: WatchOptions, resourceVersion: number) {
    this.#source = source
    this.#options = options
    this.#durable = resourceVersion
    this.#sent = resourceVersion
    this.#recent = new RecentEvents(options.recentBytes, resourceVersion)
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

  /** How many watchers there are. */
  get size(): number {
    return this.#watchers.size
  }

  now(): number {
    return this.#source.now()
  }

  /** The watchers of a group share what waits for them; what waits for one that catches up is its own. */
  backlogOf(watcher: Watcher): number {
    const { backlogBytes, totalBacklogBytes } = this.#options
    const sharing = watcher.live ? this.#live.groups : this.#watchers.size - this.#liveCount
    return Math.min(backlogBytes, Math.max(LEAST_BACKLOG, totalBacklogBytes / Math.max(1, sharing)))
  }

  /** The events that match the request, from its version on. Throws expired when history does not reach it. */
  watch(request: WatchRequest): ReadableStream<Uint8Array> {
    const oldest = this.#source.compactedResourceVersion
    if (request.resourceVersion < oldest) throw tooOld(request.resourceVersion, oldest)
    const watcher = new Watcher(request, this.#options, this)
    this.#watchers.add(watcher)
    new CatchUp(watcher, this, request.first).run()
    return watcher.stream
  }

  /**
   * Takes over events that are durable, in their order. Returns at once.
   * @param waitingWrites how many writes wait for their turn
   */
  publish(events: readonly StoreEvent[], waitingWrites = 0): void {
    const last = events.at(-1)
    if (last === undefined) return
    this.#durable = last.object.resourceVersion
    const shared = events.map((event) => new SharedEvent(event))
    this.#recent.push(shared)
    this.#waiting.push(...shared)
    // A timer is late where other objects of the process are busy, and controllers wait for the events of their own writes.
    const isSoon = waitingWrites === 0 && this.#round === undefined && this.#liveCount <= FEW_WATCHERS
    if (isSoon) queueMicrotask(() => this.#sendSlice())
    else this.#schedule()
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

  /** How many bytes were handed over. */
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
    if (this.#waiting.length > 0) {
      this.#schedule()
      return
    }
    for (const resolve of this.#onDrained.splice(0)) resolve()
  }
}
