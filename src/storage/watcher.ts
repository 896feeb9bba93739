/** One watcher: its stream, how far it is, its beats and its end. It does not know where events come from. */
import { MissingLookups } from '../meta/lookups.ts'
import { heartbeatOf } from './bookmarks.ts'
import type { JoinedEvents, View } from './shared-event.ts'
import type { EventEncoder, WatchRequest, WatchTally } from './store.ts'
import type { Timer, Timers } from './timers.ts'

/** Times and sizes of watches. */
export interface WatchOptions {
  /** A watch on which nothing was sent for so long gets a sign of life. */
  readonly heartbeatMilliseconds: number
  /**
   * Where at least `crowd` watches are open, a new one gets the first sign of life so soon, the next after twice that, and so on: a
   * client that has gone is only noticed on a write, and until then its connection is held. Clients that open watches and drop them
   * as fast as they can would soon hold them all.
   */
  readonly firstHeartbeatMilliseconds: number
  readonly crowd: number
  /** Bookmarks come about so often; a multiple of the heartbeat. */
  readonly bookmarkMilliseconds: number
  /** So many bytes wait in a stream at most (and one chunk). */
  readonly backlogBytes: number
  /** So many bytes wait in all streams together, as far as a stream holds no less than the size of a chunk. */
  readonly totalBacklogBytes: number
  /** A watcher that leaves a full stream unread for so long is closed. */
  readonly stallMilliseconds: number
  /** So many events may wait for being sent before writes wait for them. */
  readonly waitingEvents: number
  /** So many bytes of the newest events are kept in memory, for watchers that are not far behind. */
  readonly recentBytes: number
}

/** What the server uses. */
export const DEFAULT_WATCH_OPTIONS: WatchOptions = {
  heartbeatMilliseconds: 30_000,
  firstHeartbeatMilliseconds: 1_000,
  crowd: 64,
  bookmarkMilliseconds: 60_000,
  backlogBytes: 1024 * 1024,
  totalBacklogBytes: 32 * 1024 * 1024,
  stallMilliseconds: 15_000,
  waitingEvents: 2_000,
  recentBytes: 4 * 1024 * 1024,
}

/** What a watcher asks of its hub. */
export interface WatcherHost {
  readonly timers: Timers
  /** How many watchers there are. */
  readonly size: number
  /** All events up to here went out to the watchers that follow live. */
  readonly sentResourceVersion: number
  /** So many bytes may wait in the watcher's stream. */
  backlogOf(watcher: Watcher): number
  /** The watcher has ended: forget it. */
  ended(watcher: Watcher): void
}

/** A watcher. `stream` is what its client reads. */
export class Watcher {
  readonly request: WatchRequest
  readonly stream: ReadableStream<Uint8Array>
  /** How it sees events, from the second on. */
  readonly view: View
  /** All selected events up to this version are in the stream. */
  position: number
  /** Whether events reach it as they happen; otherwise it reads the log to catch up. */
  live = false
  /** The lookups that the next event waits for. */
  missing: MissingLookups | undefined
  readonly #options: WatchOptions
  readonly #host: WatcherHost
  readonly #endsAt: number
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /** What writes the next event. */
  #encoder: EventEncoder
  readonly #tally: WatchTally | undefined
  #sent = false
  #beat = 0
  /** How long after a beat the next comes. */
  #pause: number
  #beatsAt: number
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
    this.#pause = host.size < options.crowd ? options.heartbeatMilliseconds : options.firstHeartbeatMilliseconds
    // Watchers that begin together, as after a restart, do not beat together.
    this.#beatsAt = now + this.#pause * (0.5 + Math.random() / 2)
    this.#timer = this.#nextTimer(now)
  }

  get ended(): boolean {
    return this.#controller === undefined
  }

  /** How many bytes wait in the stream. */
  get queued(): number {
    return this.#options.backlogBytes - (this.#controller?.desiredSize ?? 0)
  }

  /** How many more bytes the stream takes in; 0 or less where it is full or has ended. */
  get room(): number {
    return this.#controller === undefined ? 0 : this.#host.backlogOf(this) - this.queued
  }

  /** Whether no more than a quarter of what may wait in the stream does. */
  get roomy(): boolean {
    return this.room >= this.#host.backlogOf(this) * 0.75
  }

  /** Appends events or a bookmark to the stream: so many of them. */
  send(chunk: Uint8Array, count = 1): void {
    this.#sent = true
    if (this.#tally !== undefined) this.#tally.events += count
    this.#encoder = this.view.encoder
    this.#controller?.enqueue(chunk)
  }

  /**
   * Sends the events that are not older than what was sent, as far as there is room.
   * What selection or encoding throw ends the watch, unless they only have to wait.
   * @returns whether there was room for all of them, and nothing to wait for
   */
  deliver(events: JoinedEvents): boolean {
    if (events.last <= this.position) return true
    try {
      const alike = events.first > this.position && this.#encoder === this.view.encoder
      return alike ? this.#sendChunks(events) : this.#sendNewer(events)
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

  /** Ends the stream; what waits in it is still read. */
  close(): void {
    const controller = this.#controller
    this.#end()
    controller?.close()
  }

  /** Ends the stream with a word why, where the encoder has one for it. */
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

  /** Breaks the stream, and drops what waits in it. */
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

  /** For a watcher that has some of the events already, as it joined while they waited, or sees the first in another way. */
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
    return this.#host.timers.after(Math.min(this.#beatsAt, this.#endsAt) - now, () => this.#onTimer())
  }

  #onTimer(): void {
    if (this.#endsAt <= this.#beatsAt) {
      this.#onTimeout()
      return
    }
    const { heartbeatMilliseconds } = this.#options
    if (this.#pause < heartbeatMilliseconds) {
      this.#probe()
      this.#pause = Math.min(this.#pause * 2, heartbeatMilliseconds)
    } else this.#onBeat()
    if (this.ended) return
    const now = Date.now()
    this.#beatsAt = now + this.#pause
    this.#timer = this.#nextTimer(now)
  }

  #bookmark(): Uint8Array {
    return this.#encoder.bookmark(this.live ? Math.max(this.position, this.#host.sentResourceVersion) : this.position)
  }

  /**
   * Writes to a client that may have gone. Where a representation has nothing that could be written without being asked for, only
   * the end of the watch can be: the client asks again from where it is.
   */
  #probe(): void {
    if (this.room <= 0) return
    const heartbeat = this.#encoder.heartbeat()
    if (heartbeat !== undefined) this.#controller?.enqueue(heartbeat)
    else if (this.request.bookmarks && this.live) this.send(this.#bookmark())
    else if (!this.#sent && this.#pause * 2 >= this.#options.heartbeatMilliseconds) this.close()
    this.#sent = false
  }

  #onBeat(): void {
    const { heartbeatMilliseconds, bookmarkMilliseconds } = this.#options
    const beat = heartbeatOf({
      beat: ++this.#beat,
      beatsPerBookmark: Math.max(1, Math.round(bookmarkMilliseconds / heartbeatMilliseconds)),
      bookmarks: this.request.bookmarks,
      initialized: this.live,
      sent: this.#sent,
    })
    if (this.room > 0 && beat === 'bookmark') this.send(this.#bookmark())
    const heartbeat = this.room > 0 && beat === 'heartbeat' ? this.#encoder.heartbeat() : undefined
    if (heartbeat !== undefined) this.#controller?.enqueue(heartbeat)
    this.#sent = false
  }

  #onTimeout(): void {
    if (this.request.bookmarks && this.live && this.room > 0) this.send(this.#bookmark())
    this.close()
  }
}
