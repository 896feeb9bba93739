/** The history that forks of a cluster need: the part of its control object. */
import type { Fork, ForkedCollection, ForkProgress, NewFork } from '../clusters/fork-messages.ts'
import { type ClusterPlacement, clusterOf, prefixOfCollection } from '../clusters/placement.ts'
import { badRequest, expired } from '../meta/errors.ts'
import type { SqliteStore } from '../storage/sqlite-store.ts'

/** The prefix of the storage keys of holds. They belong to the place and not to the contents: backups leave them alone. */
export const holdPrefix = 'hold/'

/** Stands for the collections of the control object, which a fork copies when it is made. */
export const ownCollections = ''

/** A fork that was not made within this time never will be, in milliseconds. */
const longestMaking = 3_600_000

/** The history that one fork still needs. */
interface Hold {
  readonly cluster: string
  readonly time: number
  /** When it was made, in milliseconds since the epoch. */
  readonly since: number
  /** The prefixes of the collections that are still to be copied, and `ownCollections`. */
  readonly remaining: readonly string[]
}

/** The parts of the control object that holds depend on. */
export interface HoldsHost {
  readonly ctx: DurableObjectState
  readonly name: string
  readonly placement: ClusterPlacement
  readonly store: () => SqliteStore
  /** The seconds of history that are kept in any case. */
  readonly historySeconds: number
  /** Returns the version of the control object at a time. */
  readonly versionAt: (time: number) => Promise<number>
  /** Returns the collections that may have held objects at a version of the control object, without those of the control object. */
  readonly collectionsAt: (resourceVersion: number) => readonly ForkedCollection[]
}

/** The holds of one cluster. */
export class ForkHolds {
  readonly #host: HoldsHost

  constructor(host: HoldsHost) {
    this.#host = host
  }

  get #kv(): SyncKvStorage {
    return this.#host.ctx.storage.kv
  }

  #all(): readonly (Hold & { readonly uid: string })[] {
    const latest = this.#host.store().time - longestMaking
    const isAbandoned = ({ since, remaining }: Hold): boolean => remaining.includes(ownCollections) && since < latest
    const found = [...this.#kv.list<Hold>({ prefix: holdPrefix })]
    for (const [key, hold] of found) if (isAbandoned(hold)) this.#kv.delete(key)
    return found.filter(([, hold]) => !isAbandoned(hold)).map(([key, hold]) => ({ ...hold, uid: key.slice(holdPrefix.length) }))
  }

  /**
   * Holds the history for a fork, which may be asked for again: the moment stays the same.
   * @throws ApiError 400 for a moment in the future, 410 for one before the history that is kept in any case: collections may have
   *   compacted it already
   */
  async hold({ uid, cluster, time }: NewFork): Promise<Fork> {
    const { name, placement, store, historySeconds, versionAt, collectionsAt } = this.#host
    const known = this.#kv.get<Hold>(holdPrefix + uid)
    const now = store().time
    const at = known?.time ?? time ?? now
    if (at > now) throw badRequest('the time of a fork must not be in the future')
    if (known === undefined && at < now - historySeconds * 1000)
      throw expired('the history of the cluster does not reach the time of the fork')
    const version = await versionAt(at)
    if (store().getAt('namespaces/default', version) === undefined)
      throw expired('the cluster did not exist at the time of the fork')
    const collections = collectionsAt(version)
    const remaining = [ownCollections, ...collections.map(({ group, resource }) => prefixOfCollection(group, resource))]
    if (known === undefined) this.#kv.put<Hold>(holdPrefix + uid, { cluster, time: at, since: now, remaining })
    await this.#host.ctx.storage.sync()
    return { parent: clusterOf(name), uid, time: at, placement, collections }
  }

  /** Keeps only the history that a fork still needs. */
  progress({ uid, remaining }: ForkProgress): void {
    const known = this.#kv.get<Hold>(holdPrefix + uid)
    if (known === undefined) return
    if (remaining.length === 0) this.#kv.delete(holdPrefix + uid)
    else this.#kv.put<Hold>(holdPrefix + uid, { ...known, remaining })
  }

  /**
   * Returns the time from which on the history of a collection has to be kept: later forks need nothing from before it.
   * @param prefix `ownCollections` for those of the control object
   */
  keptFrom(prefix: string): number {
    const { placement, store, historySeconds } = this.#host
    const needs = ({ remaining }: Hold): boolean => placement === 'one-object' || remaining.includes(prefix)
    const times = this.#all()
      .filter(needs)
      .map(({ time }) => time)
    return Math.min(store().time - historySeconds * 1000, ...times)
  }

  /** A fork that still needs the history; undefined without one. */
  get first(): { readonly uid: string; readonly cluster: string } | undefined {
    return this.#all()[0]
  }
}
