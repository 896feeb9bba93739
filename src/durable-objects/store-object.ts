/** The base of all Durable Objects with a store: the verbs, the controllers, and the alarm. */

import { ArchiveSignatures } from '../auth/archive-signatures.ts'
import { networkOf } from '../auth/cluster-network.ts'
import { frontProxySettingsOf, ReachableBackends } from '../auth/front-proxy/backends.ts'
import { forward } from '../auth/front-proxy/forwarding.ts'
import { webhookTransport } from '../auth/webhook-transport.ts'
import { backupPaths, type StagedContents } from '../clusters/backup-messages.ts'
import { CollectionClient } from '../clusters/collection-client.ts'
import type { ObjectMetrics } from '../clusters/collection-metrics.ts'
import { requireSender } from '../clusters/crossing-messages.ts'
import { firstResourceVersion } from '../clusters/first-resource-version.ts'
import { learnCause, withCause } from '../clusters/fork-messages.ts'
import { enterMemory, type ObjectInMemory } from '../clusters/objects-in-memory.ts'
import { type Operation, operationOf } from '../clusters/operation.ts'
import { clusterOf, placementNamed, placementOf } from '../clusters/placement.ts'
import { collectionUrl } from '../clusters/protocol.ts'
import { ConnectionPool } from '../clusters/webhooks/pinned-fetch.ts'
import type { WebhookTransport } from '../clusters/webhooks/transport.ts'
import { errorResponse } from '../clusters/wire-error.ts'
import type { Environment } from '../config/environment.ts'
import { objectSettings } from '../config/settings.ts'
import type { ControllerClients, WritesOf } from '../controllers/admitted-writes.ts'
import { type AlarmPart, Alarms } from '../controllers/alarms.ts'
import { bootstrapCollections } from '../controllers/bootstrap/places.ts'
import { clusterPrefix } from '../controllers/cluster/collection.ts'
import { deleteExpired } from '../controllers/cluster/expired.ts'
import { receiveUse } from '../controllers/cluster/reports.ts'
import type { ObjectUse } from '../controllers/cluster/use.ts'
import { Compactor } from '../controllers/compactor.ts'
import { placeText } from '../controllers/garbage-collector/messages.ts'
import { GarbageCollector } from '../controllers/garbage-collector/wiring.ts'
import type { Outbox } from '../controllers/outbox.ts'
import { CollectionUsage } from '../controllers/resource-quota/collection-usage.ts'
import type { UsageAnswer, UsageQuestion } from '../controllers/resource-quota/messages.ts'
import { ApiError } from '../meta/errors.ts'
import type { Metrics } from '../meta/metrics/metrics.ts'
import { getFromMemory, performOperation } from '../registry/collection.ts'
import type { Registry } from '../registry/registry.ts'
import { StoreMetrics } from '../registry/store-metrics.ts'
import { WatchSockets } from '../registry/watch-sockets.ts'
import { SqliteStore } from '../storage/sqlite-store.ts'
import type { StoreEvent } from '../storage/store.ts'
import { sourcesOf } from '../testing/clusters.ts'
import { Backup } from './backup/backup.ts'
import { beingRestored, Restoration } from './backup/restore.ts'
import { ClusterObject } from './cluster-object.ts'
import { type StorePaths, storePaths } from './inner-paths.ts'
import { type ClusterContext, clusterContextOf, ObjectControllers } from './object-controllers.ts'
import { collectionOfPlace, ObjectCopies } from './object-copies.ts'
import type { ObjectHistory } from './object-history.ts'
import { measureObject } from './object-metrics.ts'
import { registryOf } from './object-registry.ts'

/** The inner paths of objects with a store. */
const ownPaths = storePaths<StorePaths>()

/** The base of all Durable Objects with a store. */
export abstract class StoreObject extends ClusterObject implements ObjectInMemory {
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
  protected readonly signatures: ArchiveSignatures
  protected readonly restoration: Restoration
  readonly #backup: Backup
  readonly #controllers: ObjectControllers
  readonly #sockets: WatchSockets
  readonly #collector: GarbageCollector
  readonly #metrics = new StoreMetrics()
  readonly #connections = new ConnectionPool()
  #backends: ReachableBackends | undefined
  readonly #context: ClusterContext

  /** @param clients makes the clients of controllers whose writes policies and webhooks see */
  constructor(ctx: DurableObjectState, variables: Environment, clients: ControllerClients) {
    super(ctx, variables)
    const { env, placed } = this
    const { name } = placed
    const { now, versionName } = sourcesOf(objectSettings(env), name)
    this.signatures = new ArchiveSignatures(objectSettings(env).adminToken, () => this.clusterUid())
    this.#backup = this.#makeBackup()
    this.restoration = this.#makeRestoration()
    this.alarms = new Alarms(ctx.storage, () => this.alarmParts(), now, this.#metrics.samples)
    this.history = this.makeHistory()
    const { history } = this
    const options = {
      historyEvents: history.historyEvents,
      get historySeconds() {
        return history.historySeconds
      },
      firstResourceVersion: firstResourceVersion(versionName),
      now,
      changed: (event: StoreEvent) => this.changed(event),
      applied: (keys: readonly string[]) => this.applied(keys),
    }
    this.store = new SqliteStore(ctx, options, this.database)
    this.copies = this.#makeCopies()
    const cluster = clusterOf(name)
    const own = { name, fetch: (request: Request) => this.#fetchOwn(request) }
    this.collections = new CollectionClient(env, {
      name: cluster,
      placement: placed.placement,
      ids: new Map(),
      own,
      caller: this.caller,
      ...(ctx.id.jurisdiction !== undefined && { jurisdiction: ctx.id.jurisdiction }),
    })
    this.#context = clusterContextOf(env, clients, {
      cluster,
      collections: this.collections,
      registry: () => this.registry,
      clusterClient: (other, place) => this.clusterClient(other, place),
    })
    this.clusterUse = this.makeClusterUse()
    const reconcilers = { ...this.reconcilers(), [copiedEntry]: (prefix: string) => this.reportCopied(prefix).then(() => true) }
    this.#controllers = new ObjectControllers({ placed, context: this.#context, storage: ctx.storage, now, reconcilers })
    this.outbox = this.#controllers.outbox
    this.#collector = this.#makeCollector()
    this.usage = new CollectionUsage({
      storage: ctx.storage,
      store: () => this.store,
      now,
      control: () => this.quotaControl(),
      wake: () => void this.armAlarm(),
    })
    this.webhooks = webhookTransport(env, {
      objects: this.collections,
      network: networkOf(env, cluster),
      pool: this.#connections,
    })
    this.registry = this.#makeRegistry()
    this.#sockets = new WatchSockets(ctx, this.registry)
    if (this.isRestoring()) return
    // Blocks requests until the bootstrap objects have been created.
    void ctx.blockConcurrencyWhile(async () => {
      if (!this.isInUse()) return
      await this.begin()
      this.#sockets.wake()
    })
  }

  /** Makes the writes of a controller that policies and webhooks see. */
  protected get writesOf(): WritesOf {
    return this.#context.writesOf
  }

  #makeCollector(): GarbageCollector {
    const { name, placement } = this.placed
    return new GarbageCollector({
      storage: this.ctx.storage,
      database: this.database,
      registry: () => this.registry,
      collections: this.collections,
      writes: this.writesOf('generic-garbage-collector'),
      customKind: (prefix) => this.storedCustomKind(prefix),
      place: placeText(placementNamed(name)),
      placeOf: (storage) => placeText(placementOf(clusterOf(name), placement, storage)),
      wake: () => void this.armAlarm(),
      collects: this.#context.enabled.has('garbage-collector-controller'),
    })
  }

  #makeRegistry(): Registry {
    const { env, placed, store, collections, webhooks, usage, clusterUse } = this
    return registryOf({
      name: placed.name,
      environment: env,
      store,
      collections,
      webhooks,
      customKindOf: (group, version, resource) => this.customKindOf(group, version, resource),
      owners: this.#collector.owners,
      quotas: usage,
      metrics: this.#metrics,
      clusterUse,
      outbox: (entry) => this.outbox.add(entry),
      options: this.registryOptions(),
    })
  }

  /** Creates what belongs to the collections from the beginning, and starts their controllers. */
  protected async begin(): Promise<void> {
    await this.bootstrap()
    await this.#controllers.start((collection) => !this.copies.has(collection))
    if (objectSettings(this.env).reads !== 'memory') return
    // The Worker reads what is durable. Nothing waits for that here, and an object whose storage fails answers requests only.
    this.ctx.storage.sync().then(
      () => enterMemory(this.placed.name, this),
      () => undefined,
    )
  }

  #makeCopies(): ObjectCopies {
    return new ObjectCopies({
      ctx: this.ctx,
      database: this.database,
      bindings: this.env,
      name: this.placed.name,
      store: this.store,
      collector: () => this.#collector,
      writeRows: async (resource, rows, write) => this.clusterUse?.writeRows(resource, rows, write) ?? write(),
      index: (event) => {
        this.#collector.changed(event)
        this.clusterUse?.changed(event)
      },
      enqueue: (event) => this.#controllers.enqueue(event),
      settle: (prefix, version, time) => this.settleCopy(prefix, version, time),
      arrived: async (prefix) => {
        await this.arrived(prefix)
        await this.#controllers.start((collection) => collection === prefix)
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

  /** Creates and reconciles the bootstrap objects, before the first request. */
  protected bootstrap(): Promise<void> {
    return bootstrapCollections(this.placed, this.registry)
  }

  /** Handles changed keys in the turn of their commit; without keys, anything may have changed. */
  protected applied(keys: readonly string[]): void {
    this.clusterUse?.applied(keys)
  }

  override fetch(request: Request): Promise<Response> {
    if (this.isRestoring() && !this.isServedWhileRestoring(request)) return Promise.resolve(errorResponse(beingRestored()))
    try {
      requireSender(request, this.placed.name)
    } catch (error) {
      if (error instanceof ApiError) return Promise.resolve(errorResponse(error))
      throw error
    }
    const isCaused = learnCause(this.store, request)
    const answer = request.url === collectionUrl ? this.answerOperation(request) : this.answerPath(request)
    return isCaused ? answer.then((response) => withCause(this.store, response)) : answer
  }

  /** Whether this object may be read without a request, as the object of a named cluster if a uid is given. */
  protected isReadable(clusterUid: string | undefined): boolean {
    return !this.isEnding && !this.isRestoring() && this.isOfCluster(clusterUid)
  }

  answerFromMemory(operation: Operation, clusterUid: string | undefined): Response | undefined {
    if (!this.isReadable(clusterUid) || !this.copies.isHere(operation)) return undefined
    return getFromMemory(this.registry, operation, (key) => this.store.getFromMemory(key))
  }

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
    return this.copies.performElsewhere(operation, this.registry, (registry) => this.perform(operation, request, registry))
  }

  /** Answers an operation when the work that belongs to it is done. */
  protected async answerOperation(request: Request): Promise<Response> {
    const operation = operationOf(request)
    const response = await this.#performAt(operation, request)
    // The alarm may have begun the work already.
    if (!readingVerbs.has(operation.verb) && this.alarms.isBusy(this.#controllers.outboxOfWrites))
      await this.alarms.attempt(this.#controllers.outboxOfWrites)
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
      restoration: this.restoration,
      usage: (question) => this.answerUsage(question),
      deleteAll: () => this.deleteAll(),
      runAlarm: () => this.alarms.settle(),
      reportCluster: async (report) => {
        await (report.state === 'expired' ? deleteExpired : receiveUse)(this.#context, report)
        await this.armAlarm()
      },
      clusterNames: (names) => names.filter((name) => this.store.get(clusterPrefix + name) !== undefined),
      endWatches: (prefix) => this.endWatches(prefix),
      revokeRegistration: (namespace) => this.revokeRegistration(namespace),
      past: this.copies.past,
      historyChanged: (message) => this.historyChanged(message),
      requireAgreement: (fork, prefixes) => this.requireAgreement(fork, prefixes),
      requireParent: (cluster) => this.requireParent(cluster),
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
    this.#backends ??= new ReachableBackends(
      frontProxySettingsOf(objectSettings(this.env), clusterOf(this.placed.name)),
      this.webhooks,
    )
    return forward(this.#backends, this.#connections, request)
  }

  /** Runs one operation. */
  protected perform(operation: Operation, request: Request, registry: Registry): Promise<Response> {
    return performOperation(registry, request, this.#sockets, operation)
  }

  /** Returns the object's part of /metrics. */
  protected async metrics(): Promise<ObjectMetrics> {
    const { store, alarms, prefixes } = this
    return measureObject({ store, alarms, prefixes, metrics: this.#metrics, databaseSize: this.ctx.storage.sql.databaseSize })
  }

  /** The metrics that the object counts. */
  protected get samples(): Metrics {
    return this.#metrics.samples
  }

  #makeBackup(): Backup {
    return new Backup({
      name: this.placed.name,
      ctx: this.ctx,
      database: this.database,
      store: () => this.store,
      prefixes: () => this.prefixes.map((prefix) => `${prefix}/`),
      signatures: this.signatures,
    })
  }

  #makeRestoration(): Restoration {
    return new Restoration({
      name: this.placed.name,
      ctx: this.ctx,
      database: this.database,
      store: () => this.store,
      signatures: this.signatures,
      now: sourcesOf(objectSettings(this.env), this.placed.name).now,
      holds: (collection) => this.mayHold(collection),
      requireRoom: (size: StagedContents) => this.clusterUse?.admitContents(size),
      names: () => this.clusterNames(),
      restored: (stored) => this.copies.host.copied(stored, true),
      emptied: () => this.emptied(),
      ended: () => this.restoreEnded(),
      endWatches: () => this.endWatches(''),
      armAlarm: () => this.armAlarm(),
      restart: (reason) => this.restart(reason),
    })
  }

  /** Whether the contents are being replaced: then the object answers nothing else, and does no work. */
  protected isRestoring(): boolean {
    return this.restoration.isRestoring
  }

  /** Whether a request is answered meanwhile. */
  protected isServedWhileRestoring(request: Request): boolean {
    return isBackupRequest(request)
  }

  /** Runs in the transaction that deletes the contents before a restore. */
  protected emptied(): void {}

  /** Runs in the transaction that ends a restore. */
  protected restoreEnded(): void {}

  /** Whether a restore may bring objects of a collection `<resource>[.<group>]`. */
  protected mayHold(collection: string): boolean {
    return this.prefixes.includes(collection)
  }

  /** Handles a change within its commit. */
  protected changed(event: StoreEvent): void {
    this.#metrics.changed(event.object.key)
    this.#collector.changed(event)
    this.usage.changed(event)
    this.clusterUse?.changed(event)
    this.#controllers.enqueue(event)
  }

  /** Returns the parts of the alarm's work. Called once, after the object has been constructed. */
  protected alarmParts(): readonly AlarmPart[] {
    const compactor = new Compactor(this.store, {
      isBeingRead: () => this.#backup.isBeingRead,
      keptFrom: () => this.history.keptFrom(),
    })
    const clusterUse = this.clusterUse === undefined ? [] : [this.clusterUse]
    return [
      this.copies.collection(),
      this.outbox,
      this.#controllers.outboxOfWrites,
      this.#sockets,
      this.usage,
      ...clusterUse,
      compactor,
      this.restoration,
    ]
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
    if (!this.isRestoring()) await this.alarms.run()
  }
}

/** Whether a request reads the state of a restore or continues it. */
export const isBackupRequest = ({ url }: Request): boolean => url.startsWith(`${collectionUrl}${backupPaths.read}`)

/** The kind of outbox entries for copied collections. */
const copiedEntry = 'fork-copied'

const readingVerbs: ReadonlySet<Operation['verb']> = new Set(['get', 'list', 'watch', 'evaluatePods'])
