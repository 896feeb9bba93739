/** The base of all Durable Objects with a store: the verbs, the controllers, and the alarm. */
import { DurableObject } from 'cloudflare:workers'
import { frontProxySettingsOf, ReachableBackends } from '../auth/front-proxy/backends.ts'
import { forward } from '../auth/front-proxy/forwarding.ts'
import { webhookTransport } from '../auth/webhook-transport.ts'
import type { Kind } from '../catalog/kind.ts'
import { kindOf } from '../catalog/scheme.ts'
import { backupPaths } from '../clusters/backup-messages.ts'
import { type ClusterPlace, type UseAnswer, usePath } from '../clusters/cluster-terms.ts'
import { CollectionClient } from '../clusters/collection-client.ts'
import type { ObjectMetrics } from '../clusters/collection-metrics.ts'
import { firstResourceVersion } from '../clusters/first-resource-version.ts'
import { type ChangedHistory, forkPaths, learnCause, withCause } from '../clusters/fork-messages.ts'
import { enterMemory, type ObjectInMemory } from '../clusters/objects-in-memory.ts'
import { type Operation, operationOf } from '../clusters/operation.ts'
import {
  type ClusterPlacement,
  clusterOf,
  defaultCluster,
  type PlacedObject,
  placementNamed,
  placementOf,
  prefixOfCollection,
} from '../clusters/placement.ts'
import { collectionUrl, fetchInner } from '../clusters/protocol.ts'
import { ConnectionPool } from '../clusters/webhooks/pinned-fetch.ts'
import type { WebhookTransport } from '../clusters/webhooks/transport.ts'
import { errorResponse } from '../clusters/wire-error.ts'
import { readClusterOwnerLimits } from '../config/cluster-owner-limits.ts'
import { readEmulation } from '../config/emulation.ts'
import { advertisedAddressOf, controllersOf, type Environment, serviceCidrOf } from '../config/environment.ts'
import { joinSettings } from '../config/split-settings.ts'
import { AdmissionConfigurations } from '../controllers/admission-configuration.ts'
import { type AlarmPart, Alarms } from '../controllers/alarms.ts'
import { bootstrapCollections } from '../controllers/bootstrap/places.ts'
import { receiveReport } from '../controllers/cluster/reports.ts'
import { ObjectUse, type UseHost } from '../controllers/cluster/use.ts'
import { authenticationData } from '../controllers/cluster-authentication/wiring.ts'
import { controllersOf as controllersOfObject, type PlacedController } from '../controllers/collection-controllers.ts'
import { Compactor } from '../controllers/compactor.ts'
import type { ControllerContext } from '../controllers/controller.ts'
import type { CollectionState } from '../controllers/crd/collection-definition.ts'
import { placeText } from '../controllers/garbage-collector/messages.ts'
import { GarbageCollector } from '../controllers/garbage-collector/wiring.ts'
import { Outbox, outboxOfWrites, type Reconciler } from '../controllers/outbox.ts'
import { CollectionUsage } from '../controllers/resource-quota/collection-usage.ts'
import type { QuotaControl, UsageAnswer, UsageQuestion } from '../controllers/resource-quota/messages.ts'
import { remoteQuotaControl } from '../controllers/resource-quota/remote-control.ts'
import { ApiError } from '../meta/errors.ts'
import type { MetricSamples, Metrics } from '../meta/metrics/metrics.ts'
import { sourcesOf } from '../meta/sources.ts'
import { callAdmissionWebhook } from '../registry/admission/webhooks/post-call.ts'
import { getFromMemory, performOperation } from '../registry/collection.ts'
import { namesFrom } from '../registry/name-generator.ts'
import type { Registry } from '../registry/registry.ts'
import { StoreMetrics } from '../registry/store-metrics.ts'
import { WatchSockets } from '../registry/watch-sockets.ts'
import { Database } from '../storage/database.ts'
import { SqliteStore } from '../storage/sqlite-store.ts'
import type { StoreEvent } from '../storage/store.ts'
import { Backup, beingRestored } from './backup.ts'
import { type StorePaths, storePaths } from './inner-paths.ts'
import { collectionOfPlace, ObjectCopies } from './object-copies.ts'
import type { ObjectHistory } from './object-history.ts'

/** The inner paths of objects with a store. */
const ownPaths = storePaths<StorePaths>()

/** The message of the error with which an object ends itself when its data is deleted. */
export const clusterDeleted = 'the cluster was deleted'

/** The context of an object's controllers, without their collection. */
export type ClusterContext = Omit<ControllerContext, 'collection'>

/** The way of reports about the usage of a cluster. */
export type UseReports = Pick<UseHost, 'report' | 'known' | 'isReported'>

/** The base of all Durable Objects with a store. */
export abstract class StoreObject extends DurableObject<Environment> implements ObjectInMemory {
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
  /** The collections that are still to be copied from another cluster. */
  protected readonly copies: ObjectCopies
  protected readonly history: ObjectHistory
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
  /** Set when what is in memory is no longer true. */
  #isEnding = false

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
    this.history = this.makeHistory()
    const { history } = this
    const options = {
      historyEvents: history.historyEvents,
      get historySeconds() {
        return history.historySeconds
      },
      firstResourceVersion: firstResourceVersion(sources.versionName),
      now,
      changed: (event: StoreEvent) => this.changed(event),
      applied: (keys: readonly string[]) => this.applied(keys),
    }
    this.store = new SqliteStore(ctx, options, this.database)
    this.copies = this.#makeCopies()
    const cluster = clusterOf(name)
    const own = { name, fetch: (request: Request) => this.#fetchOwn(request) }
    this.collections = new CollectionClient(environment, {
      name: cluster,
      placement: this.placed.placement,
      ids: new Map(),
      own,
      clock: this.store,
      ...(ctx.id.jurisdiction !== undefined && { jurisdiction: ctx.id.jurisdiction }),
    })
    this.#context = this.#clusterContext()
    this.#controllers = controllersOfObject(this.placed, this.#context)
    this.clusterUse = cluster === defaultCluster ? undefined : this.#makeClusterUse()
    const reconcilers = this.#allReconcilers()
    this.outbox = new Outbox(ctx.storage, reconcilers, undefined, now)
    this.#outboxOfWrites = new Outbox(ctx.storage, reconcilers, outboxOfWrites, now)
    this.#collector = this.#makeCollector()
    this.usage = new CollectionUsage({
      storage: ctx.storage,
      store: () => this.store,
      now,
      control: () => this.quotaControl(),
      wake: () => void this.armAlarm(),
    })
    this.webhooks = webhookTransport(environment, this.collections, this.#connections)
    this.registry = this.#makeRegistry()
    this.#sockets = new WatchSockets(ctx, this.registry)
    if (this.#backup.isRestoring) return
    // Blocks requests until the bootstrap objects have been created.
    void ctx.blockConcurrencyWhile(async () => {
      if (!this.isInUse()) return
      await this.begin()
      this.#sockets.wake()
    })
  }

  #clusterContext(): ClusterContext {
    const { env } = this
    const cluster = clusterOf(this.placed.name)
    return {
      cluster,
      collections: this.collections,
      registry: () => this.registry,
      rootCertificate: env.ROOT_CERTIFICATE ?? '',
      authentication: cluster === defaultCluster ? authenticationData(env) : {},
      advertised: advertisedAddressOf(env),
      serverAddress: env.SERVER_ADDRESS ?? '',
      adminToken: env.ADMIN_TOKEN ?? '',
      clusterClient: (other, place) => this.clusterClient(other, place),
      enabled: controllersOf(env),
    }
  }

  #allReconcilers(): Readonly<Record<string, Reconciler>> {
    const ofControllers = this.#controllers.map((controller) => controller.reconcilers)
    return Object.assign({}, ...ofControllers, this.reconcilers(), {
      [copiedEntry]: async (prefix: string) => {
        await this.reportCopied(prefix)
        return true
      },
    })
  }

  #makeCollector(): GarbageCollector {
    const { name, placement } = this.placed
    return new GarbageCollector({
      storage: this.ctx.storage,
      database: this.database,
      registry: () => this.registry,
      collections: this.collections,
      customKind: (prefix) => this.storedCustomKind(prefix),
      place: placeText(placementNamed(name)),
      placeOf: (storage) => placeText(placementOf(clusterOf(name), placement, storage)),
      wake: () => void this.armAlarm(),
      collects: this.#context.enabled.has('garbage-collector-controller'),
    })
  }

  #makeRegistry(): Registry {
    const { env } = this
    const sources = sourcesOf(this.placed.name)
    const configurations = new AdmissionConfigurations(this.collections)
    return {
      store: this.store,
      kindOf: (group, version, resource) => kindOf(group, version, resource) ?? this.customKindOf(group, version, resource),
      now: sources.now,
      names: namesFrom(sources),
      serviceCidr: serviceCidrOf(env),
      owners: this.#collector.owners,
      quotas: this.usage,
      metrics: this.#metrics,
      ...(this.clusterUse === undefined
        ? { clusterOwnerLimits: readClusterOwnerLimits(env.CLUSTER_OWNER_LIMITS ?? '') }
        : { allowance: this.clusterUse }),
      outbox: (entry) => this.outbox.add(entry),
      admissionConfiguration: (tag) => configurations.get(tag),
      callWebhook: (call, deadline) => callAdmissionWebhook(this.webhooks, call, { deadline }),
      ...(clusterOf(this.placed.name) === defaultCluster && { resourceConfig: () => readEmulation(env) }),
      ...this.registryOptions(),
    }
  }

  /** Returns a client of another cluster's collections. @param place where they are; absent to find that out */
  protected clusterClient(name: string, place?: ClusterPlace): CollectionClient {
    return new CollectionClient(this.env, {
      name,
      placement: undefined,
      ids: new Map(),
      clock: this.store,
      ...(place !== undefined && { ...place, isLocated: true }),
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
    await this.#startControllers((collection) => !this.copies.has(collection))
    if (this.env.READS !== 'memory') return
    // The Worker reads what is durable. Nothing waits for that here, and an object whose storage fails answers requests only.
    this.ctx.storage.sync().then(
      () => enterMemory(this.placed.name, this),
      () => undefined,
    )
  }

  /** Starts the controllers of the collections that are wanted. */
  async #startControllers(isWanted: (collection: string) => boolean): Promise<void> {
    for (const { prefix, start } of this.#controllers) if (isWanted(prefix.slice(0, -1))) await start?.()
  }

  /** Tells the control object of a fork that a collection has been copied. */
  protected async reportCopied(prefix: string): Promise<void> {
    const path = `${forkPaths.copied}?${new URLSearchParams({ prefix })}`
    await (await fetchInner(this.collections.control(), path, { method: 'POST' })).body?.cancel()
  }

  #makeCopies(): ObjectCopies {
    return new ObjectCopies({
      ctx: this.ctx,
      database: this.database,
      bindings: this.env,
      name: this.placed.name,
      store: this.store,
      collector: () => this.#collector,
      written: () => this.clusterUse?.applied([]),
      index: (event) => {
        this.#collector.changed(event)
        this.clusterUse?.changed(event)
      },
      enqueue: (event) => this.#enqueue(event),
      settle: (prefix, version, time) => this.settleCopy(prefix, version, time),
      arrived: async (prefix) => {
        await this.arrived(prefix)
        await this.#startControllers((collection) => collection === prefix)
        await this.armAlarm()
      },
    })
  }

  /** Runs in the transaction that ends the copy of a collection, whose version was this one at the time of the fork. */
  protected settleCopy(prefix: string, _version: number, _time: number): void {
    this.outbox.add(`${copiedEntry}/${prefix}`)
  }

  /** Makes what belongs to a copied collection from the beginning. */
  protected arrived(prefix: string): Promise<void> {
    return bootstrapCollections(this.placed, this.registry, (place) => collectionOfPlace(place) !== prefix)
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
    const isCaused = learnCause(this.store, request)
    const answer = request.url === collectionUrl ? this.answerOperation(request) : this.answerPath(request)
    return isCaused ? answer.then((response) => withCause(this.store, response)) : answer
  }

  answerFromMemory(operation: Operation, clusterUid: string | undefined): Response | undefined {
    if (this.#isEnding || this.#backup.isRestoring || !this.isOfCluster(clusterUid) || !this.copies.isHere(operation))
      return undefined
    return getFromMemory(this.registry, operation, (key) => this.store.getFromMemory(key))
  }

  /** Whether it is known that the object belongs to the cluster with a uid; undefined if the caller means none. */
  protected abstract isOfCluster(uid: string | undefined): boolean

  /** Answers a request of this object to itself. It waits for no work in the background, because such work may have sent it. */
  async #fetchOwn(request: Request): Promise<Response> {
    if (request.url !== collectionUrl) return this.answerPath(request)
    const response = await this.#performAt(operationOf(request), request)
    await this.armAlarm()
    return response
  }

  /** Performs an operation on what the object holds, unless it reads the past, or a collection that is still to be copied. */
  #performAt(operation: Operation, request: Request): Promise<Response> {
    if (this.copies.isHere(operation)) return this.perform(operation, request, this.registry)
    return this.#performElsewhere(operation, request)
  }

  async #performElsewhere(operation: Operation, request: Request): Promise<Response> {
    try {
      const registry = { ...this.registry, store: await this.copies.storeFor(operation) }
      return await this.perform(operation, request, registry)
    } catch (error) {
      if (error instanceof ApiError) return errorResponse(error)
      throw error
    }
  }

  /** Answers an operation when the work that belongs to it is done. */
  protected async answerOperation(request: Request): Promise<Response> {
    const operation = operationOf(request)
    const response = await this.#performAt(operation, request)
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
      receive: async (message) => {
        await this.copies.copy()
        return this.#collector.receive(message)
      },
      metrics: () => this.metrics(),
      forward: (request) => this.#forward(request),
      backup: this.#backup,
      usage: (question) => this.answerUsage(question),
      deleteAll: () => this.deleteAll(),
      runAlarm: () => this.alarms.settle(),
      reportCluster: async (report) => {
        await receiveReport(this.#context, report)
        await this.armAlarm()
      },
      endWatches: (prefix) => this.endWatches(prefix),
      past: this.copies.past,
      historyChanged: (message) => this.historyChanged(message),
      copy: (prefixes) => this.copyAll(prefixes),
    }
  }

  /** Copies collections that are still to be copied from another cluster; all of them without a list. */
  protected async copyAll(prefixes?: readonly string[]): Promise<void> {
    await this.copies.copy(prefixes)
  }

  /** Counts the use of quotas by the object's own objects. */
  protected async answerUsage(question: UsageQuestion): Promise<UsageAnswer> {
    await this.copyAll([...new Set(Object.keys(question.ranges).map((range) => range.slice(0, range.indexOf('/'))))])
    return this.usage.answer(question)
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
    this.#isEnding = true
    await this.ctx.storage.sync()
    this.ctx.abort(reason)
    return new Response(null, { status: 204 })
  }

  /** Runs one operation. */
  protected perform(operation: Operation, request: Request, registry: Registry): Promise<Response> {
    return performOperation(registry, request, this.#sockets, operation)
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
      restart: (reason) => this.restart(reason),
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
      isForked: (collection) => this.copies.isForked(collection),
      isEmpty: (prefix) =>
        !this.copies.has(prefix.slice(0, -1)) &&
        this.store.list({ prefix, limit: 1, resourceVersion: this.store.resourceVersion }).items.length === 0,
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
    this.#enqueue(event)
  }

  /** Records the work of the controllers that follows from a change. */
  #enqueue(event: StoreEvent): void {
    for (const { prefix, enqueue, isPartOfWrites } of this.#controllers) {
      if (!event.object.key.startsWith(prefix)) continue
      const entries = enqueue(event) ?? []
      const outbox = isPartOfWrites === true ? this.#outboxOfWrites : this.outbox
      for (const entry of typeof entries === 'string' ? [entries] : entries) outbox.add(entry)
    }
  }

  /** Returns the parts of the alarm's work. Called once, after the object has been constructed. */
  protected alarmParts(): readonly AlarmPart[] {
    const compactor = new Compactor(this.store, {
      isBeingRead: () => this.#backup.isBeingRead,
      keptFrom: () => this.history.keptFrom(),
    })
    const clusterUse = this.clusterUse === undefined ? [] : [this.clusterUse]
    return [this.copies.collection(), this.outbox, this.#outboxOfWrites, this.#sockets, this.usage, ...clusterUse, compactor]
  }

  /** Returns how long history is kept. Called by the constructor: must not use fields but `database`. */
  protected abstract makeHistory(): ObjectHistory

  /** Handles the message that other history has to be kept. */
  protected async historyChanged(_message: ChangedHistory): Promise<void> {}

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
export function knownName({ name }: Database): string {
  if (name !== undefined) return name
  throw new Error('a Durable Object that was never written to can only be opened by its name, not by its ID')
}

/** Whether a request reads the state of a restore or continues it. */
const isBackupRequest = ({ url }: Request): boolean => url.startsWith(`${collectionUrl}${backupPaths.read}`)

/** The kind of outbox entries for copied collections. */
const copiedEntry = 'fork-copied'

/** Returns the collection of a Durable Object's name. */
export function collectionOf(name: string): { readonly group: string; readonly resource: string } {
  const [, group = '', resource = ''] = name.split('/')
  return { group, resource }
}

const readingVerbs: ReadonlySet<Operation['verb']> = new Set(['get', 'list', 'watch', 'evaluatePods'])
