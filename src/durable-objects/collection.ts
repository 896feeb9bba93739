/** The Durable Object of one collection: its store, the verbs, and the alarm that compacts its history. */
import { DurableObject } from 'cloudflare:workers'
import { webhookTransport } from '../auth/webhook-transport.ts'
import type { Kind } from '../catalog/kind.ts'
import { kindOf } from '../catalog/scheme.ts'
import { CollectionClient } from '../clusters/collection-client.ts'
import type { ObjectMetrics } from '../clusters/collection-metrics.ts'
import { firstResourceVersion } from '../clusters/first-resource-version.ts'
import { operationOf, type Target } from '../clusters/operation.ts'
import { clusterOf, placementNamed } from '../clusters/placement.ts'
import { collectionUrl, fetchInner } from '../clusters/protocol.ts'
import { ConnectionPool } from '../clusters/webhooks/pinned-fetch.ts'
import type { WebhookTransport } from '../clusters/webhooks/transport.ts'
import { advertisedAddressOf, controllersOf, type Environment, historyOf, serviceCidrOf } from '../config/environment.ts'
import { AdmissionConfigurations } from '../controllers/admission-configuration.ts'
import { type AlarmPart, Alarms } from '../controllers/alarms.ts'
import { bootstrapCollection } from '../controllers/bootstrap/collections.ts'
import { controllersOf as controllersOfCollection } from '../controllers/collection-controllers.ts'
import { Compactor } from '../controllers/compactor.ts'
import type { Controller } from '../controllers/controller.ts'
import { CollectionDefinition } from '../controllers/crd/collection-definition.ts'
import { placeText } from '../controllers/garbage-collector/messages.ts'
import { GarbageCollector } from '../controllers/garbage-collector/wiring.ts'
import type { CollectionRegistration } from '../controllers/namespace/collections.ts'
import { Outbox, type Reconciler } from '../controllers/outbox.ts'
import { CollectionUsage } from '../controllers/resource-quota/collection-usage.ts'
import type { LimitedRanges, QuotaControl } from '../controllers/resource-quota/messages.ts'
import { remoteQuotaControl } from '../controllers/resource-quota/remote-control.ts'
import { callAdmissionWebhook } from '../registry/admission/webhooks/post-call.ts'
import { performOperation } from '../registry/collection.ts'
import { randomNames } from '../registry/name-generator.ts'
import type { Registry } from '../registry/registry.ts'
import { WatchSockets } from '../registry/watch-sockets.ts'
import { WatchTallies } from '../registry/watch-tallies.ts'
import { Database } from '../storage/database.ts'
import { SqliteStore } from '../storage/sqlite-store.ts'
import type { StoreEvent } from '../storage/store.ts'
import { type StorePaths, storePaths } from './inner-paths.ts'
import { Registrations } from './registration.ts'

/** The inner paths of objects with a store. */
const ownPaths = storePaths<StorePaths>()

/** The base of all Durable Objects with a store. */
export abstract class StoreObject extends DurableObject<Environment> {
  /** The name of the object, also if it was opened by its ID. */
  protected readonly name: string
  protected readonly database: Database
  protected readonly store: SqliteStore
  protected readonly registry: Registry
  protected readonly collections: CollectionClient
  protected readonly webhooks: WebhookTransport
  protected readonly outbox: Outbox
  protected readonly alarms: Alarms
  protected readonly usage: CollectionUsage
  readonly #controllers: readonly Controller[]
  readonly #worksWithWrites: boolean
  readonly #sockets: WatchSockets
  readonly #collector: GarbageCollector
  readonly #watchTallies = new WatchTallies()

  constructor(ctx: DurableObjectState, environment: Environment) {
    super(ctx, environment)
    this.database = new Database(ctx.storage, ctx.id.name)
    const name = knownName(this.database)
    this.name = name
    this.alarms = new Alarms(ctx.storage, () => this.alarmParts())
    const options = {
      ...historyOf(environment),
      firstResourceVersion: firstResourceVersion(name),
      changed: (event: StoreEvent) => this.changed(event),
      applied: (keys: readonly string[]) => this.applied(keys),
    }
    this.store = new SqliteStore(ctx, options, this.database)
    this.collections = new CollectionClient(environment, clusterOf(name))
    const enabled = controllersOf(environment)
    this.#controllers = controllersOfCollection(name, {
      name,
      collections: this.collections,
      registry: () => this.registry,
      rootCertificate: environment.ROOT_CERTIFICATE ?? '',
      advertised: advertisedAddressOf(environment),
      enabled,
    })
    this.#worksWithWrites = this.#controllers.some(({ isPartOfWrites }) => isPartOfWrites === true)
    this.outbox = new Outbox(
      ctx.storage,
      Object.assign({}, ...this.#controllers.map(({ reconcilers }) => reconcilers), this.reconcilers()),
    )
    this.#collector = new GarbageCollector({
      storage: ctx.storage,
      database: this.database,
      registry: () => this.registry,
      collections: this.collections,
      customKind: () => this.storedCustomKind(),
      place: placeText(placementNamed(name)),
      wake: () => void this.armAlarm(),
      collects: enabled.has('garbage-collector-controller'),
    })
    this.usage = new CollectionUsage({
      storage: ctx.storage,
      store: () => this.store,
      now: Date.now,
      control: () => this.quotaControl(),
      wake: () => void this.armAlarm(),
    })
    this.webhooks = webhookTransport(environment, this.collections, new ConnectionPool())
    const configurations = new AdmissionConfigurations(this.collections)
    this.registry = {
      store: this.store,
      kindOf: (group, version, resource) => kindOf(group, version, resource) ?? this.customKindOf(group, version, resource),
      now: Date.now,
      names: randomNames,
      serviceCidr: serviceCidrOf(environment),
      owners: this.#collector.owners,
      quotas: this.usage,
      watchTallies: this.#watchTallies,
      outbox: (entry) => this.outbox.add(entry),
      admissionConfiguration: (tag) => configurations.get(tag),
      callWebhook: (call, deadline) => callAdmissionWebhook(this.webhooks, call, { deadline }),
      ...this.registryOptions(),
    }
    this.#sockets = new WatchSockets(ctx, this.registry)
    // Blocks requests until the bootstrap objects have been created.
    void ctx.blockConcurrencyWhile(async () => {
      await this.bootstrap()
      for (const { start } of this.#controllers) await start?.()
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

  /** Returns the kind of this object's custom resources in its storage version. */
  protected storedCustomKind(): Kind | undefined {
    return undefined
  }

  /** Returns further options of the registry. Called by the constructor: must not use fields. */
  protected registryOptions(): Partial<Registry> {
    return {}
  }

  /** Creates and reconciles the bootstrap objects, before the first request. */
  protected bootstrap(): Promise<void> {
    return bootstrapCollection(this.name, this.registry)
  }

  /** Returns the control object's side of quotas. */
  protected quotaControl(): QuotaControl {
    return remoteQuotaControl(this.collections.control())
  }

  /** Handles changed keys in the turn of their commit; without keys, anything may have changed. */
  protected applied(_keys: readonly string[]): void {}

  override fetch(request: Request): Promise<Response> {
    return request.url === collectionUrl ? this.perform(request) : this.answerPath(request)
  }

  /** Answers a request for an inner path other than the operations' path. */
  protected async answerPath(request: Request): Promise<Response> {
    return ownPaths.fetch(request, this.paths())
  }

  /** Returns the functions behind the inner paths. */
  protected paths(): StorePaths {
    return {
      receive: (message) => this.#collector.receive(message),
      metrics: () => this.metrics(),
      usage: (question) => this.usage.answer(question),
    }
  }

  /** Runs one operation on the collection. */
  protected async perform(request: Request): Promise<Response> {
    const response = await performOperation(this.registry, request, this.#sockets)
    if (this.#worksWithWrites && this.outbox.nextAlarm() !== undefined) await this.alarms.attempt(this.outbox)
    await this.armAlarm()
    return response
  }

  /** Returns the object's part of /metrics. */
  protected async metrics(): Promise<ObjectMetrics> {
    const { group, resource } = collectionOf(this.name)
    const alarms = this.alarms.failures()
    return { objects: this.countObjects([prefixName(group, resource)]), watches: this.#watchTallies.list(), alarms }
  }

  /** Counts the objects of each resource. */
  protected countObjects(resources: readonly string[]): Record<string, number> {
    const { resourceVersion } = this.store
    return Object.fromEntries(resources.map((name) => [name, this.store.countAfter(`${name}/`, '', resourceVersion)]))
  }

  /** Closes all watches; their clients resume at their resourceVersion. */
  protected endWatches(): void {
    this.store.closeWatches('')
    this.#sockets.endAll()
  }

  /** Handles a change within its commit. */
  protected changed(event: StoreEvent): void {
    this.#collector.changed(event)
    this.usage.changed(event)
    for (const controller of this.#controllers) {
      const entries = controller.enqueue(event) ?? []
      for (const entry of typeof entries === 'string' ? [entries] : entries) this.outbox.add(entry)
    }
  }

  /** Returns the parts of the alarm's work. Called once, after the object has been constructed. */
  protected alarmParts(): readonly AlarmPart[] {
    return [this.#collector, this.outbox, this.#sockets, this.usage, new Compactor(this.store)]
  }

  /** Sets the alarm unless it is set early enough. */
  protected armAlarm(): Promise<void> {
    return this.alarms.arm()
  }

  /** Messages of watch clients are ignored. */
  override webSocketMessage(): void {}

  override webSocketClose(socket: WebSocket): void {
    this.#sockets.closed(socket)
  }

  override webSocketError(socket: WebSocket): void {
    this.#sockets.closed(socket)
  }

  override alarm(): Promise<void> {
    return this.alarms.run()
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

/** Returns `<resource>[.<group>]`, the prefix of keys. */
export const prefixName = (group: string, resource: string): string => (group === '' ? resource : `${resource}.${group}`)

/** Returns the collection of a Durable Object's name. */
function collectionOf(name: string): { readonly group: string; readonly resource: string } {
  const [, group = '', resource = ''] = name.split('/')
  return { group, resource }
}

/** One group-resource of one cluster, over all namespaces. */
export class Collection extends StoreObject {
  readonly #registrations: Registrations
  readonly #definition: CollectionDefinition

  constructor(ctx: DurableObjectState, environment: Environment) {
    super(ctx, environment)
    this.#registrations = new Registrations(ctx.storage, (registration) => this.#tellControl(registration))
    this.#definition = new CollectionDefinition(ctx.storage, this.collections, this.name, {
      isUsed: () => this.database.hasTables,
      isEmpty: (prefix) => this.store.list({ prefix, limit: 1, resourceVersion: this.store.resourceVersion }).items.length === 0,
      resourceVersion: () => this.store.resourceVersion,
      endWatches: () => this.endWatches(),
      outside: this.webhooks,
    })
  }

  protected override customKindOf(group: string, version: string, resource: string): Kind | undefined {
    return this.#definition.kindOf(group, version, resource)
  }

  protected override storedCustomKind(): Kind | undefined {
    return this.#definition.storageKind
  }

  /**
   * Runs an operation. A write waits until the control object has registered the collection, so that namespace deletions find its
   * objects.
   */
  protected override async perform(request: Request): Promise<Response> {
    const operation = operationOf(request)
    const { verb, target, definition } = operation
    if (definition !== undefined) await this.#definition.require(definition)
    if (verb === 'deletecollection' && operation.unconverted === true) this.#registrations.forget(target.namespace)
    if (!registeredVerbs.has(verb)) return super.perform(request)
    if (!this.#registrations.has(target.namespace)) await this.#register(target)
    const response = await super.perform(request)
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

/** The verbs that may create objects. */
const registeredVerbs: ReadonlySet<string> = new Set(['create', 'update', 'apply'])
