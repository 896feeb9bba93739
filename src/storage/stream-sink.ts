/** The stream of a watch. */
import type { WatchRequest, WatchSink } from './store.ts'
import type { Timers } from './timers.ts'
import { type TimedWatch, WatchClock, type WatchTimes } from './watch-clock.ts'
import type { Watcher } from './watcher.ts'

/**
 * Longer chunks are sent in pieces of this many bytes. The runtime takes a chunk out of the stream as soon as it can, and then holds
 * it until the client has read it: a chunk is memory that no backlog counts.
 */
const PIECE_BYTES = 32 * 1024

/** A sink that is a stream. Heartbeats, bookmarks and the timeout are its own. */
export class StreamSink implements WatchSink, TimedWatch {
  readonly stream: ReadableStream<Uint8Array>
  readonly #backlogBytes: number
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #clock: WatchClock | undefined
  #watcher: Watcher | undefined

  /** @param backlogBytes the high water mark of the stream */
  constructor(backlogBytes: number) {
    this.#backlogBytes = backlogBytes
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        cancel: () => {
          this.#stop()
          this.#watcher?.leave()
        },
      },
      { highWaterMark: backlogBytes, size: (chunk) => chunk?.byteLength ?? 0 },
    )
  }

  /** Starts the clock of the watcher, whose sink this is. */
  start(watcher: Watcher, request: WatchRequest, times: WatchTimes, timers: Timers, among: 'few' | 'crowd'): void {
    this.#watcher = watcher
    this.#clock = new WatchClock(this, request, times, timers, among)
  }

  get initialized(): boolean {
    return this.#watcher?.live === true
  }

  get hasRoom(): boolean {
    return this.#watcher !== undefined && this.#watcher.room > 0
  }

  sendBookmark(): void {
    this.#watcher?.sendBookmark()
  }

  sendHeartbeat(): boolean {
    const heartbeat = this.#watcher?.heartbeat()
    if (heartbeat !== undefined) this.#controller?.enqueue(heartbeat)
    return heartbeat !== undefined
  }

  close(): void {
    this.#watcher?.close()
  }

  get queued(): number {
    return this.#backlogBytes - (this.#controller?.desiredSize ?? 0)
  }

  events(chunk: Uint8Array): void {
    this.#clock?.sent()
    if (chunk.byteLength <= PIECE_BYTES * 2) {
      this.#controller?.enqueue(chunk)
      return
    }
    // Live watchers share their chunks. Otherwise the piece that the runtime holds must not keep the whole chunk.
    const cut = this.#watcher?.live === true ? 'subarray' : 'slice'
    for (let from = 0; from < chunk.byteLength; from += PIECE_BYTES) {
      this.#controller?.enqueue(chunk[cut](from, from + PIECE_BYTES))
    }
  }

  state(chunk: Uint8Array): void {
    this.events(chunk)
  }

  reached(): void {}

  setLive(): void {}

  end(): void {
    const controller = this.#controller
    this.#stop()
    controller?.close()
  }

  restart(): void {
    this.end()
  }

  fail(reason: string): void {
    const controller = this.#controller
    this.#stop()
    controller?.error(new Error(reason))
  }

  #stop(): void {
    this.#controller = undefined
    this.#clock?.stop()
  }
}
