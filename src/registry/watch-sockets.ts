/**
 * Watches over the sockets of Workers, with the hibernation API: an open watch does not keep the Durable Object in memory.
 *
 * The Durable Object hibernates only when it has nothing left to do. Then every event has been sent to every watch that follows
 * live events. So all that an object must know when it wakes up is which sockets these are: each has an attachment, written when
 * its watch joins or leaves the live ones, and not for each event. A watch that was still catching up begins again on another
 * socket, from the place that its Worker knows. The same happens if a socket is lost, because the object crashes, moves or gets
 * new code: then its Worker knows the place better than any attachment.
 */
import type { Kind } from '../catalog/kind.ts'
import type { WatchOperation } from '../clusters/operation.ts'
import { encodeMessage, keyBytes, messageKind } from '../clusters/watch-messages.ts'
import { errorEvent } from '../encoding/encodings.ts'
import { logError } from '../meta/log.ts'
import type { Feed, FeedRequest, WatchSink } from '../storage/store.ts'
import { kindOfOperation } from './kind-of-operation.ts'
import type { Registry } from './registry.ts'
import { isErrorEvent, requestAfter, requestOf, watch } from './watch.ts'

/** The state of a watch that survives hibernation. */
interface Attachment {
  readonly operation: WatchOperation
  /** The version at which the watch joined the live ones; absent if it is catching up. */
  readonly position?: number
}

/** The parts of the runtime's API for sockets. */
export type SocketState = Pick<DurableObjectState, 'acceptWebSocket' | 'getWebSockets' | 'storage'>

/** The longest time in milliseconds until a Worker learns a version that has no event for its watch. */
const reachedMilliseconds = 60_000
/** The storage key of the version that all Workers were told. */
const reachedKey = 'watches-reached'
/** Bytes of the largest attachment. The runtime's limit is 16 KiB. */
const maximumAttachment = 15 * 1024
const normalClosure = 1000
/** The Worker opens another socket. */
const serviceRestart = 1012

/** Messages of live events, by their bytes: all sockets of a group are sent the same message. */
const messages = new WeakMap<Uint8Array, Uint8Array<ArrayBuffer>>()

function liveMessage(bytes: Uint8Array, resourceVersion: number): Uint8Array<ArrayBuffer> {
  let message = messages.get(bytes)
  if (message === undefined) {
    message = encodeMessage({ kind: messageKind.events, resourceVersion, bytes })
    messages.set(bytes, message)
  }
  return message
}

/** One socket as the sink of a watcher. */
class SocketSink implements WatchSink {
  readonly #socket: WebSocket
  readonly #operation: WatchOperation
  /** The version of the initial state. */
  readonly #resourceVersion: number
  /** The last version that the Worker was told; undefined if this is unknown after hibernation. */
  #told: number | undefined
  #isLive: boolean
  /** The bytes of the catch-up that the client has not read. */
  #unread = 0
  readonly #closed: () => void
  feed: Feed | undefined

  /** @param closed called when the sink has closed the socket */
  constructor(
    socket: WebSocket,
    { operation, resourceVersion, phase }: { operation: WatchOperation; resourceVersion: number; phase: 'new' | 'live' },
    closed: () => void,
  ) {
    this.#socket = socket
    this.#closed = closed
    this.#operation = operation
    this.#resourceVersion = resourceVersion
    this.#isLive = phase === 'live'
  }

  /** During catch-up the Worker acknowledges what its client has read. Afterwards it takes all and limits its own backlog. */
  get queued(): number {
    return this.#isLive ? this.#socket.bufferedAmount : this.#unread
  }

  events(bytes: Uint8Array, through: number, following?: () => Uint8Array | undefined): void {
    this.#told = through
    if (this.#isLive && following === undefined) {
      this.#send(liveMessage(bytes, through))
      return
    }
    const parts = following === undefined ? { bytes } : { first: bytes, bytes: following() ?? new Uint8Array() }
    this.#sendCounted({ kind: messageKind.events, resourceVersion: through, ...parts })
  }

  state(bytes: Uint8Array, after: string): void {
    this.#sendCounted({ kind: messageKind.state, resourceVersion: this.#resourceVersion, first: keyBytes(after), bytes })
  }

  reached(resourceVersion: number): void {
    if (this.#told !== undefined && this.#told >= resourceVersion) return
    this.#told = resourceVersion
    this.#send(encodeMessage({ kind: messageKind.reached, resourceVersion }))
  }

  setLive(isLive: boolean, position: number): void {
    if (this.#isLive === isLive) return
    this.#unread = 0
    this.#isLive = isLive
    this.attach(isLive ? { position } : {})
  }

  end(): void {
    this.#send(encodeMessage({ kind: messageKind.end }))
    this.#close(normalClosure)
  }

  restart(): void {
    this.#close(serviceRestart)
  }

  fail(): void {
    this.#send(encodeMessage({ kind: messageKind.fail }))
    this.#close(normalClosure)
  }

  acknowledged(bytes: number): void {
    this.#unread = Math.max(0, this.#unread - bytes)
  }

  attach(state: Omit<Attachment, 'operation'>): void {
    this.#socket.serializeAttachment({ operation: this.#operation, ...state } satisfies Attachment)
  }

  #close(code: number): void {
    this.#socket.close(code)
    this.#closed()
  }

  #sendCounted(message: Parameters<typeof encodeMessage>[0] & { readonly bytes: Uint8Array }): void {
    const acknowledge = !this.#isLive
    if (acknowledge) this.#unread += message.bytes.byteLength
    this.#send(encodeMessage({ ...message, acknowledge }))
  }

  #send(message: Uint8Array<ArrayBuffer>): void {
    try {
      this.#socket.send(message)
    } catch {
      // The socket was lost: its Worker has gone, or continues on another one.
      this.feed?.leave()
    }
  }
}

/** The watches of one Durable Object whose clients are connected to Workers. */
export class WatchSockets {
  /** The name as a part of the alarm's work. */
  readonly name = 'watch-sockets'
  readonly #host: SocketState
  readonly #registry: Registry
  readonly #sinks = new Map<WebSocket, SocketSink>()
  /** The version of the store when the object woke up: the events up to it were sent before. */
  readonly #wokenAt: number
  /** The time of the first event that some Worker may not know of; absent if all know all events. */
  #behindSince: number | undefined

  constructor(host: SocketState, registry: Registry) {
    this.#host = host
    this.#registry = registry
    this.#wokenAt = registry.store.resourceVersion
    registry.store.onDurable(() => {
      if (this.#sinks.size > 0) this.#behindSince ??= this.#registry.now()
    })
  }

  /** Continues the watches of a hibernated object. Called once, before the first request. */
  wake(): void {
    for (const socket of this.#host.getWebSockets()) this.#continue(socket)
  }

  /**
   * Begins a watch, or continues one.
   * @returns the 101 response with the Worker's end of the socket; a stream if the selectors are too long for an attachment
   * @throws ApiError as `watch` does, before a socket is opened
   */
  async accept(kind: Kind, { verb, target, watch: options, ...given }: WatchOperation): Promise<Response> {
    const { representation, mediaType, resumption, definition, emulation } = given
    const operation: WatchOperation = {
      verb,
      target,
      watch: options,
      ...(representation !== undefined && { representation }),
      ...(mediaType !== undefined && { mediaType }),
      ...(emulation !== undefined && { emulation }),
    }
    if (resumption !== undefined && definition !== kind.definition?.tag) return this.#ended()
    if (Buffer.byteLength(JSON.stringify(operation)) > maximumAttachment) {
      return new Response(await watch(this.#registry, kind, operation))
    }
    try {
      const request = await requestOf(this.#registry, kind, { ...operation, ...(resumption !== undefined && { resumption }) })
      return this.#open(request, operation)
    } catch (error) {
      if (!isErrorEvent(error)) throw error
      return this.#ended(errorEvent(error, mediaType))
    }
  }

  #open(request: FeedRequest, operation: WatchOperation): Response {
    const { client, server } = this.#pair()
    const { resourceVersion, first } = request
    const sink = this.#sink(server, { operation, resourceVersion, phase: 'new' })
    sink.attach({})
    if (first !== undefined) sink.state(new Uint8Array(), first.after ?? '')
    else if (resourceVersion <= this.#registry.store.resourceVersion) sink.reached(resourceVersion)
    sink.feed = this.#registry.store.feed(request, sink)
    return new Response(null, { status: 101, webSocket: client })
  }

  #sink(socket: WebSocket, state: ConstructorParameters<typeof SocketSink>[1]): SocketSink {
    const sink = new SocketSink(socket, state, () => this.#sinks.delete(socket))
    this.#sinks.set(socket, sink)
    return sink
  }

  #continue(socket: WebSocket): void {
    const state = socket.deserializeAttachment() as Attachment | null
    if (state === null || socket.readyState !== WebSocket.OPEN) return
    const { operation, position } = state
    const { group, version, resource } = operation.target
    try {
      const known = this.#registry.kindOf(group, version, resource)
      if (known === undefined || position === undefined) {
        socket.close(serviceRestart)
        return
      }
      const kind = kindOfOperation(known, operation)
      // A watch may have begun at a version that is not reached yet.
      const resourceVersion = Math.max(position, this.#wokenAt)
      const sink = this.#sink(socket, { operation, resourceVersion, phase: 'live' })
      sink.feed = this.#registry.store.feed(requestAfter(this.#registry, kind, operation, resourceVersion), sink)
      const told = Math.max(position, this.#host.storage.kv.get<number>(reachedKey) ?? 0)
      if (told < this.#wokenAt) this.#behindSince = 0
    } catch (error) {
      // It must not prevent the object from starting.
      logError('a watch could not be continued after hibernation', error)
      socket.close(serviceRestart)
    }
  }

  /** Returns the response of a watch that has ended, with its ERROR event if it has one. */
  #ended(bytes?: Uint8Array): Response {
    const { client, server } = this.#pair()
    server.send(encodeMessage({ kind: messageKind.end, ...(bytes !== undefined && { bytes }) }))
    server.close(normalClosure)
    return new Response(null, { status: 101, webSocket: client })
  }

  #pair(): { readonly client: WebSocket; readonly server: WebSocket } {
    const { 0: client, 1: server } = new WebSocketPair()
    this.#host.acceptWebSocket(server)
    return { client, server }
  }

  /** Returns when the Workers are told the version that they have reached; undefined if all know it. */
  nextAlarm(): number | undefined {
    if (this.#behindSince === undefined || this.#sinks.size === 0) return undefined
    return this.#behindSince + reachedMilliseconds
  }

  /**
   * Tells the Workers the version up to which their watches have no further event: for bookmarks, and so that a watch whose
   * connection is lost later does not continue from a version that history no longer reaches.
   */
  work(): void {
    const { resourceVersion } = this.#registry.store
    this.#behindSince = undefined
    for (const sink of this.#sinks.values()) {
      const { feed } = sink
      if (feed?.live === true) sink.reached(feed.reached)
    }
    this.#host.storage.kv.put(reachedKey, resourceVersion)
  }

  /** Takes a Worker's message: the number of bytes that its client has read. */
  message(socket: WebSocket, message: string | ArrayBuffer): void {
    const bytes = Number(message)
    if (typeof message === 'string' && Number.isSafeInteger(bytes)) this.#sinks.get(socket)?.acknowledged(bytes)
  }

  /** Removes the watch of a socket that is closed or lost. */
  closed(socket: WebSocket): void {
    this.#sinks.get(socket)?.feed?.leave()
    this.#sinks.delete(socket)
  }
}
