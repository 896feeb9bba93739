/** The time of one watch: its heartbeats, its bookmarks and its timeout. */
import { heartbeatOf } from './bookmarks.ts'
import type { Timer, Timers } from './timers.ts'

/** Times of watches. */
export interface WatchTimes {
  /** An idle watch gets a heartbeat or a bookmark after this time. */
  readonly heartbeatMilliseconds: number
  /**
   * In a crowd, a new watch gets its first heartbeat after this time, the next after twice this time, and so on: a client that has
   * gone is noticed only on a write, and its connection stays open until then. Clients that open watches and drop them as fast as
   * they can would soon use up all connections.
   */
  readonly firstHeartbeatMilliseconds: number
  /** The interval between bookmarks; a multiple of the heartbeat. */
  readonly bookmarkMilliseconds: number
  /** kube-apiserver sends the last bookmark this long before the timeout: a watch that is not longer has none. */
  readonly lastBookmarkMilliseconds: number
}

/** The watch to which a clock belongs. */
export interface TimedWatch {
  /** Whether the client has its initial state and all events up to the position that a bookmark would tell. */
  readonly initialized: boolean
  /** Whether the client reads fast enough to be sent more. */
  readonly hasRoom: boolean
  sendBookmark(): void
  /** Sends bytes that keep the connection alive. Returns false if the representation has none. */
  sendHeartbeat(): boolean
  close(): void
}

/** The parts of a watch's request that its clock needs. */
export interface ClockRequest {
  readonly bookmarks: boolean
  /** The watch ends after this many milliseconds. */
  readonly timeoutMilliseconds: number
}

/** Runs from its construction until `stop`. */
export class WatchClock {
  readonly #watch: TimedWatch
  readonly #times: WatchTimes
  readonly #timers: Timers
  readonly #bookmarks: boolean
  readonly #endsAt: number
  /** Whether a bookmark is sent before the end. */
  readonly #closes: boolean
  /** Whether an event or a bookmark was sent since the last heartbeat. */
  #sent = false
  #heartbeats = 0
  /** The time between the last heartbeat and the next, in milliseconds. */
  #pause: number
  #heartbeatAt: number
  #timer: Timer | undefined

  constructor(watch: TimedWatch, request: ClockRequest, times: WatchTimes, timers: Timers, among: 'few' | 'crowd') {
    this.#watch = watch
    this.#times = times
    this.#timers = timers
    this.#bookmarks = request.bookmarks
    this.#closes = request.bookmarks && request.timeoutMilliseconds > times.lastBookmarkMilliseconds
    const now = Date.now()
    this.#endsAt = now + request.timeoutMilliseconds
    this.#pause = among === 'few' ? times.heartbeatMilliseconds : times.firstHeartbeatMilliseconds
    // Watches that start together, for example after a restart, must not send heartbeats at the same time.
    this.#heartbeatAt = now + this.#pause * (0.5 + Math.random() / 2)
    this.#next(now)
  }

  /** Milliseconds until the watch ends. */
  get remaining(): number {
    return Math.max(0, this.#endsAt - Date.now())
  }

  /** Notes that an event or a bookmark was sent: the connection was tested thereby. */
  sent(): void {
    this.#sent = true
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #next(now: number): void {
    this.#timer = this.#timers.after(Math.min(this.#heartbeatAt, this.#endsAt) - now, () => this.#onTimer())
  }

  #onTimer(): void {
    if (this.#endsAt <= this.#heartbeatAt) {
      if (this.#closes && this.#watch.initialized && this.#watch.hasRoom) this.#watch.sendBookmark()
      this.#watch.close()
      return
    }
    const { heartbeatMilliseconds } = this.#times
    if (this.#pause < heartbeatMilliseconds) {
      this.#probe()
      this.#pause = Math.min(this.#pause * 2, heartbeatMilliseconds)
    } else this.#beat()
    if (this.#timer === undefined) return
    const now = Date.now()
    this.#heartbeatAt = now + this.#pause
    this.#next(now)
  }

  /**
   * Tests the connection by writing to it. If the representation has no bytes that a client ignores, only ending the watch is
   * possible: the client watches again from its position.
   */
  #probe(): void {
    if (!this.#watch.hasRoom) return
    const isTested = this.#watch.sendHeartbeat()
    if (!isTested && this.#bookmarks && this.#watch.initialized) this.#watch.sendBookmark()
    else if (!isTested && !this.#sent && this.#pause * 2 >= this.#times.heartbeatMilliseconds) this.#watch.close()
    this.#sent = false
  }

  #beat(): void {
    const { heartbeatMilliseconds, bookmarkMilliseconds } = this.#times
    const due = heartbeatOf({
      heartbeat: ++this.#heartbeats,
      heartbeatsPerBookmark: Math.max(1, Math.round(bookmarkMilliseconds / heartbeatMilliseconds)),
      bookmarks: this.#bookmarks,
      initialized: this.#watch.initialized,
      sent: this.#sent,
    })
    if (this.#watch.hasRoom && due === 'bookmark') this.#watch.sendBookmark()
    if (this.#watch.hasRoom && due === 'heartbeat') this.#watch.sendHeartbeat()
    this.#sent = false
  }
}
