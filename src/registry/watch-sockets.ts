/**
 * Watches over WebSockets with the hibernation API: an idle socket does not keep the Durable Object in memory. The state and the
 * progress of a watch are in the socket's attachment. After every wake-up the sockets are served from the log.
 */
import type { Kind } from '../catalog/kind.ts'
import type { Operation } from '../clusters/operation.ts'
import { ApiError, badRequest } from '../meta/errors.ts'
import { MissingLookups, type Release, resolveInObject } from '../meta/lookups.ts'
import { selectedEvent } from '../storage/event-selection.ts'
import type { EventType, Stored, StoreEvent } from '../storage/store.ts'
import { DEFAULT_WATCH_OPTIONS } from '../storage/watcher.ts'
import { encoderOf, errorEvent, type FormEncoder, type SocketMessage, socketMessage } from './encoding/events.ts'
import { type Selected, select } from './list/selection.ts'
import type { Registry } from './registry.ts'
import { isFailedConversion } from './versions.ts'
import { isErrorEvent, startWatch } from './watch.ts'

type WatchOperation = Extract<Operation, { verb: 'watch' }>

/** The progress of a watch: the last sent key of the initial state, or the last sent version of the log. */
type Progress =
  | { readonly phase: 'initial'; readonly resourceVersion: number; readonly after: string; readonly end: boolean }
  | { readonly phase: 'live'; readonly position: number }

/** The state of a watch that survives hibernation. */
interface Attachment {
  readonly operation: WatchOperation
  readonly progress: Progress
  readonly endsAt: number
  /** The time of the next bookmark, in milliseconds since the epoch; absent if the client did not request bookmarks. */
  readonly bookmarkAt?: number
  /** Whether an event was sent: parts that only the first event has (Table columns) are not sent again. */
  readonly begun: boolean
}

interface SocketWatch {
  readonly socket: WebSocket
  readonly kind: Kind
  readonly selected: Selected
  readonly encoder: FormEncoder
  state: Attachment
  /** Whether the watch waits for lookups that its next event needs. */
  waits: boolean
  /** Bytes that the client had not read at the last check. */
  unread: number
  /** The last time at which the client had read something, or the socket had room. */
  readAt: number
}

/** The part of the runtime's API for sockets. */
export type SocketHost = Pick<DurableObjectState, 'acceptWebSocket' | 'getWebSockets'>

const bookmarkMilliseconds = 60_000
/** Rows of one page of the initial state. */
const pageRows = 500
/** Bytes of the largest attachment. The runtime's limit is 16 KiB. */
const maximumAttachment = 15 * 1024
const normalClosure = 1000
/** Milliseconds between two checks of full sockets. */
const unreadPause = 100
/** Unread bytes that each socket may have, however many sockets exist. */
const leastBacklog = 32 * 1024

/** The WebSocket watches of one Durable Object. */
export class WatchSockets {
  /** The name as a part of the alarm's work. */
  readonly name = 'watch-sockets'
  readonly #host: SocketHost
  readonly #registry: Registry
  readonly #watches = new Map<WebSocket, SocketWatch>()
  #scheduled = false
  #looksAgain = false

  constructor(host: SocketHost, registry: Registry) {
    this.#host = host
    this.#registry = registry
    for (const socket of host.getWebSockets()) this.#resumeOrClose(socket)
    registry.store.onDurable(() => this.#schedule())
    this.#schedule()
  }

  /**
   * Begins a watch.
   * @returns the 101 response with the client's end of the socket
   * @throws ApiError as a watch over HTTP does, before a socket is opened
   */
  async accept(kind: Kind, operation: WatchOperation): Promise<Response> {
    const now = this.#registry.now()
    const endsAt = now + operation.watch.timeoutSeconds * 1000
    const bookmarks = operation.watch.allowWatchBookmarks && { bookmarkAt: now + bookmarkMilliseconds }
    try {
      const start = await startWatch(this.#registry, kind, operation.target, operation.watch, operation)
      const { resourceVersion, initial } = start
      const progress: Progress =
        initial === 'nothing'
          ? { phase: 'live', position: resourceVersion }
          : { phase: 'initial', resourceVersion, after: '', end: initial === 'state and its end' }
      const state: Attachment = { operation, progress, endsAt, begun: false, ...bookmarks }
      if (Buffer.byteLength(JSON.stringify(state)) > maximumAttachment) {
        throw badRequest('the selectors are too long for a watch over a WebSocket')
      }
      const { client, server } = this.#open()
      server.serializeAttachment(state)
      this.#add({ socket: server, kind, selected: start.selected, encoder: start.encoder, state })
      this.#schedule()
      return new Response(null, { status: 101, webSocket: client })
    } catch (error) {
      if (!isErrorEvent(error)) throw error
      const { client, server } = this.#open()
      server.send(errorMessage(error, operation))
      server.close(normalClosure)
      return new Response(null, { status: 101, webSocket: client })
    }
  }

  /** Returns the time of the next bookmark or end of a watch, in milliseconds since the epoch; undefined without watches. */
  nextAlarm(): number | undefined {
    let next: number | undefined
    for (const { state } of this.#watches.values()) {
      next = Math.min(next ?? Number.POSITIVE_INFINITY, state.endsAt, state.bookmarkAt ?? Number.POSITIVE_INFINITY)
    }
    return next
  }

  /** Sends due bookmarks, and ends watches after their timeout. */
  work(now: number): void {
    for (const watch of this.#watches.values()) {
      const { endsAt, bookmarkAt } = watch.state
      const ends = endsAt <= now
      try {
        if (bookmarkAt !== undefined && (ends || bookmarkAt <= now)) this.#bookmark(watch, now)
        if (ends) this.#end(watch)
      } catch (error) {
        this.#fail(watch, error)
      }
    }
  }

  /** Ends all watches. */
  endAll(): void {
    for (const watch of this.#watches.values()) this.#end(watch)
  }

  /** Removes the watch of a socket that is closed or lost. */
  closed(socket: WebSocket): void {
    this.#watches.delete(socket)
  }

  #open(): { readonly client: WebSocket; readonly server: WebSocket } {
    const { 0: client, 1: server } = new WebSocketPair()
    this.#host.acceptWebSocket(server)
    return { client, server }
  }

  /** A socket whose state this release cannot read must not prevent the object from starting. Its client connects again. */
  #resumeOrClose(socket: WebSocket): void {
    try {
      this.#resume(socket)
    } catch (error) {
      console.error('a watch over a WebSocket could not be resumed', error)
      socket.close(normalClosure)
    }
  }

  #resume(socket: WebSocket): void {
    const state = socket.deserializeAttachment() as Attachment | null
    if (state === null || socket.readyState !== WebSocket.OPEN) return
    const { target, watch } = state.operation
    const kind = this.#registry.kindOf(target.group, target.version, target.resource)
    if (kind === undefined) {
      socket.close(normalClosure)
      return
    }
    const encoder = encoderOf(this.#registry, kind, state.operation)
    this.#add({ socket, kind, selected: select(kind, target, watch), encoder, state })
  }

  #add(watch: Omit<SocketWatch, 'waits' | 'unread' | 'readAt'>): void {
    this.#watches.set(watch.socket, { ...watch, waits: false, unread: 0, readAt: this.#registry.now() })
  }

  #schedule(): void {
    if (this.#scheduled || this.#watches.size === 0) return
    this.#scheduled = true
    setTimeout(() => this.#serve(), 0)
  }

  /** Sends a bounded number of events to each socket. The remainder follows after other requests had their turn. */
  #serve(): void {
    this.#scheduled = false
    const encoded = new Map<string, SocketMessage>()
    let [behind, unread] = [false, false]
    for (const watch of this.#watches.values()) {
      if (watch.waits) continue
      if (this.#isFull(watch)) {
        unread = true
        if (this.#registry.now() - watch.readAt >= DEFAULT_WATCH_OPTIONS.stallMilliseconds) this.#end(watch)
        continue
      }
      try {
        behind = this.#step(watch, encoded) || behind
      } catch (error) {
        if (error instanceof MissingLookups) this.#await(watch, error)
        else this.#fail(watch, error)
      }
    }
    if (behind) this.#schedule()
    else if (unread) this.#lookAgain()
  }

  /**
   * Whether the client has too many unread bytes: further events stay in the log. A client that reads nothing is disconnected.
   */
  #isFull(watch: SocketWatch): boolean {
    const { backlogBytes, totalBacklogBytes } = DEFAULT_WATCH_OPTIONS
    const room = Math.min(backlogBytes, Math.max(leastBacklog, totalBacklogBytes / this.#watches.size))
    const unread = watch.socket.bufferedAmount
    if (unread < watch.unread || unread < room) watch.readAt = this.#registry.now()
    watch.unread = unread
    return unread >= room
  }

  #lookAgain(): void {
    if (this.#looksAgain) return
    this.#looksAgain = true
    setTimeout(() => {
      this.#looksAgain = false
      this.#schedule()
    }, unreadPause)
  }

  /** Resolves missing lookups of one watch, while the others are served. */
  #await(watch: SocketWatch, missing: MissingLookups): void {
    watch.waits = true
    const goOn = (release: Release): void => {
      watch.waits = false
      this.#serve()
      release()
    }
    resolveInObject(missing).then(goOn, (error: unknown) => this.#fail(watch, error))
  }

  /** Sends one part to a socket. Returns whether more may follow. */
  #step(watch: SocketWatch, encoded: Map<string, SocketMessage>): boolean {
    const { progress } = watch.state
    return progress.phase === 'initial' ? this.#sendState(watch, progress) : this.#sendEvents(watch, progress.position, encoded)
  }

  #sendState(watch: SocketWatch, progress: Extract<Progress, { phase: 'initial' }>): boolean {
    const { selected } = watch
    const { resourceVersion, after, end } = progress
    const page = this.#registry.store.list({ prefix: selected.prefix, after, limit: pageRows, resourceVersion })
    watch.encoder.prepare?.(page.items)
    const wanted = page.items.filter(
      (item) => (selected.key === undefined || selected.key === item.key) && (selected.matches?.(item) ?? true),
    )
    for (const item of wanted) {
      this.#send(watch, (encoder) => encoder.message(encoder.encode('ADDED', item)))
      if (!this.#isFull(watch)) continue
      this.#advance(watch, { ...progress, after: item.key })
      return true
    }
    if (page.more) {
      this.#advance(watch, { ...progress, after: page.items.at(-1)?.key ?? after })
      return true
    }
    if (end) this.#send(watch, (encoder) => encoder.message(encoder.initialEventsEnd(resourceVersion)))
    this.#advance(watch, { phase: 'live', position: resourceVersion })
    return true
  }

  #sendEvents(watch: SocketWatch, position: number, encoded: Map<string, SocketMessage>): boolean {
    const { key, prefix, matches } = watch.selected
    const batch = this.#registry.store.changes({ prefix, ...(key !== undefined && { key }) }, position)
    watch.encoder.prepare?.(objectsOf(batch.events))
    for (const event of batch.events) {
      const selected = selectedEvent(event, matches)
      if (selected === undefined) continue
      this.#send(watch, (encoder) => messageOf(encoder, selected.type, selected.object, encoded))
      if (!this.#isFull(watch)) continue
      this.#advance(watch, { phase: 'live', position: event.object.resourceVersion })
      return true
    }
    if (batch.through === position) return false
    this.#advance(watch, { phase: 'live', position: batch.through })
    return true
  }

  /** Sends a message. The first one of a watch has its own encoder, because it may have Table columns. */
  #send(watch: SocketWatch, write: (encoder: FormEncoder) => SocketMessage): void {
    const { encoder, state } = watch
    watch.socket.send(write(state.begun ? (encoder.following ?? encoder) : encoder))
    if (!state.begun) watch.state = { ...state, begun: true }
  }

  #advance(watch: SocketWatch, progress: Progress): void {
    watch.state = { ...watch.state, progress }
    watch.socket.serializeAttachment(watch.state)
  }

  #bookmark(watch: SocketWatch, now: number): void {
    const { progress } = watch.state
    watch.state = { ...watch.state, bookmarkAt: now + bookmarkMilliseconds }
    watch.socket.serializeAttachment(watch.state)
    if (this.#isFull(watch)) return
    // A watch of a version that is not reached yet has no bookmark.
    if (progress.phase === 'initial' || progress.position > this.#registry.store.resourceVersion) return
    try {
      this.#send(watch, (encoder) => encoder.message(encoder.bookmark(progress.position)))
      watch.socket.serializeAttachment(watch.state)
    } catch {
      this.#watches.delete(watch.socket)
    }
  }

  #end({ socket }: SocketWatch): void {
    this.#watches.delete(socket)
    socket.close(normalClosure)
  }

  #fail(watch: SocketWatch, error: unknown): void {
    const isSent = error instanceof ApiError && (isErrorEvent(error) || isFailedConversion(error))
    if (!isSent && watch.socket.readyState === WebSocket.OPEN) console.error('a watch over a WebSocket failed', error)
    if (isSent) watch.socket.send(errorMessage(error, watch.state.operation))
    this.#end(watch)
  }
}

const objectsOf = (events: readonly StoreEvent[]): Stored[] =>
  events.flatMap(({ object, previous }) => (previous === undefined ? [object] : [object, previous]))

const errorMessage = (error: ApiError, { mediaType }: WatchOperation): SocketMessage =>
  socketMessage(errorEvent(error, mediaType), mediaType)

/** Returns the message of an event. Sockets with the same encoder share it. */
function messageOf(encoder: FormEncoder, type: EventType, object: Stored, encoded: Map<string, SocketMessage>): SocketMessage {
  const name = `${object.resourceVersion} ${type} ${encoder.name}`
  const known = encoded.get(name) ?? encoder.message(encoder.encode(type, object))
  encoded.set(name, known)
  return known
}
