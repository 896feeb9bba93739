/** One watcher: its stream, how far it is, its beats and its end. It does not know where events come from. */
import { beatOf } from './bookmarks.ts'
import { shownEvent } from './selection.ts'
import type { EventEncoder, EventType, Stored, StoreEvent, WatchRequest, WatchTally } from './store.ts'

/** Times and sizes of watches. */
export interface WatchOptions {
  /** A watch on which nothing was sent for so long gets a sign of life. */
  readonly heartbeatMilliseconds: number
  /** Bookmarks come about so often; a multiple of the heartbeat. */
  readonly bookmarkMilliseconds: number
  /** So many bytes wait in a stream at most (and one event). */
  readonly backlogBytes: number
  /** A watcher that leaves a full stream unread for so long is closed. */
  readonly stallMilliseconds: number
  /** Events that follow each other faster than this go out together. */
  readonly coalesceMilliseconds: number
  /** So many events may wait for being sent before writes wait for them. */
  readonly waitingEvents: number
}

/** What the server uses. */
export const DEFAULT_WATCH_OPTIONS: WatchOptions = {
  heartbeatMilliseconds: 30_000,
  bookmarkMilliseconds: 60_000,
  backlogBytes: 1024 * 1024,
  stallMilliseconds: 15_000,
  coalesceMilliseconds: 5,
  waitingEvents: 2_000,
}

/** An event whose encodings are shared by all watchers that see it alike. */
export class SharedEvent {
  readonly event: StoreEvent
  readonly #chunks = new Map<string, Uint8Array>()

  constructor(event: StoreEvent) {
    this.event = event
  }

  /** The bytes for one representation. The same type of one event always shows the same object. */
  chunk(encoder: EventEncoder, type: EventType, object: Stored): Uint8Array {
    const name = `${type} ${encoder.name}`
    let chunk = this.#chunks.get(name)
    if (chunk === undefined) {
      chunk = encoder.encode(type, object)
      this.#chunks.set(name, chunk)
    }
    return chunk
  }
}

/** What a watcher asks of its hub. */
export interface WatcherHost {
  /** All events up to here went out to the watchers that follow live. */
  readonly sentResourceVersion: number
  /** The watcher has ended: forget it. */
  ended(watcher: Watcher): void
}

/** A watcher. `stream` is what its client reads. */
export class Watcher {
  readonly request: WatchRequest
  readonly stream: ReadableStream<Uint8Array>
  /** All selected events up to this version are in the stream. */
  position: number
  /** Whether events reach it as they happen; otherwise it reads the log to catch up. */
  live = false
  readonly #options: WatchOptions
  readonly #host: WatcherHost
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #encoder: EventEncoder
  readonly #tally: WatchTally | undefined
  #sent = false
  #beat = 0
  #beats: ReturnType<typeof setInterval> | undefined
  #timeout: ReturnType<typeof setTimeout> | undefined

  constructor(request: WatchRequest, options: WatchOptions, host: WatcherHost) {
    this.request = request
    this.position = request.resourceVersion
    this.#options = options
    this.#host = host
    this.#encoder = request.encoder
    this.#tally = request.tally
    if (this.#tally !== undefined) this.#tally.watches++
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        cancel: () => this.#end(),
      },
      { highWaterMark: options.backlogBytes, size: (chunk) => chunk?.byteLength ?? 0 },
    )
    this.#beats = setInterval(() => this.#onBeat(), options.heartbeatMilliseconds)
    this.#timeout = setTimeout(() => this.#onTimeout(), request.timeoutMilliseconds)
  }

  get ended(): boolean {
    return this.#controller === undefined
  }

  /** How many more bytes the stream takes in; 0 or less where it is full or has ended. */
  get room(): number {
    return this.#controller?.desiredSize ?? 0
  }

  /** Appends an event or a bookmark to the stream. */
  send(chunk: Uint8Array): void {
    this.#sent = true
    if (this.#tally !== undefined) this.#tally.events++
    this.#encoder = this.#encoder.following ?? this.#encoder
    this.#controller?.enqueue(chunk)
  }

  /** Sends the event if it is selected and not older than what was sent. What selection or encoding throw ends the watch. */
  deliver(shared: SharedEvent): void {
    const { event } = shared
    if (event.object.resourceVersion <= this.position) return
    try {
      const shown = shownEvent(event, this.request.matches)
      if (shown !== undefined) this.send(shared.chunk(this.#encoder, shown.type, shown.object))
      this.position = event.object.resourceVersion
    } catch (error) {
      console.error('an event could not be shown', error)
      this.fail('the event could not be encoded')
    }
  }

  /** Ends the stream; what waits in it is still read. */
  close(): void {
    const controller = this.#controller
    this.#end()
    controller?.close()
  }

  /** Breaks the stream, and drops what waits in it. */
  fail(reason: string): void {
    const controller = this.#controller
    this.#end()
    controller?.error(new Error(reason))
  }

  #end(): void {
    if (this.#controller === undefined) return
    this.#controller = undefined
    if (this.#tally !== undefined) this.#tally.watches--
    clearInterval(this.#beats)
    clearTimeout(this.#timeout)
    this.#host.ended(this)
  }

  #bookmark(): Uint8Array {
    return this.#encoder.bookmark(this.live ? Math.max(this.position, this.#host.sentResourceVersion) : this.position)
  }

  #onBeat(): void {
    const { heartbeatMilliseconds, bookmarkMilliseconds } = this.#options
    const beat = beatOf({
      beat: ++this.#beat,
      beatsPerBookmark: Math.max(1, Math.round(bookmarkMilliseconds / heartbeatMilliseconds)),
      bookmarks: this.request.bookmarks,
      initialized: this.live,
      sent: this.#sent,
    })
    if (this.room > 0 && beat === 'bookmark') this.send(this.#bookmark())
    if (this.room > 0 && beat === 'heartbeat') this.#controller?.enqueue(this.#encoder.heartbeat())
    this.#sent = false
  }

  #onTimeout(): void {
    if (this.request.bookmarks && this.live && this.room > 0) this.send(this.#bookmark())
    this.close()
  }
}
