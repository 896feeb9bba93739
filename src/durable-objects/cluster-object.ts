/** The base of all Durable Objects of clusters: which object it is, the decisions that are those of its class, and its end. */
import { DurableObject } from 'cloudflare:workers'
import type { Kind } from '../catalog/kind.ts'
import { type ClusterPlace, type UseAnswer, usePath } from '../clusters/cluster-terms.ts'
import { CollectionClient } from '../clusters/collection-client.ts'
import { type ChangedHistory, type ForkIdentity, forkPaths } from '../clusters/fork-messages.ts'
import type { Caller } from '../clusters/object-stubs.ts'
import { type ClusterPlacement, clusterOf, defaultCluster, type PlacedObject, prefixOfCollection } from '../clusters/placement.ts'
import { fetchInner } from '../clusters/protocol.ts'
import type { Environment } from '../config/environment.ts'
import { objectSettings } from '../config/settings.ts'
import { ObjectUse, type UseHost } from '../controllers/cluster/use.ts'
import type { Reconciler } from '../controllers/outbox.ts'
import type { QuotaControl } from '../controllers/resource-quota/messages.ts'
import { remoteQuotaControl } from '../controllers/resource-quota/remote-control.ts'
import { ApiError } from '../meta/errors.ts'
import type { Registry } from '../registry/registry.ts'
import { Database } from '../storage/database.ts'
import type { SqliteStore } from '../storage/sqlite-store.ts'
import { sourcesOf } from '../testing/clusters.ts'
import type { ObjectHistory } from './object-history.ts'
import { collectionOf, knownName } from './object-name.ts'

/** The message of the error with which an object ends itself when its data is deleted. */
export const clusterDeleted = 'the cluster was deleted'

/** The way of reports about the usage of a cluster. */
export type UseReports = Pick<UseHost, 'report' | 'known' | 'isReported'>

/**
 * The base of all Durable Objects of clusters. The methods have the answers of a collection; the control object overrides those for
 * which it does not have to ask anybody.
 */
export abstract class ClusterObject extends DurableObject<Environment> {
  /** The object, with its name also if it was opened by its ID. */
  protected readonly placed: PlacedObject
  protected readonly database: Database
  /** Set when what is in memory is no longer true. */
  protected isEnding = false
  protected abstract readonly store: SqliteStore
  /** The client of the cluster's collections. */
  protected abstract readonly collections: CollectionClient

  constructor(ctx: DurableObjectState, variables: Environment) {
    super(ctx, variables)
    this.database = new Database(ctx.storage, ctx.id.name)
    this.placed = { name: knownName(this.database), placement: this.clusterPlacement() }
  }

  /** Returns the placement of the object's cluster. Called by the constructor: must not use fields but `database`. */
  protected clusterPlacement(): ClusterPlacement {
    return 'collections'
  }

  /** Whether the object belongs to a cluster that exists. */
  protected isInUse(): boolean {
    return true
  }

  /** Whether it is known that the object belongs to the cluster with a uid; undefined if the caller means none. */
  protected abstract isOfCluster(uid: string | undefined): boolean

  /** Returns how long history is kept. Called by the constructor: must not use fields but `database`. */
  protected abstract makeHistory(): ObjectHistory

  /** Handles the message that other history has to be kept. */
  protected async historyChanged(_message: ChangedHistory): Promise<void> {}

  /** Returns the reconcilers of outbox entries. Called by the constructor: must not use fields. */
  protected reconcilers(): Readonly<Record<string, Reconciler>> {
    return {}
  }

  /** Returns further options of the registry. Called by the constructor: must not use fields. */
  protected registryOptions(): Partial<Registry> {
    return {}
  }

  /** Returns the kind of a custom resource in this object. */
  protected customKindOf(_group: string, _version: string, _resource: string): Kind | undefined {
    return undefined
  }

  /** Returns the kind of the custom resources with this prefix in its storage version, if they are in this object. */
  protected storedCustomKind(_prefix: string): Kind | undefined {
    return undefined
  }

  /** The collections in this object: `<resource>[.<group>]`. */
  protected get prefixes(): readonly string[] {
    const { group, resource } = collectionOf(this.placed.name)
    return [prefixOfCollection(group, resource)]
  }

  /** Returns the names of the cluster's Durable Objects, as far as they are known here; undefined in collections. */
  protected clusterNames(): readonly string[] | undefined {
    return undefined
  }

  /** Returns the control object's side of quotas. */
  protected quotaControl(): QuotaControl {
    return remoteQuotaControl(this.collections.control())
  }

  /** Returns the way of reports about the usage of the cluster. */
  protected useReports(): UseReports {
    return {
      isReported: () => true,
      report: async (use) => {
        const body = JSON.stringify({ name: this.placed.name, ...use })
        return (await (await fetchInner(this.collections.control(), usePath, { method: 'POST', body })).json()) as UseAnswer
      },
    }
  }

  /** Asks the control object whether the cluster has agreed to a fork, which has still to copy these collections. */
  protected async requireAgreement({ uid, cluster }: ForkIdentity, prefixes: readonly string[]): Promise<void> {
    const query = new URLSearchParams([['uid', uid], ['cluster', cluster], ...prefixes.map((prefix) => ['prefix', prefix])])
    await (await fetchInner(this.collections.control(), `${forkPaths.agreement}?${query}`)).body?.cancel()
  }

  /** Checks that a cluster is this one, or the one of which it is a fork; collections are told by their control object only. */
  protected requireParent(cluster: string): void {
    if (cluster !== clusterOf(this.placed.name)) throw new ApiError(403, 'Forbidden', `the cluster ${cluster} is not the parent`)
  }

  /** Tells the control object of a fork that a collection has been copied. */
  protected async reportCopied(prefix: string): Promise<void> {
    const path = `${forkPaths.copied}?${new URLSearchParams({ prefix })}`
    await (await fetchInner(this.collections.control(), path, { method: 'POST' })).body?.cancel()
  }

  /** This object as the sender of requests. */
  protected get caller(): Caller {
    return { name: this.placed.name, clock: this.store }
  }

  /** Returns a client of another cluster's collections. @param place where they are; absent to find that out */
  protected clusterClient(name: string, place?: ClusterPlace): CollectionClient {
    return new CollectionClient(this.env, {
      name,
      placement: undefined,
      ids: new Map(),
      caller: this.caller,
      ...(place !== undefined && { ...place, isLocated: true }),
    })
  }

  /** Makes the usage of a named cluster; the default cluster has no limits. */
  protected makeClusterUse(): ObjectUse | undefined {
    if (clusterOf(this.placed.name) === defaultCluster) return undefined
    return new ObjectUse({
      storage: this.ctx.storage,
      database: this.database,
      store: () => this.store,
      now: sourcesOf(objectSettings(this.env), this.placed.name).now,
      ...this.useReports(),
    })
  }

  /** Returns the uid of the object's cluster; '' if it is not known here, or the default cluster. */
  protected clusterUid(): string {
    return ''
  }

  /** Revokes the registration of a collection for a namespace that is being deleted. The control object needs none. */
  protected revokeRegistration(_namespace: string): void {}

  /** Closes the watches of keys with a prefix; their clients resume at their resourceVersion. */
  protected endWatches(prefix: string): void {
    this.store.closeWatches(prefix)
  }

  /** Deletes all data with the cluster and ends this instance: the request fails with `clusterDeleted`. */
  protected async deleteAll(): Promise<Response> {
    this.endWatches('')
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
    return this.restart(clusterDeleted)
  }

  /** Ends this instance, because what it has in memory is no longer true. The runtime fails its requests, this one included. */
  protected async restart(reason: string): Promise<Response> {
    this.isEnding = true
    await this.ctx.storage.sync()
    this.ctx.abort(reason)
    return new Response(null, { status: 204 })
  }
}
