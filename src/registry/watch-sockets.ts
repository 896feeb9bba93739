/**
 * Watches over WebSockets, by the hibernation API: an idle socket keeps no Durable Object in memory. What a watch needs is in
 * its socket's attachment, and how far it is with it: whatever wakes the object, the sockets are served from the log.
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

/** How far a watch is: within its initial state, behind a key, or within the log, behind a version. */
type Progress =
  | { readonly phase: 'initial'; readonly resourceVersion: number; readonly after: string; readonly end: boolean }
  | { readonly phase: 'live'; readonly position: number }

/** What outlives the object's memory. */
interface Attachment {
  readonly operation: WatchOperation
  readonly progress: Progress
  readonly endsAt: number
  /** When the next bookmark is due; absent where none are asked for. */
  readonly bookmarkAt?: number
  /** Something was sent: what stands in the first event alone is not sent again. */
  readonly begun: boolean
}

interface SocketWatch {
  readonly socket: WebSocket
  readonly kind: Kind
  readonly selected: Selected
  readonly encoder: FormEncoder
  state: Attachment
  /** What is next has to be fetched first. */
  waits: boolean
  /** What waited for the client to read it at the last look. */
  unread: number
  /** When less waited than at the look before, or there was room. */
  readAt: number
}

/** What the runtime gives for sockets. */
export type SocketHost = Pick<DurableObjectState, 'acceptWebSocket' | 'getWebSockets'>

const bookmarkMilliseconds = 60_000
/** Objects of the initial state that are sent at once. */
const pageRows = 500
/** The runtime keeps 16 KiB for a socket. */
const maximumAttachment = 15 * 1024
const normalClosure = 1000
/** Between two looks at sockets that are full, in milliseconds. */
const unreadPause = 100
/** So many bytes may wait in a socket, however many of them there are. */
const leastBacklog = 32 * 1024

/** The sockets of one Durable Object. */
export class WatchSockets {
  readonly #host: SocketHost
  readonly #registry: Registry
  readonly #watches = new Map<WebSocket, SocketWatch>()
  #scheduled = false
  #looksAgain = false

  constructor(host: SocketHost, registry: Registry) {
    this.#host = host
    this.#registry = registry
    for (const socket of host.getWebSockets()) this.#resume(socket)
    registry.store.onDurable(() => this.#schedule())
    this.#schedule()
  }

  /**
   * Begins a watch.
   * @returns the 101 with the client's end
   * @throws ApiError as a watch over HTTP does, before anything was opened
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

  /** When a socket is to be ended, or gets its next bookmark. */
  nextAlarm(): number | undefined {
    let next: number | undefined
    for (const { state } of this.#watches.values()) {
      next = Math.min(next ?? Number.POSITIVE_INFINITY, state.endsAt, state.bookmarkAt ?? Number.POSITIVE_INFINITY)
    }
    return next
  }

  /** Sends the bookmarks that are due, and ends the watches whose time is over. */
  beat(now: number): void {
    for (const watch of this.#watches.values()) {
      const { endsAt, bookmarkAt } = watch.state
      const ends = endsAt <= now
      if (bookmarkAt !== undefined && (ends || bookmarkAt <= now)) this.#bookmark(watch, now)
      if (ends) this.#end(watch)
    }
  }

  /** Ends all of them. */
  endAll(): void {
    for (const watch of this.#watches.values()) this.#end(watch)
  }

  /** The client has closed the socket, or is lost. */
  closed(socket: WebSocket): void {
    this.#watches.delete(socket)
  }

  #open(): { readonly client: WebSocket; readonly server: WebSocket } {
    const { 0: client, 1: server } = new WebSocketPair()
    this.#host.acceptWebSocket(server)
    return { client, server }
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

  /** A bounded part for each socket; what is left comes after others had their turn. */
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

  /** Whether as much waits for the client as may: the rest stays in the log, and a client that reads nothing of it is closed. */
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

  /** Others are served meanwhile; this one waits with whatever wakes the object. */
  #await(watch: SocketWatch, missing: MissingLookups): void {
    watch.waits = true
    const goOn = (release: Release): void => {
      watch.waits = false
      this.#serve()
      release()
    }
    resolveInObject(missing).then(goOn, (error: unknown) => this.#fail(watch, error))
  }

  /** @returns whether more is to be sent */
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
      const shown = selectedEvent(event, matches)
      if (shown === undefined) continue
      this.#send(watch, (encoder) => messageOf(encoder, shown.type, shown.object, encoded))
      if (!this.#isFull(watch)) continue
      this.#advance(watch, { phase: 'live', position: event.object.resourceVersion })
      return true
    }
    if (batch.through === position) return false
    this.#advance(watch, { phase: 'live', position: batch.through })
    return true
  }

  /** The first thing that is sent may say more than those after it. */
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
    // A watch of a version that has not come has nothing to say.
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
    const told = error instanceof ApiError && (isErrorEvent(error) || isFailedConversion(error))
    if (!told && watch.socket.readyState === WebSocket.OPEN) console.error('a watch over a WebSocket failed', error)
    if (told) watch.socket.send(errorMessage(error, watch.state.operation))
    this.#end(watch)
  }
}

const objectsOf = (events: readonly StoreEvent[]): Stored[] =>
  events.flatMap(({ object, previous }) => (previous === undefined ? [object] : [object, previous]))

const errorMessage = (error: ApiError, { mediaType }: WatchOperation): SocketMessage =>
  socketMessage(errorEvent(error, mediaType), mediaType)

/** Sockets that see an event alike share its message. */
function messageOf(encoder: FormEncoder, type: EventType, object: Stored, encoded: Map<string, SocketMessage>): SocketMessage {
  const name = `${object.resourceVersion} ${type} ${encoder.name}`
  const known = encoded.get(name) ?? encoder.message(encoder.encode(type, object))
  encoded.set(name, known)
  return known
}
