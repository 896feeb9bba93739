/** The cluster to which a collection belongs: whether a caller means it, and whether it is a fork whose objects are to be copied. */
import { controlProtocol } from '../clusters/control-protocol.ts'
import type { Fork } from '../clusters/fork-messages.ts'
import { type Declaration, exchange, send } from '../clusters/message.ts'
import { defaultCluster } from '../clusters/placement.ts'
import { clusterUidHeader, withHeaders } from '../clusters/protocol.ts'
import { errorResponse } from '../clusters/wire-error.ts'
import type { Feature, Kernel } from '../controllers/kernel.ts'
import { ApiError, ClusterReplaced } from '../meta/errors.ts'
import { progressOf } from './fork-copies.ts'
import type { ObjectCopies } from './object-copies.ts'

/** The membership of one collection. */
export class CollectionMembership implements Feature {
  readonly #kernel: Kernel
  readonly #prefix: string
  readonly #copies: ObjectCopies
  readonly #begin: () => Promise<void>
  #origin: Promise<void> | 'told' | undefined
  /** The uid of the cluster, once the control object has confirmed it. */
  #uid: string | undefined

  /** @param begin begins the collection, if nothing has to be copied */
  constructor(kernel: Kernel, prefix: string, copies: ObjectCopies, begin: () => Promise<void>) {
    this.#kernel = kernel
    this.#prefix = prefix
    this.#copies = copies
    this.#begin = begin
  }

  /** Whether it is known that the collection does not have to be copied from another cluster. */
  get isSettled(): boolean {
    const { cluster, ctx, database } = this.#kernel
    if (cluster === defaultCluster) return true
    const progress = progressOf(ctx.storage, this.#prefix)
    return progress === 'copied' || (progress === undefined && database.hasTables)
  }

  /** Whether it is known that the cluster has a uid; undefined if the caller means none. */
  isOf(uid: string | undefined): boolean {
    return uid === undefined || uid === this.#uid
  }

  /** A cluster that is being deleted, or restored, answers no questions: the messages about that are answered before any. */
  admit(request: Request, message: Declaration | undefined): Promise<Response | undefined> | undefined {
    const uid = request.headers.get(clusterUidHeader)
    const dependsOnOrigin = message?.answeredWhile.includes('uncopied') !== true
    const isMember = uid === null || uid === this.#uid
    if (isMember && (!dependsOnOrigin || this.#origin === 'told')) return undefined
    return this.#admitLater(uid, dependsOnOrigin)
  }

  async #admitLater(uid: string | null, dependsOnOrigin: boolean): Promise<Response | undefined> {
    if (uid !== null && uid !== this.#uid && !(await this.#confirm(uid))) return errorResponse(new ClusterReplaced())
    if (dependsOnOrigin) await this.#learned()
    return undefined
  }

  async beforeAlarm(): Promise<'go on'> {
    await this.#learned()
    await this.#copies.copy()
    return 'go on'
  }

  /** Resolves when it is known whether the collection has to be copied. All requests and the alarm share one question. */
  #learned(): Promise<void> | undefined {
    this.#origin ??= this.isSettled ? 'told' : this.#learn()
    return this.#origin === 'told' ? undefined : this.#origin
  }

  /** Asks the control object whether the collection has to be copied from another cluster. */
  async #learn(): Promise<void> {
    try {
      const fork = await this.#ask()
      if (fork === undefined) await this.#begin()
      else this.#copies.begin(fork, [this.#prefix])
      this.#origin = 'told'
    } catch (error) {
      this.#origin = undefined
      throw error
    }
  }

  /** Returns the fork if the collection is still to be copied. In a cluster that does not exist there is nothing to copy. */
  async #ask(): Promise<Fork | undefined> {
    const { client, ctx } = this.#kernel
    try {
      return await send(client.control(), controlProtocol.forkOrigin, { prefix: this.#prefix })
    } catch (error) {
      const isBegun = progressOf(ctx.storage, this.#prefix) !== undefined
      if (!isBegun && error instanceof ApiError && error.code === 404) return undefined
      throw error
    }
  }

  /** Whether the cluster of this object has the uid. Its control object knows; it ends this object with the cluster. */
  async #confirm(uid: string): Promise<boolean> {
    const control = withHeaders(this.#kernel.client.control(), { [clusterUidHeader]: uid })
    const response = await exchange(control, controlProtocol.health, undefined)
    await response.body?.cancel()
    if (response.ok) this.#uid = uid
    return response.ok
  }
}
