/** A cluster that is a fork: the part of its control object, which knows the collections that are still to be copied. */

import { controlProtocol } from '../clusters/control-protocol.ts'
import type { Fork, ForkProgress, PastObject, PastState } from '../clusters/fork-messages.ts'
import { send } from '../clusters/message.ts'
import { objectProtocol } from '../clusters/object-protocol.ts'
import { controlledCollections, controlOf, prefixOfCollection } from '../clusters/placement.ts'
import type { Kernel } from '../controllers/kernel.ts'
import { ApiError } from '../meta/errors.ts'
import { introduceAll, isUnfinished, parentStub, pastObjects, pastState, writePastObject } from './fork-copies.ts'

/** The storage key of the fork. It belongs to the place and not to the contents: backups and restores leave it alone. */
export const forkKey = 'fork'

/** The collections of the parent's control object at the moment of the fork. */
export interface OwnPast {
  readonly state: PastState
  readonly objects: readonly PastObject[]
}

/** The fork in its control object. */
export class ClusterFork {
  readonly #kernel: Kernel

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** The fork with the collections that are still to be copied; undefined if the cluster is not a fork. */
  get current(): Fork | undefined {
    return this.#kernel.ctx.storage.kv.get<Fork>(forkKey)
  }

  /** The prefixes of the collections that are still to be copied. */
  get remaining(): readonly string[] {
    return this.current?.collections.map(({ group, resource }) => prefixOfCollection(group, resource)) ?? []
  }

  /** Reads the collections of the parent's control object. @throws ApiError of the parent */
  async read(fork: Fork): Promise<OwnPast> {
    const stub = parentStub(this.#kernel, fork, controlOf(fork.parent))
    const prefixes = [...controlledCollections]
    const state = await pastState(stub, fork, prefixes)
    const objects: PastObject[] = []
    for await (const object of pastObjects(stub, fork, { prefixes, version: state.version, after: '' })) objects.push(object)
    return { state, objects }
  }

  /** Writes what was read. Call it in a transaction, and read the store again after it. */
  write(fork: Fork, { state, objects }: OwnPast): void {
    const { ctx, database, events } = this.#kernel
    for (const object of objects) events.arrived(writePastObject(database, object), isUnfinished(object, fork))
    introduceAll(this.#kernel, state)
    database.endHistory(state.version, fork.time)
    ctx.storage.kv.put<Fork>(forkKey, fork)
  }

  /** Returns the fork if a collection is still to be copied. */
  originOf(prefix: string): Fork | undefined {
    return this.remaining.includes(prefix) ? this.current : undefined
  }

  /** Records that a collection has been copied. */
  copied(prefix: string): void {
    const { current } = this
    if (current === undefined) return
    const collections = current.collections.filter(({ group, resource }) => prefixOfCollection(group, resource) !== prefix)
    this.#kernel.ctx.storage.kv.put<Fork>(forkKey, { ...current, collections })
  }

  /** Ends the fork in a transaction that replaces the contents of the cluster: nothing is left to copy. */
  end(): void {
    const { current } = this
    if (current !== undefined) this.#kernel.ctx.storage.kv.put<Fork>(forkKey, { ...current, collections: [] })
  }

  /** Makes the collections copy what is still to be copied, one after the other. */
  async complete(): Promise<void> {
    for (const { group, resource } of this.current?.collections ?? []) {
      const stub = this.#kernel.client.collection(group, resource)
      await send(stub, objectProtocol.completeFork)
    }
  }

  /** Tells the parent which history the fork still needs. */
  async report(): Promise<void> {
    const fork = this.current
    if (fork !== undefined) await this.#tell(fork, { uid: fork.uid, remaining: this.remaining })
  }

  /** Tells the parent that the fork needs nothing any more. */
  async release(): Promise<void> {
    const fork = this.current
    if (fork !== undefined) await this.#tell(fork, { uid: fork.uid, remaining: [] })
  }

  async #tell(fork: Fork, progress: ForkProgress): Promise<void> {
    const stub = parentStub(this.#kernel, fork, controlOf(fork.parent))
    try {
      await send(stub, controlProtocol.forkProgress, progress)
    } catch (error) {
      // The parent has been deleted.
      if (!(error instanceof ApiError && error.code === 404)) throw error
    }
  }
}
