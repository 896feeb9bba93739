/** The history that a cluster keeps, and that its forks need: the part of its control object. */

import type { ChangedHistory, Fork, ForkIdentity, ForkProgress, KeptHistory, NewFork } from '../clusters/fork-messages.ts'
import { send } from '../clusters/message.ts'
import { objectProtocol } from '../clusters/object-protocol.ts'
import { controlledCollections, defaultCluster, groupResourceOf, prefixOfCollection } from '../clusters/placement.ts'
import type { ReportedUses } from '../controllers/cluster/life.ts'
import type { ClusterRecord } from '../controllers/cluster/record.ts'
import type { Kernel } from '../controllers/kernel.ts'
import { ApiError, badRequest, expired } from '../meta/errors.ts'
import { newUid } from '../meta/uid.ts'
import type { HistoryBounds } from '../storage/compaction.ts'
import { allKeys } from '../storage/key-range.ts'
import { countKeys } from '../storage/statements.ts'
import type { ClusterCollections } from './cluster-collections.ts'
import type { Past } from './past.ts'

/** The prefix of the storage keys of holds. */
const holdPrefix = 'hold/'

/** The prefix of the storage keys of collections that rely on the last answer: they are told of changes. */
const relyingPrefix = 'relies-on-history/'

/** The storage key of the time from which on history is there, whatever the present wish: it was longer or shorter before. */
const floorKey = 'history-floor'

/** Whether an entry belongs to the place and not to the contents: backups leave it alone. */
export const isHoldKey = (key: string): boolean => key.startsWith(holdPrefix) || key.startsWith(relyingPrefix) || key === floorKey

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
  /** Absent until all collections that rely on an answer know of the fork: until then they may compact what it needs. */
  readonly isConfirmed?: true
}

/** The answer on which a collection relies. */
interface Reliance {
  /** Another one for each answer. */
  readonly id: string
  readonly historySeconds: number | undefined
}

/** The parts of the control object that holds depend on. */
export interface HeldCluster {
  readonly record: Pick<ClusterRecord, 'terms'>
  /** The history that is kept in any case. */
  readonly history: HistoryBounds
  readonly past: Pick<Past, 'versionAt'>
  readonly collections: Pick<ClusterCollections, 'usedAt'>
  /** The usage of the other objects. */
  readonly uses: Pick<ReportedUses, 'answer'>
}

/** The holds of one cluster. */
export class ForkHolds {
  readonly #kernel: Kernel
  readonly #cluster: HeldCluster
  readonly #kv: SyncKvStorage
  #isClosed = false

  constructor(kernel: Kernel, cluster: HeldCluster) {
    this.#kernel = kernel
    this.#cluster = cluster
    this.#kv = kernel.ctx.storage.kv
  }

  /** The wish of the cluster; undefined for the setting of the deployment. */
  get #requestedSeconds(): number | undefined {
    return this.#cluster.record.terms?.historySeconds
  }

  /** Returns the number of objects at a version of the control object, as far as it knows. */
  #objectsAt(version: number): number {
    const { database, store } = this.#kernel
    const resourceVersion = version >= store.resourceVersion ? undefined : version
    return countKeys(database.sql, { range: allKeys, resourceVersion }) + this.#cluster.uses.answer.others.objects
  }

  #all(): readonly (Hold & { readonly uid: string })[] {
    const latest = this.#kernel.store.time - longestMaking
    const isAbandoned = ({ since, remaining }: Hold): boolean => remaining.includes(ownCollections) && since < latest
    const found = [...this.#kv.list<Hold>({ prefix: holdPrefix })]
    for (const [key, hold] of found) if (isAbandoned(hold)) this.#kv.delete(key)
    return found.filter(([, hold]) => !isAbandoned(hold)).map(([key, hold]) => ({ ...hold, uid: key.slice(holdPrefix.length) }))
  }

  /** The time from which on history is there without any fork: milliseconds since the epoch. */
  get #keptInAnyCase(): number {
    const { history } = this.#cluster
    return Math.max(this.#kernel.store.time - history.historySeconds * 1000, this.#kv.get<number>(floorKey) ?? 0)
  }

  /**
   * Holds the history for a fork, which may be asked for again: the moment stays the same.
   * @throws ApiError 400 for a moment in the future, 410 for one before the history that is kept in any case: collections may have
   *   compacted it already
   */
  async hold({ uid, cluster, time }: NewFork): Promise<Fork> {
    const { ctx, cluster: parent, placement, store } = this.#kernel
    const { record, past, collections: all } = this.#cluster
    const known = this.#kv.get<Hold>(holdPrefix + uid)
    const now = store.time
    const at = known?.time ?? time ?? now
    if (!(at <= now)) throw badRequest('the time of a fork must not be in the future')
    const isConfirmed = known?.isConfirmed === true
    if (!isConfirmed) this.#requireKept(uid, at)
    const version = await past.versionAt(at)
    if (store.getAt('namespaces/default', version) === undefined)
      throw expired('the cluster did not exist at the time of the fork')
    // A collection that has come since the fork was first asked for had no objects at its moment, and its history is not held.
    const collections = all
      .usedAt(version)
      .filter(({ group, resource }) => known === undefined || known.remaining.includes(prefixOfCollection(group, resource)))
    const remaining = [ownCollections, ...collections.map(({ group, resource }) => prefixOfCollection(group, resource))]
    if (this.#isClosed) throw new ApiError(503, 'ServiceUnavailable', 'the cluster is being deleted')
    if (known === undefined) this.#kv.put<Hold>(holdPrefix + uid, { cluster, time: at, since: now, remaining })
    await ctx.storage.sync()
    // From here on collections that ask are told of the fork.
    await this.#tell((prefix) => remaining.includes(prefix))
    if (!isConfirmed) this.#confirm(uid, at)
    await ctx.storage.sync()
    const { jurisdiction } = record.terms ?? {}
    const fork = { parent, placement, objects: this.#objectsAt(version), uid, time: at, collections }
    return { ...fork, ...(jurisdiction !== undefined && { jurisdiction }) }
  }

  /** @throws ApiError 410 if collections may have compacted the moment of a fork, which is given up */
  #requireKept(uid: string, at: number): void {
    if (at >= this.#keptInAnyCase) return
    this.#kv.delete(holdPrefix + uid)
    throw expired('the history of the cluster does not reach the time of the fork')
  }

  /** Records that all collections know of a fork. One of them may have compacted until it was told. */
  #confirm(uid: string, at: number): void {
    this.#requireKept(uid, at)
    const hold = this.#kv.get<Hold>(holdPrefix + uid)
    if (hold !== undefined) this.#kv.put<Hold>(holdPrefix + uid, { ...hold, isConfirmed: true })
  }

  /** Refuses further forks, because the cluster is being deleted. */
  close(): void {
    this.#isClosed = true
  }

  /** Tells the collections that rely on an answer. An answer that one of them gets meanwhile is not forgotten. */
  async #tell(concerns: (prefix: string, reliance: Reliance) => boolean): Promise<void> {
    const relying = [...this.#kv.list<Reliance>({ prefix: relyingPrefix })]
    await Promise.all(
      relying.map(async ([key, reliance]) => {
        const prefix = key.slice(relyingPrefix.length)
        if (!concerns(prefix, reliance)) return
        await this.#tellCollection(prefix)
        if (this.#kv.get<Reliance>(key)?.id === reliance.id) this.#kv.delete(key)
      }),
    )
  }

  /** Tells a collection that it must ask again, and the wish of the cluster. */
  async #tellCollection(prefix: string): Promise<void> {
    const historySeconds = this.#requestedSeconds
    const change: ChangedHistory = historySeconds === undefined ? {} : { historySeconds }
    const stub = this.#kernel.client.collection(...groupResourceOf(prefix))
    await send(stub, objectProtocol.historyChanged, change)
  }

  /**
   * Checks that this cluster has agreed to a fork, which has still to copy these collections.
   * @throws ApiError 403 for any other cluster
   */
  requireAgreement({ uid, cluster }: ForkIdentity, prefixes: readonly string[]): void {
    const hold = this.#kv.get<Hold>(holdPrefix + uid)
    const mayRead = (prefix: string): boolean => controlledCollections.has(prefix) || hold?.remaining.includes(prefix) === true
    if (hold?.cluster === cluster && prefixes.length > 0 && prefixes.every(mayRead)) return
    throw new ApiError(403, 'Forbidden', `the cluster ${cluster} is no fork of ${this.#kernel.cluster} that has these to copy`)
  }

  /** Keeps only the history that a fork still needs. @param cluster the one that says so: the fork, or the default cluster */
  progress({ uid, remaining }: ForkProgress, cluster: string): void {
    const hold = this.#kv.get<Hold>(holdPrefix + uid)
    if (hold === undefined || (cluster !== hold.cluster && cluster !== defaultCluster)) return
    const left = hold.remaining.filter((prefix) => remaining.includes(prefix))
    if (left.length === 0) this.#kv.delete(holdPrefix + uid)
    else this.#kv.put<Hold>(holdPrefix + uid, { ...hold, remaining: left })
  }

  /** Continues after the wish of the cluster has changed. @param before the seconds that were kept until now */
  async historyChanged(before: number): Promise<void> {
    const isLonger = this.#cluster.history.historySeconds > before
    const { time } = this.#kernel.store
    const floor = Math.max(time - before * 1000, this.#kv.get<number>(floorKey) ?? 0)
    // Collections compact as before until they are told. If this is interrupted, no fork can ask for what they may have compacted.
    if (isLonger) this.#kv.put(floorKey, time)
    await this.tellWish()
    if (isLonger) this.#kv.put(floorKey, Math.max(floor, this.#kernel.store.time - before * 1000))
  }

  /** Tells the wish of the cluster to collections that rely on another one. */
  tellWish(): Promise<void> {
    const wish = this.#requestedSeconds
    return this.#tell((_, { historySeconds }) => historySeconds !== wish)
  }

  /** Returns the times that forks need of a collection. */
  #timesOf(prefix: string): readonly number[] {
    const needs = ({ remaining }: Hold): boolean => this.#kernel.placement === 'one-object' || remaining.includes(prefix)
    return this.#all()
      .filter(needs)
      .map(({ time }) => time)
  }

  /**
   * Returns the time from which on the history of a collection has to be kept: later forks need nothing from before it.
   * @param prefix `ownCollections` for those of the control object
   */
  keptFrom(prefix: string): number {
    const { history } = this.#cluster
    return Math.min(this.#kernel.store.time - history.historySeconds * 1000, ...this.#timesOf(prefix))
  }

  /** Answers a collection, which will be told when the answer changes. */
  answer(prefix: string): KeptHistory {
    const historySeconds = this.#requestedSeconds
    this.#kv.put<Reliance>(relyingPrefix + prefix, { id: newUid(), historySeconds })
    const isHeld = this.#timesOf(prefix).length > 0
    return { from: this.keptFrom(prefix), isHeld, ...(historySeconds !== undefined && { historySeconds }) }
  }

  /** A fork that still needs the history; undefined without one. */
  get first(): { readonly uid: string; readonly cluster: string } | undefined {
    return this.#all()[0]
  }
}
