/** The collections of a Durable Object that are copied from another cluster when they are first needed, and reads of the past. */

import type { Fork } from '../clusters/fork-messages.ts'
import type { ObjectBindings } from '../clusters/object-stubs.ts'
import type { Operation } from '../clusters/operation.ts'
import { prefixOfCollection } from '../clusters/placement.ts'
import { errorResponse } from '../clusters/wire-error.ts'
import type { AlarmPart } from '../controllers/alarms.ts'
import { isForkedToken } from '../controllers/cluster/forked-secrets.ts'
import type { GarbageCollector } from '../controllers/garbage-collector/wiring.ts'
import { ApiError } from '../meta/errors.ts'
import type { Registry } from '../registry/registry.ts'
import type { Database } from '../storage/database.ts'
import type { SqliteStore } from '../storage/sqlite-store.ts'
import type { Stored, StoreEvent } from '../storage/store.ts'
import { type CopyHost, ForkCopies, progressOf } from './fork-copies.ts'
import { storeFor } from './operation-store.ts'
import { Past } from './past.ts'

/** The parts of the Durable Object that its copies need. */
export interface ObjectCopiesHost {
  readonly ctx: DurableObjectState
  readonly database: Database
  readonly bindings: ObjectBindings
  /** The name of the Durable Object. */
  readonly name: string
  readonly store: SqliteStore
  readonly collector: () => GarbageCollector
  readonly writeRows: CopyHost['writeRows']
  /** Indexes a copied object, in the transaction that writes it. */
  readonly index: (event: StoreEvent) => void
  /** Records the work of the controllers that follows from an object. */
  readonly enqueue: (event: StoreEvent) => void
  /** Runs in the transaction that ends the copy of a collection, whose version was this one at the time of the fork. */
  readonly settle: (prefix: string, version: number, time: number) => void
  /** Continues after the objects of a collection have been copied. */
  readonly arrived: (prefix: string) => Promise<void>
}

/** The copies of one Durable Object. One that belongs to no fork has none. */
export class ObjectCopies {
  readonly past: Past
  /** The parts of the object that copies need. */
  readonly host: CopyHost
  readonly #host: ObjectCopiesHost
  #copies: ForkCopies | undefined

  constructor(host: ObjectCopiesHost) {
    const { ctx, database, bindings, name, store, writeRows, settle, arrived } = host
    this.#host = host
    this.past = new Past({ ctx, database, store: () => store })
    this.host = {
      ctx,
      database,
      bindings,
      name,
      caller: { name, clock: store },
      copied: (stored, isUnfinished) => this.#copied(stored, isUnfinished),
      writeRows,
      introduce: (place, prefix) => host.collector().introduce(place, prefix),
      settle,
      arrived,
    }
  }

  /** Begins to copy collections of a fork. @param prefixes those that are still to be copied */
  begin(fork: Fork, prefixes: readonly string[]): void {
    this.#copies = new ForkCopies(this.host, fork, prefixes)
  }

  /** Whether the objects of a collection are still to be copied. */
  has(prefix: string): boolean {
    return this.#copies?.has(prefix) === true
  }

  /** Whether a collection is, or was, to be copied. */
  isForked(prefix: string): boolean {
    return this.has(prefix) || progressOf(this.#host.ctx.storage, prefix) !== undefined
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
  async performElsewhere(
    operation: Operation,
    registry: Registry,
    perform: (registry: Registry) => Promise<Response>,
  ): Promise<Response> {
    try {
      const store = await storeFor({ store: this.#host.store, past: this.past, copies: this.#copies }, operation)
      return await perform({ ...registry, store })
    } catch (error) {
      if (error instanceof ApiError) return errorResponse(error)
      throw error
    }
  }

  /** Returns the garbage collector's work: it decides about owners and dependents when all of them are here. */
  collection(): AlarmPart {
    const collector = this.#host.collector()
    return {
      name: collector.name,
      nextAlarm: () => collector.nextAlarm(),
      work: async (now) => {
        await this.copy()
        await collector.work(now)
      },
    }
  }

  /** Indexes a copied object. Work that belongs to it may not have been finished at the moment of the fork. */
  #copied(object: Stored, isUnfinished: boolean): void {
    const event: StoreEvent = { type: 'ADDED', object, previous: undefined }
    this.#host.index(event)
    if (isUnfinished || isForkedToken(object)) this.#host.enqueue(event)
  }
}

/** Returns the prefix of the collection with a place in the table of bootstrap objects; undefined for the control object. */
export function collectionOfPlace(place: string): string | undefined {
  const slash = place.indexOf('/')
  return slash < 0 ? undefined : prefixOfCollection(place.slice(0, slash), place.slice(slash + 1))
}
