/** The Durable Object of one collection: its store, the verbs, and the alarm that compacts its history. */
import { DurableObject } from 'cloudflare:workers'
import { frontProxySettingsOf, ReachableBackends } from '../auth/front-proxy/backends.ts'
import { forward } from '../auth/front-proxy/forwarding.ts'
import { webhookTransport } from '../auth/webhook-transport.ts'
import type { Kind } from '../catalog/kind.ts'
import { kindOf } from '../catalog/scheme.ts'
import { backupPaths } from '../clusters/backup-messages.ts'
import { type UseAnswer, usePath } from '../clusters/cluster-terms.ts'
import { CollectionClient } from '../clusters/collection-client.ts'
import type { ObjectMetrics } from '../clusters/collection-metrics.ts'
import { firstResourceVersion } from '../clusters/first-resource-version.ts'
import { type Operation, operationOf, type Target } from '../clusters/operation.ts'
import {
  type ClusterPlacement,
  clusterOf,
  defaultCluster,
  type PlacedObject,
  placementNamed,
  placementOf,
  prefixOfCollection,
} from '../clusters/placement.ts'
import { clusterUidHeader, collectionUrl, fetchInner, replacedResponse } from '../clusters/protocol.ts'
import { ConnectionPool } from '../clusters/webhooks/pinned-fetch.ts'
import type { WebhookTransport } from '../clusters/webhooks/transport.ts'
import { errorResponse } from '../clusters/wire-error.ts'
import { readClusterOwnerLimits } from '../config/cluster-owner-limits.ts'
import { advertisedAddressOf, controllersOf, type Environment, historyOf, serviceCidrOf } from '../config/environment.ts'
import { joinSettings } from '../config/split-settings.ts'
import { AdmissionConfigurations } from '../controllers/admission-configuration.ts'
import { type AlarmPart, Alarms } from '../controllers/alarms.ts'
import { bootstrapCollections } from '../controllers/bootstrap/collections.ts'
import { receiveReport } from '../controllers/cluster/reports.ts'
import { ObjectUse, type UseHost } from '../controllers/cluster/use.ts'
import { authenticationData } from '../controllers/cluster-authentication/wiring.ts'
import { controllersOf as controllersOfObject, type PlacedController } from '../controllers/collection-controllers.ts'
import { Compactor } from '../controllers/compactor.ts'
import type { ControllerContext } from '../controllers/controller.ts'
import { CollectionDefinition, type CollectionState } from '../controllers/crd/collection-definition.ts'
import { placeText } from '../controllers/garbage-collector/messages.ts'
import { GarbageCollector } from '../controllers/garbage-collector/wiring.ts'
import type { CollectionRegistration } from '../controllers/namespace/collections.ts'
import { Outbox, outboxOfWrites, type Reconciler } from '../controllers/outbox.ts'
import { CollectionUsage } from '../controllers/resource-quota/collection-usage.ts'
import type { LimitedRanges, QuotaControl } from '../controllers/resource-quota/messages.ts'
import { remoteQuotaControl } from '../controllers/resource-quota/remote-control.ts'
import type { MetricSamples, Metrics } from '../meta/metrics/metrics.ts'
import { sourcesOf } from '../meta/sources.ts'
import { callAdmissionWebhook } from '../registry/admission/webhooks/post-call.ts'
import { performOperation } from '../registry/collection.ts'
import { namesFrom } from '../registry/name-generator.ts'
import type { Registry } from '../registry/registry.ts'
import { StoreMetrics } from '../registry/store-metrics.ts'
import { WatchSockets } from '../registry/watch-sockets.ts'
import { Database } from '../storage/database.ts'
import { SqliteStore } from '../storage/sqlite-store.ts'
import type { StoreEvent } from '../storage/store.ts'
import { Backup, beingRestored } from './backup.ts'
import { type StorePaths, storePaths } from './inner-paths.ts'
import { Registrations } from './registration.ts'

/** The inner paths of objects with a store. */
const ownPaths = storePaths<StorePaths>()

/** The message of the error with which an object ends itself when its data is deleted. */
export const clusterDeleted = 'the cluster was deleted'

/** The context of an object's controllers, without their collection. */
export type ClusterContext = Omit<ControllerContext, 'collection'>

/** The way of reports about the usage of a cluster. */
export type UseReports = Pick<UseHost, 'report' | 'known' | 'isReported'>

/** The base of all Durable Objects with a store. */
export abstract class StoreObject extends DurableObject<Environment> {
  /** The object, with its name also if it was opened by its ID. */
  protected readonly placed: PlacedObject
  protected readonly database: Database
  protected readonly store: SqliteStore
  protected readonly registry: Registry
  protected readonly collections: CollectionClient
  protected readonly webhooks: WebhookTransport
  protected readonly outbox: Outbox
  protected readonly alarms: Alarms
  protected readonly usage: CollectionUsage
  /** The usage of the cluster; undefined in the default cluster, which has no limits. */
  protected readonly clusterUse: ObjectUse | undefined
  readonly #backup: Backup
  readonly #controllers: readonly PlacedController[]
  readonly #outboxOfWrites: Outbox
  readonly #sockets: WatchSockets
  readonly #collector: GarbageCollector
  readonly #metrics = new StoreMetrics()
  readonly #connections = new ConnectionPool()
  #backends: ReachableBackends | undefined
  readonly #context: ClusterContext

  constructor(ctx: DurableObjectState, variables: Environment) {
    const environment = joinSettings(variables)
    super(ctx, environment)
    this.database = new Database(ctx.storage, ctx.id.name)
    const name = knownName(this.database)
    this.placed = { name, placement: this.clusterPlacement() }
    const sources = sourcesOf(name)
    const { now } = sources
    this.#backup = this.#makeBackup()
    this.alarms = new Alarms(ctx.storage, () => this.alarmParts(), now, this.#metrics.samples)
    const options = {
      ...historyOf(environment),
      firstResourceVersion: firstResourceVersion(sources.versionName),
      now,
      changed: (event: StoreEvent) => this.changed(event),
      applied: (keys: readonly string[]) => this.applied(keys),
    }
    this.store = new SqliteStore(ctx, options, this.database)
    const cluster = clusterOf(name)
    const own = { name, fetch: (request: Request) => this.#fetchOwn(request) }
    this.collections = new CollectionClient(environment, {
      name: cluster,
      placement: this.placed.placement,
      ids: new Map(),
      own,
    })
    const enabled = controllersOf(environment)
    const context: ClusterContext = {
      cluster,
      collections: this.collections,
      registry: () => this.registry,
      rootCertificate: environment.ROOT_CERTIFICATE ?? '',
      authentication: clusterOf(name) === defaultCluster ? authenticationData(environment) : {},
      advertised: advertisedAddressOf(environment),
      serverAddress: environment.SERVER_ADDRESS ?? '',
      adminToken: environment.ADMIN_TOKEN ?? '',
      clusterClient: (other, location) =>
        new CollectionClient(location === undefined ? environment : { ...environment, LOCATION: location }, other),
      enabled,
    }
    this.#context = context
    this.#controllers = controllersOfObject(this.placed, context)
    this.clusterUse = cluster === defaultCluster ? undefined : this.#makeClusterUse()
    const reconcilers = Object.assign({}, ...this.#controllers.map((controller) => controller.reconcilers), this.reconcilers())
    this.outbox = new Outbox(ctx.storage, reconcilers, undefined, now)
    this.#outboxOfWrites = new Outbox(ctx.storage, reconcilers, outboxOfWrites, now)
    this.#collector = new GarbageCollector({
      storage: ctx.storage,
      database: this.database,
      registry: () => this.registry,
      collections: this.collections,
      customKind: (prefix) => this.storedCustomKind(prefix),
      place: placeText(placementNamed(name)),
      placeOf: (storage) => placeText(placementOf(cluster, this.placed.placement, storage)),
      wake: () => void this.armAlarm(),
      collects: enabled.has('garbage-collector-controller'),
    })
    this.usage = new CollectionUsage({
      storage: ctx.storage,
      store: () => this.store,
      now,
      control: () => this.quotaControl(),
      wake: () => void this.armAlarm(),
    })
    this.webhooks = webhookTransport(environment, this.collections, this.#connections)
    const configurations = new AdmissionConfigurations(this.collections)
    this.registry = {
      store: this.store,
      kindOf: (group, version, resource) => kindOf(group, version, resource) ?? this.customKindOf(group, version, resource),
      now,
      names: namesFrom(sources),
      serviceCidr: serviceCidrOf(environment),
      owners: this.#collector.owners,
      quotas: this.usage,
      metrics: this.#metrics,
      ...(this.clusterUse === undefined
        ? { clusterOwnerLimits: readClusterOwnerLimits(environment.CLUSTER_OWNER_LIMITS ?? '') }
        : { allowance: this.clusterUse }),
      outbox: (entry) => this.outbox.add(entry),
      admissionConfiguration: (tag) => configurations.get(tag),
      callWebhook: (call, deadline) => callAdmissionWebhook(this.webhooks, call, { deadline }),
      ...this.registryOptions(),
    }
    this.#sockets = new WatchSockets(ctx, this.registry)
    if (this.#backup.isRestoring) return
    // Blocks requests until the bootstrap objects have been created.
    void ctx.blockConcurrencyWhile(async () => {
      if (!this.isInUse()) return
      await this.begin()
      this.#sockets.wake()
    })
  }

  /** Returns the reconcilers of outbox entries. Called by the constructor: must not use fields. */
  protected reconcilers(): Readonly<Record<string, Reconciler>> {
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

  /** Returns the placement of the object's cluster. Called by the constructor: must not use fields but `database`. */
  protected clusterPlacement(): ClusterPlacement {
    return 'collections'
  }

  /** Returns further options of the registry. Called by the constructor: must not use fields. */
  protected registryOptions(): Partial<Registry> {
    return {}
  }

  /** Creates what belongs to the collections from the beginning, and starts their controllers. */
  protected async begin(): Promise<void> {
    await this.bootstrap()
    for (const { start } of this.#controllers) await start?.()
  }

  /** Whether the object belongs to a cluster that exists. */
  protected isInUse(): boolean {
    return true
  }

  /** Creates and reconciles the bootstrap objects, before the first request. */
  protected bootstrap(): Promise<void> {
    return bootstrapCollections(this.placed, this.registry)
  }

  #makeClusterUse(): ObjectUse {
    return new ObjectUse({
      storage: this.ctx.storage,
      database: this.database,
      store: () => this.store,
      now: sourcesOf(this.placed.name).now,
      ...this.useReports(),
    })
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

  /** Returns the control object's side of quotas. */
  protected quotaControl(): QuotaControl {
    return remoteQuotaControl(this.collections.control())
  }

  /** Handles changed keys in the turn of their commit; without keys, anything may have changed. */
  protected applied(keys: readonly string[]): void {
    this.clusterUse?.applied(keys)
  }

  override fetch(request: Request): Promise<Response> {
    if (this.#backup.isRestoring && !isBackupRequest(request)) return Promise.resolve(errorResponse(beingRestored()))
    return request.url === collectionUrl ? this.answerOperation(request) : this.answerPath(request)
  }

  /** Answers a request of this object to itself. It waits for no work in the background, because such work may have sent it. */
  async #fetchOwn(request: Request): Promise<Response> {
    if (request.url !== collectionUrl) return this.answerPath(request)
    const response = await this.perform(operationOf(request), request)
    await this.armAlarm()
    return response
  }

  /** Answers an operation when the work that belongs to it is done. */
  protected async answerOperation(request: Request): Promise<Response> {
    const operation = operationOf(request)
    const response = await this.perform(operation, request)
    // The alarm may have begun the work already.
    if (!readingVerbs.has(operation.verb) && this.alarms.isBusy(this.#outboxOfWrites))
      await this.alarms.attempt(this.#outboxOfWrites)
    await this.settled(operation)
    await this.armAlarm()
    return response
  }

  /** Resolves when further work that belongs to an operation is done. */
  protected async settled(_operation: Operation): Promise<void> {}

  /** Answers a request for an inner path other than the operations' path. */
  protected async answerPath(request: Request): Promise<Response> {
    return ownPaths.fetch(request, this.paths())
  }

  /** Returns the functions behind the inner paths. */
  protected paths(): StorePaths {
    return {
      receive: (message) => this.#collector.receive(message),
      metrics: () => this.metrics(),
      forward: (request) => this.#forward(request),
      backup: this.#backup,
      usage: (question) => this.usage.answer(question),
      deleteAll: () => this.deleteAll(),
      runAlarm: () => this.alarms.settle(),
      reportCluster: async (report) => {
        await receiveReport(this.#context, report)
        await this.armAlarm()
      },
      endWatches: (prefix) => this.endWatches(prefix),
    }
  }

  #forward(request: Request): Promise<Response> {
    this.#backends ??= new ReachableBackends(frontProxySettingsOf(this.env, clusterOf(this.placed.name)), this.webhooks)
    return forward(this.#backends, this.#connections, request)
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
    await this.ctx.storage.sync()
    this.ctx.abort(reason)
    return new Response(null, { status: 204 })
  }

  /** Runs one operation. */
  protected perform(operation: Operation, request: Request): Promise<Response> {
    return performOperation(this.registry, request, this.#sockets, operation)
  }

  /** Returns the object's part of /metrics. */
  protected async metrics(): Promise<ObjectMetrics> {
    const alarms = this.alarms.failures()
    const objects = this.countObjects(this.prefixes)
    return { objects, samples: this.#samples(objects), alarms }
  }

  /** The metrics that the object counts. */
  protected get samples(): Metrics {
    return this.#metrics.samples
  }

  /** Returns the samples of the metrics, with the gauges of this moment. @param objects the number of objects of each resource */
  #samples(objects: Readonly<Record<string, number>>): MetricSamples {
    this.alarms.measure()
    const { databaseSize } = this.ctx.storage.sql
    this.#metrics.measure(this.store, objects, databaseSize)
    return this.#metrics.samples.read()
  }

  #makeBackup(): Backup {
    return new Backup({
      name: this.placed.name,
      ctx: this.ctx,
      database: this.database,
      store: () => this.store,
      prefixes: () => this.prefixes.map((prefix) => `${prefix}/`),
      names: () => this.clusterNames(),
      endWatches: () => this.endWatches(''),
      armAlarm: () => this.armAlarm(),
    })
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

  /** Counts the objects of each resource. */
  protected countObjects(resources: readonly string[]): Record<string, number> {
    const { resourceVersion } = this.store
    return Object.fromEntries(resources.map((name) => [name, this.store.countAfter(`${name}/`, '', resourceVersion)]))
  }

  /** Closes the watches of keys with a prefix; their clients resume at their resourceVersion. */
  protected endWatches(prefix: string): void {
    this.store.closeWatches(prefix)
  }

  /** Returns the parts of this object that definitions of custom resources depend on. */
  protected definitionState(isUsed: () => boolean): CollectionState {
    return {
      isUsed,
      isEmpty: (prefix) => this.store.list({ prefix, limit: 1, resourceVersion: this.store.resourceVersion }).items.length === 0,
      resourceVersion: () => this.store.resourceVersion,
      endWatches: (prefix) => this.endWatches(prefix),
      outside: this.webhooks,
    }
  }

  /** Handles a change within its commit. */
  protected changed(event: StoreEvent): void {
    this.#metrics.changed(event.object.key)
    this.#collector.changed(event)
    this.usage.changed(event)
    this.clusterUse?.changed(event)
    for (const { prefix, enqueue, isPartOfWrites } of this.#controllers) {
      if (!event.object.key.startsWith(prefix)) continue
      const entries = enqueue(event) ?? []
      const outbox = isPartOfWrites === true ? this.#outboxOfWrites : this.outbox
      for (const entry of typeof entries === 'string' ? [entries] : entries) outbox.add(entry)
    }
  }

  /** Returns the parts of the alarm's work. Called once, after the object has been constructed. */
  protected alarmParts(): readonly AlarmPart[] {
    const compactor = new Compactor(this.store, () => this.#backup.isBeingRead)
    const clusterUse = this.clusterUse === undefined ? [] : [this.clusterUse]
    return [this.#collector, this.outbox, this.#outboxOfWrites, this.#sockets, this.usage, ...clusterUse, compactor]
  }

  /** Sets the alarm unless it is set early enough. */
  protected armAlarm(): Promise<void> {
    return this.alarms.arm()
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#sockets.message(socket, message)
  }

  override webSocketClose(socket: WebSocket): void {
    this.#sockets.closed(socket)
  }

  override webSocketError(socket: WebSocket): void {
    this.#sockets.closed(socket)
  }

  override async alarm(): Promise<void> {
    if (!this.#backup.isRestoring) await this.alarms.run()
  }
}

/**
 * Returns the name of a Durable Object. An object without a name would make itself another collection: its first resourceVersion,
 * its controllers and its place in the garbage collector's messages follow from the name.
 */
function knownName({ name }: Database): string {
  if (name !== undefined) return name
  throw new Error('a Durable Object that was never written to can only be opened by its name, not by its ID')
}

/** Whether a request reads the state of a restore or continues it. */
const isBackupRequest = ({ url }: Request): boolean => url.startsWith(`${collectionUrl}${backupPaths.read}`)

/** Returns the collection of a Durable Object's name. */
function collectionOf(name: string): { readonly group: string; readonly resource: string } {
  const [, group = '', resource = ''] = name.split('/')
  return { group, resource }
}

/** One group-resource of one cluster, over all namespaces. */
export class Collection extends StoreObject {
  readonly #registrations: Registrations
  readonly #definition: CollectionDefinition
  /** The uid of the cluster, once the control object has confirmed it. */
  #cluster: string | undefined

  constructor(ctx: DurableObjectState, environment: Environment) {
    super(ctx, environment)
    this.#registrations = new Registrations(ctx.storage, (registration) => this.#tellControl(registration))
    const { group, resource } = collectionOf(this.placed.name)
    this.#definition = new CollectionDefinition(
      ctx.storage,
      this.collections,
      `${resource}.${group}`,
      this.definitionState(() => this.database.hasTables),
    )
  }

  override async fetch(request: Request): Promise<Response> {
    const uid = request.headers.get(clusterUidHeader)
    if (uid !== null && uid !== this.#cluster && !(await this.#isOf(uid))) return replacedResponse()
    return super.fetch(request)
  }

  /** Whether the cluster of this object has the uid. Its control object knows; it ends this object with the cluster. */
  async #isOf(uid: string): Promise<boolean> {
    const response = await this.collections.control().fetch(`${collectionUrl}/health`, { headers: { [clusterUidHeader]: uid } })
    await response.body?.cancel()
    if (response.ok) this.#cluster = uid
    return response.ok
  }

  protected override customKindOf(group: string, version: string, resource: string): Kind | undefined {
    return this.#definition.kindOf(group, version, resource)
  }

  protected override storedCustomKind(prefix: string): Kind | undefined {
    const kind = this.#definition.storageKind
    return kind?.storage.prefix === prefix ? kind : undefined
  }

  /**
   * Runs an operation. A write waits until the control object has registered the collection, so that namespace deletions find its
   * objects.
   */
  protected override async perform(operation: Operation, request: Request): Promise<Response> {
    const { verb, target, definition } = operation
    if (definition !== undefined) await this.#definition.require(definition)
    if (verb === 'deletecollection' && operation.unconverted === true) this.#registrations.forget(target.namespace)
    if (!creatingVerbs.has(verb)) return super.perform(operation, request)
    if (!this.#registrations.has(target.namespace)) await this.#register(target)
    const response = await super.perform(operation, request)
    // The deletion of the namespace may have forgotten the registration meanwhile.
    if (!this.#registrations.has(target.namespace)) await this.#register(target)
    return response
  }

  async #register({ group, version, resource, namespace }: Target): Promise<void> {
    this.#definition.store()
    await this.#registrations.register({ group, version, resource }, namespace)
  }

  async #tellControl(registration: CollectionRegistration): Promise<void> {
    const body = JSON.stringify(registration)
    const response = await fetchInner(this.collections.control(), '/collections', { method: 'POST', body })
    if (registration.isFirst) this.usage.limit((await response.json()) as LimitedRanges)
    else await response.body?.cancel()
  }
}

const readingVerbs: ReadonlySet<Operation['verb']> = new Set(['get', 'list', 'watch', 'evaluatePods'])

/** The verbs that may create objects. */
export const creatingVerbs: ReadonlySet<string> = new Set(['create', 'update', 'apply'])
