/**
 * A watch whose events come over a hibernatable socket of the collection's Durable Object. The object sleeps while nothing
 * happens; heartbeats, bookmarks and the timeout are the Worker's. If the socket is lost, another one continues from the last
 * place that was passed on, and the client notices nothing.
 */
import type { WatchOperation, WatchPlace } from '../../clusters/operation.ts'
import { decodeMessage, keyOf, messageKind, type WatchMessage } from '../../clusters/watch-messages.ts'
import type { BookmarkWriter } from '../../encoding/event-writer.ts'
import { ApiError, otherRelease } from '../../meta/errors.ts'
import { Timers } from '../../storage/timers.ts'
import { type TimedWatch, WatchClock, type WatchTimes } from '../../storage/watch-clock.ts'
import { DEFAULT_WATCH_OPTIONS } from '../../storage/watcher.ts'
import { type BridgeBacklog, bridgeBacklog } from './bridge-backlog.ts'

/** Times and sizes of bridged watches. */
export interface BridgeOptions extends WatchTimes {
  /** The bytes of live events that may wait for the client; beyond them, its backlog is the log. */
  readonly backlogBytes: number
  /** The bytes that wait for all clients of the isolate. Beyond its bound a watch with more than `leastBytes` is left to the log. */
  readonly isolateBacklog: BridgeBacklog
  readonly leastBytes: number
  /** A watch whose backlog is not read for this long fails. */
  readonly stallMilliseconds: number
  /** The first pause before another socket is opened again; it doubles with each failure. */
  readonly firstPause: number
  readonly longestPause: number
  /** The number of failures in a row after which the watch ends. */
  readonly mostFailures: number
}

/** The options of the server. */
export const DEFAULT_BRIDGE_OPTIONS: BridgeOptions = {
  ...DEFAULT_WATCH_OPTIONS,
  isolateBacklog: bridgeBacklog,
  leastBytes: 64 * 1024,
  firstPause: 100,
  longestPause: 5_000,
  mostFailures: 16,
}

/** Returns the 101 response with a socket, or a stream if the object serves this watch itself. Rejects with ApiError. */
export type OpenWatch = (operation: WatchOperation) => Promise<Response>

const normalClosure = 1000
/** The Worker acknowledges the bytes of a catch-up in steps of about this size. */
const acknowledgedBytes = 64 * 1024
/** A socket that was open for this long, in milliseconds, ends a series of failures. */
const stable = 10_000

/** Whether the object may be there again in a moment: it is being moved or restarted, or is of another release. */
const isTemporary = (error: unknown): boolean => !(error instanceof ApiError) || error.code === 429 || error.code >= 500

/** One watch of one client. */
export class WatchBridge implements TimedWatch {
  readonly #open: OpenWatch
  readonly #operation: WatchOperation
  readonly #options: BridgeOptions
  readonly #timers = new Timers()
  readonly #clock: WatchClock
  #encoder: BookmarkWriter
  readonly #following: BookmarkWriter
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /** The socket whose messages are passed on. */
  #socket: WebSocket | undefined
  #openedAt = 0
  /** The place up to which everything was passed on; undefined before the first message. */
  #place: WatchPlace | undefined
  /** Whether the client was sent something. */
  #begun = false
  #failures = 0
  /** The unread bytes that the isolate's backlog counts for this watch. */
  #counted = 0
  /** Bytes of the catch-up that are not acknowledged yet. */
  #unacknowledged = 0
  /** Whether the client has to read before another socket is opened. */
  #isBehind = false

  private constructor(open: OpenWatch, operation: WatchOperation, encoder: BookmarkWriter, options: BridgeOptions) {
    this.#open = open
    this.#operation = operation
    this.#options = options
    this.#encoder = encoder
    this.#following = encoder.following ?? encoder
    const { allowWatchBookmarks, timeoutSeconds } = operation.watch
    const request = { bookmarks: allowWatchBookmarks, timeoutMilliseconds: timeoutSeconds * 1000 }
    this.#clock = new WatchClock(this, request, options, this.#timers, 'few')
  }

  /**
   * Begins a watch.
   * @param bookmarks makes the encoder of bookmarks, after the object has accepted the watch
   * @returns the stream of encoded events for the client
   * @throws ApiError of the object
   */
  static async begin(
    open: OpenWatch,
    operation: WatchOperation,
    bookmarks: () => BookmarkWriter,
    options: BridgeOptions,
  ): Promise<ReadableStream<Uint8Array>> {
    const response = await open(operation)
    if (response.webSocket === null) return response.body ?? Promise.reject(otherRelease())
    const bridge = new WatchBridge(open, operation, bookmarks(), options)
    const stream = bridge.#stream()
    bridge.#attach(response.webSocket)
    return stream
  }

  get initialized(): boolean {
    return this.#place?.phase === 'events' && !this.#isBehind
  }

  get hasRoom(): boolean {
    return !this.#isBehind && this.#queued < this.#options.backlogBytes
  }

  sendBookmark(): void {
    if (this.#place !== undefined) this.#pass(this.#encoder.bookmark(this.#place.resourceVersion))
  }

  sendHeartbeat(): boolean {
    const heartbeat = this.#encoder.heartbeat()
    if (heartbeat !== undefined) this.#controller?.enqueue(heartbeat)
    return heartbeat !== undefined
  }

  /** Ends the watch; the client can still read what was passed on. */
  close(): void {
    const controller = this.#controller
    this.#stop()
    controller?.close()
  }

  #fail(reason: string): void {
    const controller = this.#controller
    this.#stop()
    controller?.error(new Error(reason))
  }

  #stop(): void {
    this.#controller = undefined
    this.#count()
    this.#clock.stop()
    this.#detach()
  }

  get #queued(): number {
    return this.#options.backlogBytes - (this.#controller?.desiredSize ?? 0)
  }

  /** Tells the isolate's backlog how many bytes wait for this client; none once the watch has ended. */
  #count(): void {
    const queued = this.#controller === undefined ? 0 : this.#queued
    if (queued === this.#counted) return
    this.#options.isolateBacklog.add(queued - this.#counted)
    this.#counted = queued
  }

  #stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#read(),
        cancel: () => this.#stop(),
      },
      { highWaterMark: this.#options.backlogBytes, size: (chunk) => chunk?.byteLength ?? 0 },
    )
  }

  #attach(socket: WebSocket): void {
    this.#socket = socket
    this.#openedAt = Date.now()
    this.#unacknowledged = 0
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('message', ({ data }) => {
      if (socket === this.#socket && data instanceof ArrayBuffer) this.#take(decodeMessage(data))
    })
    const lost = (): void => {
      if (socket === this.#socket) this.#lost()
    }
    socket.addEventListener('close', lost)
    socket.addEventListener('error', lost)
    socket.accept()
  }

  /** Forgets the socket: its further messages are not passed on. */
  #detach(): void {
    const socket = this.#socket
    this.#socket = undefined
    try {
      socket?.close(normalClosure)
    } catch {
      // It was closed or lost before.
    }
  }

  #take(message: WatchMessage): void {
    const { kind, resourceVersion, bytes } = message
    if (kind === messageKind.end || kind === messageKind.fail) {
      this.#end(message)
      return
    }
    if (kind === messageKind.events && !message.acknowledge && this.#isTooMuch()) {
      this.#fallBehind()
      return
    }
    if (kind === messageKind.state) this.#place = { phase: 'state', resourceVersion, after: keyOf(message) }
    else this.#place = { phase: 'events', resourceVersion }
    const isFirst = kind === messageKind.events && !this.#begun && message.first.byteLength > 0
    const chunk = isFirst ? message.first : bytes
    if (message.acknowledge) this.#unacknowledged += bytes.byteLength
    if (chunk.byteLength > 0) this.#pass(chunk)
  }

  #end({ kind, bytes }: WatchMessage): void {
    if (kind === messageKind.fail) {
      this.#fail('the watch could not be continued')
      return
    }
    if (bytes.byteLength > 0) this.#pass(bytes)
    this.close()
  }

  /** Passes events or a bookmark on to the client. */
  #pass(chunk: Uint8Array): void {
    this.#begun = true
    this.#encoder = this.#following
    this.#clock.sent()
    this.#controller?.enqueue(chunk)
    this.#count()
  }

  #isTooMuch(): boolean {
    const { backlogBytes, isolateBacklog, leastBytes } = this.#options
    return this.#queued >= (isolateBacklog.isFull ? leastBytes : backlogBytes)
  }

  /** Leaves the live events to the log until the client has read. A client that does not read at all loses the watch. */
  #fallBehind(): void {
    this.#isBehind = true
    this.#detach()
    this.#expectReading(this.#queued)
  }

  #expectReading(queued: number): void {
    this.#timers.after(this.#options.stallMilliseconds, () => {
      if (this.#controller === undefined || !this.#isBehind) return
      if (this.#queued === queued) this.#fail('the watch was not read for too long')
      else this.#expectReading(this.#queued)
    })
  }

  /** Called when the client has read something. */
  #read(): void {
    this.#count()
    const queued = this.#queued
    if (this.#isBehind && queued <= this.#options.backlogBytes / 4) {
      this.#isBehind = false
      void this.#reopen()
    }
    if (this.#unacknowledged === 0) return
    const read = this.#unacknowledged - Math.min(queued, this.#unacknowledged)
    if (read < acknowledgedBytes && queued > 0) return
    this.#unacknowledged -= read
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(String(read))
  }

  #lost(): void {
    this.#socket = undefined
    if (Date.now() - this.#openedAt >= stable) this.#failures = 0
    this.#retry()
  }

  /** Opens another socket after a pause: all watches of an object lose their sockets at the same time. */
  #retry(): void {
    const { firstPause, longestPause, mostFailures } = this.#options
    const failures = this.#failures++
    if (failures >= mostFailures) {
      this.close()
      return
    }
    const pause = Math.min(longestPause, firstPause * 2 ** failures) * Math.random()
    this.#timers.after(pause, () => void this.#reopen())
  }

  async #reopen(): Promise<void> {
    if (this.#controller === undefined) return
    try {
      const { webSocket } = await this.#open(this.#resumed())
      if (webSocket === null) throw otherRelease()
      this.#attach(webSocket)
      // The client may have gone meanwhile.
      if (this.#controller === undefined) this.#detach()
    } catch (error) {
      if (isTemporary(error)) this.#retry()
      else this.close()
    }
  }

  #resumed(): WatchOperation {
    const place = this.#place
    if (place === undefined) return this.#operation
    return { ...this.#operation, resumption: { place, begun: this.#begun } }
  }
}
