/** One watcher: its stream, its position, its heartbeats and its end. The source of its events is not its concern. */
import { MissingLookups } from '../meta/lookups.ts'
import { heartbeatOf } from './bookmarks.ts'
import type { JoinedEvents, View } from './shared-event.ts'
import type { EventEncoder, WatchRequest, WatchTally } from './store.ts'
import type { Timer, Timers } from './timers.ts'

/** Times and sizes of watches. */
export interface WatchOptions {
  /** An idle watch gets a heartbeat or a bookmark after this time. */
  readonly heartbeatMilliseconds: number
  /**
   * If at least `crowdThreshold` watches are open, a new one gets its first heartbeat after this time, the next after twice this time, and
   * so on: a client that has gone is noticed only on a write, and its connection stays open until then. Clients that open watches
   * and drop them as fast as they can would soon use up all connections.
   */
  readonly firstHeartbeatMilliseconds: number
  readonly crowdThreshold: number
  /** The interval between bookmarks; a multiple of the heartbeat. */
  readonly bookmarkMilliseconds: number
  /** The maximum backlog of one stream in bytes (plus one chunk). */
  readonly backlogBytes: number
  /** The maximum backlog of all streams together in bytes. Each stream may still hold one chunk. */
  readonly totalBacklogBytes: number
  /** A watcher whose full stream is not read for this long is closed. */
  readonly stallMilliseconds: number
  /** The number of queued events above which writes wait until they are sent. */
  readonly waitingEvents: number
  /** The size in bytes of the newest events that are kept in memory for watchers that are only a little behind. */
  readonly recentBytes: number
}

/** The options of the server. */
export const DEFAULT_WATCH_OPTIONS: WatchOptions = {
  heartbeatMilliseconds: 30_000,
  firstHeartbeatMilliseconds: 1_000,
  crowdThreshold: 64,
  bookmarkMilliseconds: 60_000,
  backlogBytes: 1024 * 1024,
  totalBacklogBytes: 32 * 1024 * 1024,
  stallMilliseconds: 15_000,
  waitingEvents: 2_000,
  recentBytes: 4 * 1024 * 1024,
}

/** The parts of the hub that a watcher needs. */
export interface WatcherHost {
  readonly timers: Timers
  /** The number of watchers. */
  readonly size: number
  /** All events up to this version were sent to the live watchers. */
  readonly sentResourceVersion: number
  /** Returns the backlog in bytes that the watcher's stream may have. */
  backlogOf(watcher: Watcher): number
  /** Called when the watcher has ended. */
  ended(watcher: Watcher): void
}

/** A watcher. Its client reads `stream`. */
export class Watcher {
  readonly request: WatchRequest
  readonly stream: ReadableStream<Uint8Array>
  /** Its view of events from the second on. */
  readonly view: View
  /** All selected events up to this version are in the stream. */
  position: number
  /** Whether it gets events as they happen; otherwise it reads the log to catch up. */
  live = false
  /** The fetch that its next event waits for. */
  missing: MissingLookups | undefined
  readonly #options: WatchOptions
  readonly #host: WatcherHost
  readonly #endsAt: number
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /** The encoder of the next event. */
  #encoder: EventEncoder
  readonly #tally: WatchTally | undefined
  #sent = false
  #heartbeats = 0
  /** The time between the last heartbeat and the next, in milliseconds. */
  #heartbeatPause: number
  #heartbeatAt: number
  #timer: Timer

  constructor(request: WatchRequest, options: WatchOptions, host: WatcherHost) {
    this.request = request
    this.position = request.resourceVersion
    this.#options = options
    this.#host = host
    this.#encoder = request.encoder
    this.#tally = request.tally
    if (this.#tally !== undefined) this.#tally.watches++
    this.view = { encoder: request.encoder.following ?? request.encoder, matches: request.matches }
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        cancel: () => this.#end(),
      },
      { highWaterMark: options.backlogBytes, size: (chunk) => chunk?.byteLength ?? 0 },
    )
    const now = Date.now()
    this.#endsAt = now + request.timeoutMilliseconds
    this.#heartbeatPause = host.size < options.crowdThreshold ? options.heartbeatMilliseconds : options.firstHeartbeatMilliseconds
    // Watchers that start together, for example after a restart, must not send heartbeats at the same time.
    this.#heartbeatAt = now + this.#heartbeatPause * (0.5 + Math.random() / 2)
    this.#timer = this.#nextTimer(now)
  }

  get ended(): boolean {
    return this.#controller === undefined
  }

  /** The number of bytes in the stream that are not read yet. */
  get queued(): number {
    return this.#options.backlogBytes - (this.#controller?.desiredSize ?? 0)
  }

  /** The number of bytes that the stream still accepts; 0 or less if it is full or has ended. */
  get room(): number {
    return this.#controller === undefined ? 0 : this.#host.backlogOf(this) - this.queued
  }

  /** Whether the stream uses at most a quarter of its backlog. */
  get roomy(): boolean {
    return this.room >= this.#host.backlogOf(this) * 0.75
  }

  /** Appends a chunk of `count` events or bookmarks to the stream. */
  send(chunk: Uint8Array, count = 1): void {
    this.#sent = true
    if (this.#tally !== undefined) this.#tally.events += count
    this.#encoder = this.view.encoder
    this.#controller?.enqueue(chunk)
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
      console.error('an event could not be shown', error)
      this.fail('the event could not be encoded')
      return true
    }
  }

  /** Ends the stream; the client can still read its backlog. */
  close(): void {
    const controller = this.#controller
    this.#end()
    controller?.close()
  }

  /** Ends the stream with an ERROR event, if the encoder has one for this error. */
  refuse(error: unknown): void {
    const chunk = this.request.encoder.failure?.(error)
    if (chunk === undefined) {
      console.error('a watch could not be continued', error)
      this.fail('the watch could not be continued')
      return
    }
    this.send(chunk)
    this.close()
  }

  /** Fails the stream and drops its backlog. */
  fail(reason: string): void {
    const controller = this.#controller
    this.#end()
    controller?.error(new Error(reason))
  }

  #sendChunks(events: JoinedEvents): boolean {
    for (let index = 0; ; index++) {
      if (this.room <= 0) return false
      const next = events.at(index)
      if (next === undefined) break
      this.send(next.chunk, next.count)
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
      if (event.resourceVersion <= this.position) continue
      if (this.room <= 0) return false
      const chunk = event.chunkFor({ encoder: this.#encoder, matches: this.view.matches })
      if (chunk !== undefined) this.send(chunk)
      this.position = event.resourceVersion
    }
    return true
  }

  #end(): void {
    if (this.#controller === undefined) return
    this.#controller = undefined
    if (this.#tally !== undefined) this.#tally.watches--
    this.#timer.cancel()
    this.#host.ended(this)
  }

  #nextTimer(now: number): Timer {
    return this.#host.timers.after(Math.min(this.#heartbeatAt, this.#endsAt) - now, () => this.#onTimer())
  }

  #onTimer(): void {
    if (this.#endsAt <= this.#heartbeatAt) {
      this.#onTimeout()
      return
    }
    const { heartbeatMilliseconds } = this.#options
    if (this.#heartbeatPause < heartbeatMilliseconds) {
      this.#probe()
      this.#heartbeatPause = Math.min(this.#heartbeatPause * 2, heartbeatMilliseconds)
    } else this.#onHeartbeat()
    if (this.ended) return
    const now = Date.now()
    this.#heartbeatAt = now + this.#heartbeatPause
    this.#timer = this.#nextTimer(now)
  }

  #bookmark(): Uint8Array {
    return this.#encoder.bookmark(this.live ? Math.max(this.position, this.#host.sentResourceVersion) : this.position)
  }

  /**
   * Tests the connection by writing to it. If the representation has no bytes that a client ignores, only ending the watch is
   * possible: the client watches again from its position.
   */
  #probe(): void {
    if (this.room <= 0) return
    const heartbeat = this.#encoder.heartbeat()
    if (heartbeat !== undefined) this.#controller?.enqueue(heartbeat)
    else if (this.request.bookmarks && this.live) this.send(this.#bookmark())
    else if (!this.#sent && this.#heartbeatPause * 2 >= this.#options.heartbeatMilliseconds) this.close()
    this.#sent = false
  }

  #onHeartbeat(): void {
    const { heartbeatMilliseconds, bookmarkMilliseconds } = this.#options
    const due = heartbeatOf({
      heartbeat: ++this.#heartbeats,
      heartbeatsPerBookmark: Math.max(1, Math.round(bookmarkMilliseconds / heartbeatMilliseconds)),
      bookmarks: this.request.bookmarks,
      initialized: this.live,
      sent: this.#sent,
    })
    if (this.room > 0 && due === 'bookmark') this.send(this.#bookmark())
    const heartbeat = this.room > 0 && due === 'heartbeat' ? this.#encoder.heartbeat() : undefined
    if (heartbeat !== undefined) this.#controller?.enqueue(heartbeat)
    this.#sent = false
  }

  #onTimeout(): void {
    if (this.request.bookmarks && this.live && this.room > 0) this.send(this.#bookmark())
    this.close()
  }
}
