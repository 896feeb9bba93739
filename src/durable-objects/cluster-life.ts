/** The life of a cluster in its control object: it is made, or begins as a fork; it is forked, and deleted. */

import type { ClusterUse, JurisdictionRedirect, UseAnswer, UseReport, WantedCluster } from '../clusters/cluster-terms.ts'
import type { Fork } from '../clusters/fork-messages.ts'
import { send } from '../clusters/message.ts'
import { objectProtocol } from '../clusters/object-protocol.ts'
import { defaultCluster } from '../clusters/placement.ts'
import { reconcileApiServices } from '../controllers/bootstrap/collections.ts'
import type { BootstrapMarker } from '../controllers/bootstrap/marker.ts'
import { fillFromTemplate, keepTemplate } from '../controllers/bootstrap/template.ts'
import { noUse, type ReportedUses } from '../controllers/cluster/life.ts'
import type { ClusterRecord } from '../controllers/cluster/record.ts'
import type { ObjectUse } from '../controllers/cluster/use.ts'
import { forkProgress } from '../controllers/fork/wiring.ts'
import type { Kernel } from '../controllers/kernel.ts'
import type { PolicyParts } from '../controllers/policy-parts.ts'
import { certificateKey } from '../controllers/service-account/root-certificate.ts'
import { ApiError, ClusterElsewhere } from '../meta/errors.ts'
import type { HistoryBounds } from '../storage/compaction.ts'
import type { ClusterCollections } from './cluster-collections.ts'
import type { ClusterFork, OwnPast } from './cluster-fork.ts'
import { keepPlacement } from './cluster-placement.ts'
import { clusterDeleted, deleteAll } from './delete-all.ts'
import type { ForkHolds } from './fork-holds.ts'
import type { ObjectCopies } from './object-copies.ts'

/** The storage key of the jurisdiction to which an object outside of it sends clients. */
const redirectKey = 'jurisdiction'

/** The parts of the control object that the life of its cluster depends on. */
export interface ClusterParts {
  readonly record: ClusterRecord
  readonly history: HistoryBounds
  readonly holds: ForkHolds
  readonly fork: ClusterFork
  readonly copies: ObjectCopies
  readonly collections: ClusterCollections
  readonly policyParts: PolicyParts
  readonly bootstrapMarker: BootstrapMarker
  /** The usage of the other objects, and of the control object; the latter undefined in the default cluster. */
  readonly uses: ReportedUses
  readonly use: ObjectUse | undefined
}

/** The beginnings of a control object. */
export interface Beginnings {
  /** Creates what belongs to the collections from the beginning, and starts their controllers. */
  readonly begin: () => Promise<void>
  /** Opens the object again, as its storage says now, and returns the life of the cluster there. */
  readonly reopen: () => ClusterLife
}

/** The life of one cluster. */
export class ClusterLife {
  readonly #kernel: Kernel
  readonly #parts: ClusterParts
  readonly #beginnings: Beginnings
  /** The jurisdiction of the cluster, if this object is outside of it. */
  #jurisdiction: string | undefined

  constructor(kernel: Kernel, parts: ClusterParts, beginnings: Beginnings) {
    this.#kernel = kernel
    this.#parts = parts
    this.#beginnings = beginnings
    this.#openCopies()
    if (parts.record.state === 'absent') this.#jurisdiction = kernel.ctx.storage.kv.get<string>(redirectKey)
  }

  #openCopies(): void {
    const { fork, copies } = this.#parts
    const { current } = fork
    if (current !== undefined && this.#kernel.placement === 'one-object') copies.begin(current, fork.remaining)
  }

  /**
   * Makes the cluster with this uid, or changes its terms. One with another uid is deleted before: then the request fails, and the
   * caller repeats it. Answers the usage of the cluster.
   */
  async set(wanted: WantedCluster): Promise<ClusterUse> {
    const { uid, placement, terms, fork } = wanted
    const { ctx, registry, alarms } = this.#kernel
    const { record, history, holds, policyParts, uses, use } = this.#parts
    const { state } = record
    if (state === 'deleting' || (state === 'exists' && record.uid !== uid)) return this.#delete()
    if (uid === '') return noUse
    if (state === 'absent') {
      if (placement !== this.#kernel.placement) {
        keepPlacement(ctx.storage, placement)
        return this.#beginnings.reopen().set(wanted)
      }
      await this.#begin(uid, fork)
    }
    const { historySeconds } = history
    const resources = registry.resourceConfig?.()
    if (record.set(uid, terms)) policyParts.clusterChanged()
    if (registry.resourceConfig?.() !== resources) await reconcileApiServices(registry)
    if (history.historySeconds === historySeconds) await holds.tellWish()
    else await holds.historyChanged(historySeconds)
    const told = use?.told() ?? noUse
    await ctx.storage.sync()
    await alarms.arm()
    return uses.sumWith(told)
  }

  /**
   * Lets this object, which is outside of the cluster's jurisdiction, tell clients about it. A cluster that is here is deleted
   * before. One that is in another jurisdiction must be deleted by the caller.
   */
  async setRedirect({ jurisdiction, former }: JurisdictionRedirect): Promise<ClusterUse> {
    const { ctx } = this.#kernel
    if (this.#parts.record.state !== 'absent') return this.#delete()
    const known = this.#jurisdiction
    if (known !== undefined && known !== jurisdiction && known !== former) throw new ClusterElsewhere(known)
    if (jurisdiction === undefined) ctx.storage.kv.delete(redirectKey)
    else ctx.storage.kv.put(redirectKey, jurisdiction)
    this.#jurisdiction = jurisdiction
    await ctx.storage.sync()
    return noUse
  }

  /** The jurisdiction of the cluster, if this object is outside of it. */
  get jurisdiction(): string | undefined {
    return this.#jurisdiction
  }

  /** Makes a cluster that does not exist. Nothing is reported, nor does it expire, before that. */
  async #begin(uid: string, fork: Fork | undefined): Promise<void> {
    const { ctx } = this.#kernel
    const { record, fork: own } = this.#parts
    const past = fork && (await own.read(fork))
    await ctx.blockConcurrencyWhile(async () => {
      if (record.state !== 'absent') return
      if (fork === undefined || past === undefined) {
        record.set(uid, undefined)
        await this.#make()
      } else {
        this.#adopt(fork, past, () => record.set(uid, undefined))
        await this.#beginnings.begin()
      }
    })
  }

  /** Makes the objects that a new cluster has, and lets its controllers settle: no client sees it before. */
  async #make(): Promise<void> {
    const { ctx, placement, store, alarms } = this.#kernel
    const { policyParts, collections, bootstrapMarker } = this.#parts
    const before = store.resourceVersion
    // The collections of another placement are in other objects, which would wait for this one.
    const isOne = placement === 'one-object'
    const isCopy = isOne && fillFromTemplate(this.#kernel, policyParts)
    if (isCopy) keepPlacement(ctx.storage, placement)
    await this.#beginnings.begin()
    if (!isOne || isCopy) return
    await alarms.settle()
    bootstrapMarker.set()
    if (alarms.isIdle) keepTemplate(this.#kernel, policyParts, collections.own(), before)
  }

  /** Begins with the objects of another cluster: copies the collections that every control object holds. */
  #adopt(fork: Fork, past: OwnPast, record: () => void): void {
    const { ctx, settings, database, store, queues } = this.#kernel
    database.makeTables()
    ctx.storage.transactionSync(() => {
      this.#parts.fork.write(fork, past)
      this.#parts.collections.adopt(fork.collections)
      // The parent has published it.
      ctx.storage.kv.put(certificateKey, settings.rootCertificate)
      queues.add(forkProgress, '')
      record()
    })
    store.reopen()
    this.#openCopies()
  }

  /** Records that a collection of the fork has been copied. */
  copied(prefix: string): void {
    this.#parts.fork.copied(prefix)
    this.#kernel.queues.add(forkProgress, '')
    void this.#kernel.alarms.arm()
  }

  /** Makes the forks of this cluster copy all that they still need from it. */
  async completeForks(): Promise<void> {
    const { holds } = this.#parts
    for (let next = holds.first; next !== undefined; next = holds.first) {
      const { uid, cluster } = next
      try {
        await send(this.#kernel.clusterClient(cluster).control(), objectProtocol.completeFork)
      } catch (error) {
        // The fork has been deleted, or was never made.
        if (!(error instanceof ApiError && error.code === 404)) throw error
      }
      holds.progress({ uid, remaining: [] }, cluster)
    }
  }

  /** Takes the usage of another object of the cluster. It is reported with that of the control object. */
  receiveUse(report: UseReport): UseAnswer {
    const { uses, use } = this.#parts
    const answer = uses.receive(report, use?.current() ?? noUse)
    use?.othersReported()
    void this.#kernel.alarms.arm()
    return answer
  }

  async #delete(): Promise<ClusterUse> {
    const { ctx } = this.#kernel
    const { record, holds, fork, collections } = this.#parts
    if (record.cluster === defaultCluster) return noUse
    // A fork that begins after the others are complete would lose what it has not copied.
    holds.close()
    await this.completeForks()
    await fork.release()
    // Collections that are about to hold their first object are refused from now on.
    record.beginDeletion()
    await ctx.storage.sync()
    for (const { group, resource } of collections.others()) await this.#deleteCollection(group, resource)
    await deleteAll(this.#kernel)
    return noUse
  }

  async #deleteCollection(group: string, resource: string): Promise<void> {
    try {
      await send(this.#kernel.client.collection(group, resource), objectProtocol.deleteData)
    } catch (error) {
      if (!(error instanceof Error && error.message.includes(clusterDeleted))) throw error
    }
  }
}
