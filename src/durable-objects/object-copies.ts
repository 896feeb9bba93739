/** The collections of a Durable Object that are copied from another cluster when they are first needed, and reads of the past. */
import type { Fork } from '../clusters/fork-messages.ts'
import type { Operation } from '../clusters/operation.ts'
import { errorResponse } from '../clusters/wire-error.ts'
import type { ObjectUse } from '../controllers/cluster/use.ts'
import type { Kernel } from '../controllers/kernel.ts'
import { ApiError } from '../meta/errors.ts'
import type { Registry } from '../registry/registry.ts'
import { ForkCopies, progressOf } from './fork-copies.ts'
import { storeFor } from './operation-store.ts'
import { Past } from './past.ts'

/** The copies of one Durable Object. One that belongs to no fork has none. */
export class ObjectCopies {
  readonly past: Past
  readonly #kernel: Kernel
  readonly #use: ObjectUse | undefined
  #finish: (prefix: string) => Promise<void> = async () => undefined
  #copies: ForkCopies | undefined

  /** @param use the usage of the cluster; undefined in the default cluster */
  constructor(kernel: Kernel, use: ObjectUse | undefined) {
    this.#kernel = kernel
    this.#use = use
    this.past = new Past(kernel)
  }

  /** Continues after the objects of a collection have been copied. */
  onFinished(finish: (prefix: string) => Promise<void>): void {
    this.#finish = finish
  }

  /** Begins to copy collections of a fork. @param prefixes those that are still to be copied */
  begin(fork: Fork, prefixes: readonly string[]): void {
    this.#copies = new ForkCopies(this.#kernel, { fork, prefixes }, this.#use, (prefix) => this.#finish(prefix))
  }

  /** Whether the objects of a collection are still to be copied. */
  has(prefix: string): boolean {
    return this.#copies?.has(prefix) === true
  }

  /** Whether a collection is, or was, to be copied. */
  isForked(prefix: string): boolean {
    return this.has(prefix) || progressOf(this.#kernel.ctx.storage, prefix) !== undefined
  }

  /** Copies collections; all that are left without a list. */
  async copy(prefixes?: readonly string[]): Promise<void> {
    if (prefixes === undefined) await this.#copies?.complete()
    else for (const prefix of prefixes) await this.#copies?.copy(prefix)
  }

  /** Whether an operation can be performed on what the object holds: it reads no past, and nothing is still to be copied. */
  isHere({ time }: Operation): boolean {
    return time === undefined && this.#copies?.isPending !== true
  }

  /** Performs an operation that reads the past, or a collection that is still to be copied, on a registry with the store for it. */
  async performElsewhere(operation: Operation, perform: (registry: Registry) => Promise<Response>): Promise<Response> {
    const { store, registry } = this.#kernel
    try {
      const past = await storeFor({ store, past: this.past, copies: this.#copies }, operation)
      return await perform({ ...registry, store: past })
    } catch (error) {
      if (error instanceof ApiError) return errorResponse(error)
      throw error
    }
  }
}
