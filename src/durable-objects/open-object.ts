/** A Durable Object that is open: its kernel, its features, and the handlers of its messages. */
import { learnCause, withCause } from '../clusters/fork-messages.ts'
import type { Handlers, Protocol, Receiver } from '../clusters/message.ts'
import { enterMemory, type ObjectInMemory } from '../clusters/objects-in-memory.ts'
import { type Operation, operationOf } from '../clusters/operation.ts'
import type { Parts } from '../clusters/policy-snapshot.ts'
import { collectionUrl } from '../clusters/protocol.ts'
import { ownCluster, requireSender } from '../clusters/senders.ts'
import { errorResponse } from '../clusters/wire-error.ts'
import type { Feature, Kernel } from '../controllers/kernel.ts'
import { ApiError } from '../meta/errors.ts'
import { getFromMemory, performOperation } from '../registry/collection.ts'
import type { Registry } from '../registry/registry.ts'
import type { WatchSockets } from '../registry/watch-sockets.ts'
import type { Loopback } from './loopback.ts'
import type { ObjectCopies } from './object-copies.ts'
import type { ObjectFeatures } from './object-features.ts'

/** The parts of an object that requests meet. */
export interface ObjectParts<P extends Protocol> {
  readonly receiver: Receiver<P>
  readonly handlers: Handlers<P>
  /** In the order in which they admit requests and react to events. */
  readonly features: readonly Feature[]
  readonly copies: ObjectCopies
  readonly sockets: WatchSockets
  readonly loopback: Loopback
}

/** The instance of an object, as it is read without a request. */
export interface ReadableInstance {
  /** Whether the contents are those of the cluster with a uid; undefined if the caller means none. */
  readonly isReadable: (clusterUid: string | undefined) => boolean
  /** Whether the parts are those of the present policy snapshot. Only control objects have it. */
  readonly confirmsPolicy?: (parts: Parts) => boolean
}

/** An open object. */
export class OpenObject<P extends Protocol> implements ObjectInMemory {
  readonly kernel: Kernel
  readonly #parts: ObjectParts<P>
  readonly #instance: ReadableInstance
  readonly #admitting: readonly Feature[]
  readonly #preparing: readonly Feature[]
  readonly #alarmed: readonly Feature[]

  constructor(kernel: Kernel, parts: ObjectParts<P>, instance: ReadableInstance) {
    this.kernel = kernel
    this.#parts = parts
    this.#instance = instance
    const { features, loopback } = parts
    for (const feature of features) {
      Object.assign(kernel.registry, feature.registry)
      kernel.events.add(feature)
      kernel.alarms.add(feature.jobs ?? [])
    }
    this.#admitting = features.filter(({ admit }) => admit !== undefined)
    this.#preparing = features.filter(({ prepare }) => prepare !== undefined)
    this.#alarmed = features.filter(({ beforeAlarm }) => beforeAlarm !== undefined)
    loopback.connect((request) => this.#fetchOwn(request))
  }

  /** Lets the Worker of this isolate read what is durable. Nothing waits for that. */
  enterMemory(): void {
    const { ctx, settings, name } = this.kernel
    if (settings.reads !== 'memory') return
    // An object whose storage fails answers requests only.
    ctx.storage.sync().then(
      () => enterMemory(name, this),
      () => undefined,
    )
  }

  async fetch(request: Request): Promise<Response> {
    const { store, name } = this.kernel
    const isOperation = request.url === collectionUrl
    const message = isOperation ? undefined : this.#parts.receiver.messageOf(request)
    for (const feature of this.#admitting) {
      const answer = feature.admit?.(request, message)
      const refusal = answer instanceof Promise ? await answer : answer
      if (refusal !== undefined) return refusal
    }
    try {
      requireSender(request, message?.senders ?? ownCluster, name)
    } catch (error) {
      if (error instanceof ApiError) return errorResponse(error)
      throw error
    }
    const isCaused = learnCause(store, request)
    const answer = await (isOperation ? this.answerOperation(request) : this.#answerMessage(request))
    return isCaused ? withCause(store, answer) : answer
  }

  /** Answers a request of this object to itself. It waits for no work in the background, because such work may have sent it. */
  async #fetchOwn(request: Request): Promise<Response> {
    if (request.url !== collectionUrl) return this.#answerMessage(request)
    const response = await this.#performAt(operationOf(request), request)
    await this.kernel.alarms.arm()
    return response
  }

  #answerMessage(request: Request): Promise<Response> {
    return this.#parts.receiver.answer(request, this.#parts.handlers)
  }

  /** Answers an operation when the work that belongs to it is done. */
  async answerOperation(request: Request): Promise<Response> {
    const { alarms, queues } = this.kernel
    const operation = operationOf(request)
    const response = await this.#performAt(operation, request)
    if (!readingVerbs.has(operation.verb)) await queues.settleWrites()
    await alarms.arm()
    return response
  }

  /** Performs an operation on what the object holds, unless it reads the past, or a collection that is still to be copied. */
  #performAt(operation: Operation, request: Request): Promise<Response> {
    const { copies } = this.#parts
    if (copies.isHere(operation)) return this.#perform(operation, request, this.kernel.registry)
    return copies.performElsewhere(operation, (registry) => this.#perform(operation, request, registry))
  }

  #perform(operation: Operation, request: Request, registry: Registry): Promise<Response> {
    const { sockets } = this.#parts
    const waiting = this.#preparing.flatMap((feature) => feature.prepare?.(operation) ?? [])
    if (waiting.length === 0) return performOperation(registry, request, sockets, operation)
    return Promise.all(waiting).then(() => performOperation(registry, request, sockets, operation))
  }

  answerFromMemory(operation: Operation, clusterUid: string | undefined): Response | undefined {
    const { kernel } = this
    if (!this.#isReadable(clusterUid) || !this.#parts.copies.isHere(operation)) return undefined
    return getFromMemory(kernel.registry, operation, (key) => kernel.store.getFromMemory(key))
  }

  confirmsPolicy(parts: Parts, clusterUid: string | undefined): boolean {
    return this.#isReadable(clusterUid) && this.#instance.confirmsPolicy?.(parts) === true
  }

  #isReadable(clusterUid: string | undefined): boolean {
    return !this.kernel.isEnding && this.#instance.isReadable(clusterUid)
  }

  async alarm(): Promise<void> {
    for (const feature of this.#alarmed) if ((await feature.beforeAlarm?.()) === 'done') return
    await this.kernel.alarms.run()
  }

  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#parts.sockets.message(socket, message)
  }

  webSocketClosed(socket: WebSocket): void {
    this.#parts.sockets.closed(socket)
  }
}

/**
 * Begins an object: blocks requests until the bootstrap objects have been created.
 * @param isInUse whether the object belongs to a cluster that exists, and has its contents
 */
export function startObject<P extends Protocol>(
  { kernel }: OpenObject<P>,
  { restoration, sockets }: Pick<ObjectFeatures, 'restoration' | 'sockets'>,
  begin: () => Promise<void>,
  isInUse: () => boolean,
): void {
  if (restoration.isRestoring) return
  void kernel.ctx.blockConcurrencyWhile(async () => {
    if (!isInUse()) return
    await begin()
    sockets.wake()
  })
}

const readingVerbs: ReadonlySet<Operation['verb']> = new Set(['get', 'list', 'watch', 'evaluatePods'])
