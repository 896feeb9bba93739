/** One watcher: its sink, its position and its end. The source of its events is not its concern. */
import { logError } from '../meta/log.ts'
import { MissingLookups } from '../meta/lookups.ts'
import type { JoinedEvents, View } from './shared-event.ts'
import type { EventEncoder, Feed, FeedRequest, WatchSink, WatchTally } from './store.ts'
import type { WatchTimes } from './watch-clock.ts'

/** Times and sizes of watches. */
export interface WatchOptions extends WatchTimes {
  /** If at least this many watches are open, a new one is one of a crowd: its first heartbeat is early. */
  readonly crowdThreshold: number
  /** The maximum backlog of one stream in bytes (plus one chunk). */
  readonly backlogBytes: number
  /** The maximum backlog of all streams together in bytes. Each stream may still hold one chunk. */
  readonly totalBacklogBytes: number
  /** The backlog in bytes of all Durable Objects of the isolate together beyond which the slowest watchers are closed. */
  readonly isolateBacklogBytes: number
  /** A watcher whose full stream is not read for this long is closed. */
  readonly stallMilliseconds: number
  /** Writes wait while an event that was published this long ago has not been sent to all live watchers. */
  readonly lateMilliseconds: number
  /**
   * The size in bytes of the newest events, with their encodings, that are kept in memory for watchers that are only a little
   * behind.
   */
  readonly recentBytes: number
}

/** The options of the server. */
export const DEFAULT_WATCH_OPTIONS: WatchOptions = {
  heartbeatMilliseconds: 30_000,
  firstHeartbeatMilliseconds: 1_000,
  crowdThreshold: 64,
  bookmarkMilliseconds: 60_000,
  lastBookmarkMilliseconds: 2_000,
  backlogBytes: 1024 * 1024,
  totalBacklogBytes: 32 * 1024 * 1024,
  isolateBacklogBytes: 32 * 1024 * 1024,
  stallMilliseconds: 15_000,
  lateMilliseconds: 130,
  recentBytes: 8 * 1024 * 1024,
}

/** The parts of the hub that a watcher needs. */
export interface WatcherHost {
  /** All events up to this version were sent to the live watchers. */
  readonly sentResourceVersion: number
  /** Returns the backlog in bytes that the watcher's sink may have. */
  backlogOf(watcher: Watcher): number
  /** Called when bytes were put into a watcher's sink. */
  sent(bytes: number): void
  /** Called when the watcher has ended. */
  ended(watcher: Watcher): void
}

/** A watcher: it puts the events that it selects into its sink. */
export class Watcher implements Feed {
  readonly request: FeedRequest
  /** Its view of events from the second on. */
  readonly view: View
  /** All selected events up to this version are in the sink. */
  position: number
  /** The fetch that its next event waits for. */
  missing: MissingLookups | undefined
  readonly #host: WatcherHost
  readonly #sink: WatchSink
  /** The encoder of the next event. */
  #encoder: EventEncoder
  readonly #tally: WatchTally | undefined
  #live = false
  #ended = false

  constructor(request: FeedRequest, sink: WatchSink, host: WatcherHost) {
    this.request = request
    this.position = request.resourceVersion
    this.#host = host
    this.#sink = sink
    this.#encoder = request.encoder
    this.#tally = request.tally
    if (this.#tally !== undefined) this.#tally.watches.value++
    this.view = { encoder: request.encoder.following ?? request.encoder, matches: request.matches }
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Whether it gets events as they happen; otherwise it reads the log to catch up. */
  get live(): boolean {
    return this.#live
  }

  set live(live: boolean) {
    this.#live = live
    if (!this.#ended) this.#sink.setLive(live, this.position)
  }

  /** The version up to which the client has all selected events. */
  get reached(): number {
    return this.#live ? Math.max(this.position, this.#host.sentResourceVersion) : this.position
  }

  /** The number of bytes in the sink that are not read yet. */
  get queued(): number {
    return this.#sink.queued
  }

  /** The number of bytes that the sink still accepts; 0 or less if it is full or has ended. */
  get room(): number {
    return this.#ended ? 0 : this.#host.backlogOf(this) - this.queued
  }

  /** Whether the sink uses at most a quarter of its backlog. */
  get roomy(): boolean {
    return this.room >= this.#host.backlogOf(this) * 0.75
  }

  /** Sends a part of the initial state: `count` events, up to the key `after`. */
  sendState(chunk: Uint8Array, count: number, after: string): void {
    if (this.#ended) return
    this.#count(count, chunk)
    this.#sink.state(chunk, after)
    this.#host.sent(chunk.byteLength)
  }

  /** Notes that the initial state was sent. */
  endState(): void {
    if (!this.#ended) this.#sink.reached(this.position)
  }

  /** Sends a bookmark with the version that the client has reached. */
  sendBookmark(): void {
    this.#send(this.#encoder.bookmark(this.reached), 1, this.reached)
  }

  /** Returns the bytes that keep the connection alive, if the representation has any. */
  heartbeat(): Uint8Array | undefined {
    return this.#encoder.heartbeat()
  }

  /**
   * Sends the events that are newer than the watcher's position, as far as there is room. An error of selection or encoding ends
   * the watch, except MissingLookups.
   * @returns whether all events were sent
   */
  deliver(events: JoinedEvents): boolean {
    if (events.last <= this.position) return true
    try {
      const isShared = events.first > this.position && this.#encoder === this.view.encoder
      return isShared ? this.#sendChunks(events) : this.#sendNewer(events)
    } catch (error) {
      if (error instanceof MissingLookups) {
        this.missing = error
        return false
      }
      logError('an event could not be shown', error)
      this.fail('the event could not be encoded')
      return true
    }
  }

  /** Ends the watch; the client can still read its backlog. */
  close(): void {
    if (this.leave()) this.#sink.end()
  }

  /** Ends the connection: the watch continues from its position on another one, or its client watches again. */
  restart(): void {
    if (this.leave()) this.#sink.restart()
  }

  /** Ends the watch with an ERROR event, if the encoder has one for this error. */
  refuse(error: unknown): void {
    const chunk = this.request.encoder.failure?.(error)
    if (chunk === undefined) {
      logError('a watch could not be continued', error)
      this.fail('the watch could not be continued')
      return
    }
    this.#send(chunk, 1, this.position)
    this.close()
  }

  /** Fails the watch and drops its backlog. */
  fail(reason: string): void {
    if (!this.leave()) return
    if (this.#tally !== undefined) this.#tally.terminated.value++
    this.#sink.fail(reason)
  }

  /** Removes the watcher without a word to its client, who has gone. @returns false if it had ended already */
  leave(): boolean {
    if (this.#ended) return false
    this.#ended = true
    if (this.#tally !== undefined) this.#tally.watches.value--
    this.#host.ended(this)
    return true
  }

  #count(count: number, { byteLength }: Uint8Array): void {
    if (this.#tally !== undefined && count > 0) {
      this.#tally.events.value += count
      this.#tally.sizes.observe(byteLength / count, count)
    }
    this.#encoder = this.view.encoder
  }

  #send(chunk: Uint8Array, count: number, through: number): void {
    if (this.#ended) return
    this.#count(count, chunk)
    this.#sink.events(chunk, through)
    this.#host.sent(chunk.byteLength)
  }

  #sendChunks(events: JoinedEvents): boolean {
    for (let index = 0; ; index++) {
      if (this.room <= 0) return false
      const next = events.at(index)
      if (next === undefined) break
      this.#send(next.chunk, next.count, next.through)
      this.position = next.through
    }
    this.position = events.last
    return true
  }

  /**
   * Sends one by one to a watcher that joined while events were queued and so has some of them already, or whose first event has
   * another encoder.
   */
  #sendNewer(events: JoinedEvents): boolean {
    for (const event of events.events) {
      const { resourceVersion } = event
      if (resourceVersion <= this.position) continue
      if (this.room <= 0) return false
      const chunk = event.chunkFor({ encoder: this.#encoder, matches: this.view.matches })
      if (chunk !== undefined && this.#encoder !== this.view.encoder) {
        this.#count(1, chunk)
        this.#sink.events(chunk, resourceVersion, () => event.chunkFor(this.view))
        this.#host.sent(chunk.byteLength)
      } else if (chunk !== undefined) this.#send(chunk, 1, resourceVersion)
      this.position = resourceVersion
    }
    return true
  }
}
