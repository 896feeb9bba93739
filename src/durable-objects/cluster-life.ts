/** The life of a cluster in its control object: it is made, or begins as a fork; it is forked, and deleted. */
import type { ResourceConfig } from '../catalog/resource-config.ts'
import type { ClusterReport, UseAnswer, UseReport } from '../clusters/cluster-terms.ts'
import type { CollectionClient } from '../clusters/collection-client.ts'
import { type Fork, forkPaths } from '../clusters/fork-messages.ts'
import { elsewhereResponse, type Signpost } from '../clusters/jurisdiction.ts'
import { type ClusterPlacement, defaultCluster, groupResourceOf } from '../clusters/placement.ts'
import { fetchInner } from '../clusters/protocol.ts'
import type { Environment } from '../config/environment.ts'
import { objectSettings } from '../config/settings.ts'
import type { Alarms } from '../controllers/alarms.ts'
import { reconcileApiServices } from '../controllers/bootstrap/collections.ts'
import type { BootstrapMarker } from '../controllers/bootstrap/marker.ts'
import { fillFromTemplate, keepTemplate } from '../controllers/bootstrap/template.ts'
import { ClusterExpiry, noUse, ReportedUses } from '../controllers/cluster/life.ts'
import type { ClusterRecord, WantedCluster } from '../controllers/cluster/record.ts'
import { sendReport } from '../controllers/cluster/reports.ts'
import type { ObjectUse } from '../controllers/cluster/use.ts'
import type { Outbox } from '../controllers/outbox.ts'
import type { PolicyParts } from '../controllers/policy-parts.ts'
import { certificateKey } from '../controllers/service-account/root-certificate.ts'
import { ApiError } from '../meta/errors.ts'
import type { Registry } from '../registry/registry.ts'
import { namespaceCreated } from '../registry/strategies/core/namespace.ts'
import type { HistoryBounds } from '../storage/compaction.ts'
import type { Database } from '../storage/database.ts'
import { allKeys } from '../storage/key-range.ts'
import type { SqliteStore } from '../storage/sqlite-store.ts'
import { countKeys } from '../storage/statements.ts'
import type { ClusterCollections } from './cluster-collections.ts'
import { ClusterFork, type OwnPast } from './cluster-fork.ts'
import { clusterDeleted } from './cluster-object.ts'
import { keepPlacement } from './cluster-placement.ts'
import type { CopyHost } from './fork-copies.ts'
import { ForkHolds } from './fork-holds.ts'
import { dataPath } from './inner-paths.ts'
import type { Past } from './past.ts'

/** The outbox entry by which the parent of a fork learns which history is still needed. */
export const progressEntry = 'fork-progress/'

/** The storage key of the jurisdiction to which an object outside of it sends clients. */
const signpostKey = 'jurisdiction'

/** The parts of the control object that the life of its cluster depends on. */
export interface ClusterLifeHost {
  readonly ctx: DurableObjectState
  readonly environment: Environment
  /** The name of the control object. */
  readonly name: string
  readonly placement: ClusterPlacement
  readonly database: Database
  readonly store: SqliteStore
  readonly registry: Registry
  readonly past: Past
  readonly history: HistoryBounds
  readonly record: ClusterRecord
  readonly policyParts: PolicyParts
  readonly bootstrapMarker: BootstrapMarker
  /** The collections of the cluster, and the client of their objects. */
  readonly collections: ClusterCollections
  readonly client: CollectionClient
  readonly alarms: Alarms
  readonly outbox: Outbox
  /** The usage of the control object; undefined in the default cluster. */
  readonly use: ObjectUse | undefined
  readonly copyHost: CopyHost
  /** The resources that the cluster serves, by its terms. */
  readonly resourceConfig: () => ResourceConfig
  /** Returns a client of another cluster's collections. */
  readonly clusterClient: (name: string) => CollectionClient
  /** Makes the copies of the collections that are left, if the control object holds all of them. */
  readonly openCopies: (fork: Fork, remaining: readonly string[]) => void
  /** Creates what belongs to the collections from the beginning, and starts their controllers. */
  readonly begin: () => Promise<void>
  readonly armAlarm: () => Promise<void>
  /** Deletes all data of the control object and ends its instance. */
  readonly deleteAll: () => Promise<Response>
  /** Ends the instance. */
  /** Opens the object again, as its storage says now, and returns the life of the cluster there. */
  readonly reopened: () => ClusterLife
}

/** The life of one cluster. */
export class ClusterLife {
  readonly holds: ForkHolds
  readonly fork: ClusterFork
  readonly uses: ReportedUses
  readonly expiry: ClusterExpiry
  readonly #host: ClusterLifeHost
  /** The jurisdiction of the cluster, if this object is outside of it. */
  #jurisdiction: string | undefined

  constructor(host: ClusterLifeHost) {
    this.#host = host
    const { ctx, name, placement, store, past, collections, record } = host
    this.holds = new ForkHolds({
      ctx,
      name,
      placement,
      store: () => store,
      historySeconds: () => host.history.historySeconds,
      wishedSeconds: () => record.terms?.historySeconds,
      jurisdiction: () => record.terms?.jurisdiction,
      versionAt: (time) => past.versionAt(time),
      collectionsAt: (version) => collections.usedAt(version),
      objectsAt: (version) => this.#objectsAt(version),
      tell: async (prefix, historySeconds) => {
        const init = { method: 'POST', body: JSON.stringify({ historySeconds }) }
        const stub = host.client.collection(...groupResourceOf(prefix))
        await (await fetchInner(stub, forkPaths.keptChanged, init)).body?.cancel()
      },
    })
    this.fork = new ClusterFork({ ...host.copyHost, collections: host.client })
    this.uses = new ReportedUses(ctx.storage, () => record.terms?.limits ?? {})
    this.expiry = new ClusterExpiry(record, () => this.report('expired'))
    this.#openCopies()
    if (record.state === 'absent') this.#jurisdiction = ctx.storage.kv.get<string>(signpostKey)
  }

  #objectsAt(version: number): number {
    const { database, store } = this.#host
    const resourceVersion = version >= store.resourceVersion ? undefined : version
    return countKeys(database.sql, { range: allKeys, resourceVersion }) + this.uses.answer.others.objects
  }

  #openCopies(): void {
    const fork = this.fork.current
    if (fork !== undefined && this.#host.placement === 'one-object') this.#host.openCopies(fork, this.fork.remaining)
  }

  /**
   * Makes the cluster with this uid, or changes its terms. One with another uid is deleted before: then the request fails, and the
   * caller repeats it. Answers the usage of the cluster.
   */
  async set(wanted: WantedCluster): Promise<Response> {
    const { uid, placement, terms, fork } = wanted
    const { ctx, record, policyParts, use, armAlarm } = this.#host
    const { state } = record
    if (state === 'deleting' || (state === 'exists' && record.uid !== uid)) return this.#delete()
    if (uid === '') return Response.json({})
    if (state === 'absent') {
      if (placement !== this.#host.placement) {
        keepPlacement(ctx.storage, placement)
        return this.#host.reopened().set(wanted)
      }
      await this.#begin(uid, fork)
    }
    const { historySeconds } = this.#host.history
    const resources = this.#host.resourceConfig()
    if (record.set(uid, terms)) policyParts.clusterChanged()
    if (this.#host.resourceConfig() !== resources) await reconcileApiServices(this.#host.registry)
    if (this.#host.history.historySeconds === historySeconds) await this.holds.tellWish()
    else await this.holds.historyChanged(historySeconds)
    const told = use?.told() ?? noUse
    await ctx.storage.sync()
    await armAlarm()
    return Response.json(this.uses.sumWith(told))
  }

  /**
   * Lets this object, which is outside of the cluster's jurisdiction, tell clients about it. A cluster that is here is deleted
   * before. One that is in another jurisdiction must be deleted by the caller.
   */
  async setSignpost({ jurisdiction, former }: Signpost): Promise<Response> {
    const { ctx, record } = this.#host
    if (record.state !== 'absent') return this.#delete()
    const known = this.#jurisdiction
    if (known !== undefined && known !== jurisdiction && known !== former) return elsewhereResponse(known)
    if (jurisdiction === undefined) ctx.storage.kv.delete(signpostKey)
    else ctx.storage.kv.put(signpostKey, jurisdiction)
    this.#jurisdiction = jurisdiction
    await ctx.storage.sync()
    return Response.json(noUse)
  }

  /** The answer of an object that is outside of the cluster's jurisdiction; undefined if there is no such cluster. */
  get elsewhere(): Response | undefined {
    return this.#jurisdiction === undefined ? undefined : elsewhereResponse(this.#jurisdiction)
  }

  /** Makes a cluster that does not exist. Nothing is reported, nor does it expire, before that. */
  async #begin(uid: string, fork: Fork | undefined): Promise<void> {
    const { ctx, record, begin } = this.#host
    const past = fork && (await this.fork.read(fork))
    await ctx.blockConcurrencyWhile(async () => {
      if (record.state !== 'absent') return
      if (fork === undefined || past === undefined) {
        record.set(uid, undefined)
        await this.#make()
      } else {
        this.#adopt(fork, past, () => record.set(uid, undefined))
        await begin()
      }
    })
  }

  /** Makes the objects that a new cluster has, and lets its controllers settle: no client sees it before. */
  async #make(): Promise<void> {
    const { ctx, placement, registry, store, policyParts: parts, collections, alarms, bootstrapMarker, begin } = this.#host
    const { storage } = ctx
    const host = { registry, store, storage, parts }
    const before = store.resourceVersion
    // The collections of another placement are in other objects, which would wait for this one.
    const isOne = placement === 'one-object'
    const isCopy = isOne && fillFromTemplate(host)
    if (isCopy) keepPlacement(storage, placement)
    await begin()
    if (!isOne || isCopy) return
    await alarms.settle()
    bootstrapMarker.set()
    if (alarms.isIdle) keepTemplate(host, collections.own(), before)
  }

  /** Begins with the objects of another cluster: copies the collections that every control object holds. */
  #adopt(fork: Fork, past: OwnPast, record: () => void): void {
    const { ctx, environment, database, store, collections, outbox } = this.#host
    database.makeTables()
    ctx.storage.transactionSync(() => {
      for (const { key } of this.fork.write(fork, past)) {
        if (key.startsWith('namespaces/')) outbox.add(namespaceCreated + key.slice('namespaces/'.length))
      }
      collections.adopt(fork.collections)
      // The parent has published it.
      ctx.storage.kv.put(certificateKey, objectSettings(environment).rootCertificate)
      outbox.add(progressEntry)
      record()
    })
    store.reopen()
    this.#openCopies()
  }

  /** Records that a collection of the fork has been copied. */
  copied(prefix: string): void {
    this.fork.copied(prefix)
    this.#host.outbox.add(progressEntry)
    void this.#host.armAlarm()
  }

  /** Makes the forks of this cluster copy all that they still need from it. */
  async completeForks(): Promise<void> {
    for (let next = this.holds.first; next !== undefined; next = this.holds.first) {
      const { uid, cluster } = next
      try {
        const control = this.#host.clusterClient(cluster).control()
        await (await fetchInner(control, forkPaths.complete, { method: 'POST' })).body?.cancel()
      } catch (error) {
        // The fork has been deleted, or was never made.
        if (!(error instanceof ApiError && error.code === 404)) throw error
      }
      this.holds.progress({ uid, remaining: [] }, cluster)
    }
  }

  /** Takes the usage of another object of the cluster. It is reported with that of the control object. */
  receiveUse(report: UseReport): UseAnswer {
    const { use, armAlarm } = this.#host
    const answer = this.uses.receive(report, use?.current() ?? noUse)
    use?.othersReported()
    void armAlarm()
    return answer
  }

  /** Reports about the cluster to the object that holds the Cluster objects. */
  report(state: ClusterReport['state']): Promise<void> {
    const { clusterClient, record, use } = this.#host
    const { cluster: name, uid } = record
    const sum = this.uses.sumWith(use?.current() ?? noUse)
    return sendReport(clusterClient(defaultCluster), { name, uid, use: sum, state })
  }

  async #delete(): Promise<Response> {
    const { ctx, record, collections, deleteAll } = this.#host
    if (record.cluster === defaultCluster) return Response.json({})
    // A fork that begins after the others are complete would lose what it has not copied.
    this.holds.close()
    await this.completeForks()
    await this.fork.release()
    // Collections that are about to hold their first object are refused from now on.
    record.beginDeletion()
    await ctx.storage.sync()
    for (const { group, resource } of collections.others()) await this.#deleteCollection(group, resource)
    return deleteAll()
  }

  async #deleteCollection(group: string, resource: string): Promise<void> {
    try {
      await fetchInner(this.#host.client.collection(group, resource), dataPath, { method: 'DELETE' })
    } catch (error) {
      if (!(error instanceof Error && error.message.includes(clusterDeleted))) throw error
    }
  }
}
