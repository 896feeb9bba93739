/** The Durable Object of one collection: its store, the verbs, and the alarm that compacts its history. */
import { DurableObject } from 'cloudflare:workers'
import { webhookTransport } from '../auth/webhook-transport.ts'
import type { Kind } from '../catalog/kind.ts'
import { kindOf } from '../catalog/scheme.ts'
import { CollectionClient } from '../clusters/collection-client.ts'
import type { ObjectMetrics } from '../clusters/collection-metrics.ts'
import { firstResourceVersion } from '../clusters/first-resource-version.ts'
import { collectionUrl, operationOf, type Target } from '../clusters/operation.ts'
import { clusterOf, placementNamed } from '../clusters/placement.ts'
import { advertisedAddressOf, controllersOf, type Environment, historyOf, serviceCidrOf } from '../config/environment.ts'
import { AdmissionConfigurations } from '../controllers/admission-configuration.ts'
import { bootstrapCollection } from '../controllers/bootstrap/collections.ts'
import { controllersOf as controllersOfCollection } from '../controllers/collection-controllers.ts'
import type { Controller } from '../controllers/controller.ts'
import { CollectionDefinition } from '../controllers/crd/collection-definition.ts'
import { placeText } from '../controllers/garbage-collector/messages.ts'
import { GarbageCollector } from '../controllers/garbage-collector/wiring.ts'
import { Outbox, type Reconciler } from '../controllers/outbox.ts'
import { CollectionUsage } from '../controllers/resource-quota/collection-usage.ts'
import type { LimitedRanges, QuotaControl } from '../controllers/resource-quota/messages.ts'
import { remoteQuotaControl } from '../controllers/resource-quota/remote-control.ts'
import { performOperation } from '../registry/collection.ts'
import { randomNames } from '../registry/name-generator.ts'
import type { Registry } from '../registry/registry.ts'
import { WatchSockets } from '../registry/watch-sockets.ts'
import { WatchTallies } from '../registry/watch-tallies.ts'
import { nextCompaction } from '../storage/compaction.ts'
import { SqliteStore } from '../storage/sqlite-store.ts'
import type { StoreEvent } from '../storage/store.ts'
import { type StorePaths, storePaths } from './inner-paths.ts'

/** The pause before the next step of an unfinished compaction, in milliseconds: requests come in between. */
const compactionPause = 10

/** Returns the earliest time; undefined stands for never. */
export function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const coming = times.filter((at) => at !== undefined)
  return coming.length === 0 ? undefined : Math.min(...coming)
}

/** The inner paths of objects with a store. */
const ownPaths = storePaths<StorePaths>()

/** The base of all Durable Objects with a store. */
export abstract class StoreObject extends DurableObject<Environment> {
  protected readonly store: SqliteStore
  protected readonly registry: Registry
  protected readonly collections: CollectionClient
  protected readonly outbox: Outbox
  protected readonly usage: CollectionUsage
  readonly #controllers: readonly Controller[]
  readonly #worksWithWrites: boolean
  readonly #sockets: WatchSockets
  readonly #collector: GarbageCollector
  readonly #watchTallies = new WatchTallies()
  #alarmAt: number | undefined
  /** New alarms must be later than the last one: the runtime takes an alarm for that same time as already delivered. */
  #firedAt = 0

  constructor(ctx: DurableObjectState, environment: Environment) {
    super(ctx, environment)
    const name = ctx.id.name ?? ''
    this.store = new SqliteStore(ctx, {
      ...historyOf(environment),
      firstResourceVersion: firstResourceVersion(name),
      changed: (event) => this.changed(event),
      applied: (keys) => this.applied(keys),
    })
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
      ...this.registryOptions(),
    }
    this.#sockets = new WatchSockets(ctx, this.registry)
    // Blocks requests until the bootstrap objects have been created.
    void ctx.blockConcurrencyWhile(async () => {
      await bootstrapCollection(name, this.registry)
      for (const { start } of this.#controllers) await start?.()
      await this.started()
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

  /** Returns the control object's side of quotas. */
  protected quotaControl(): QuotaControl {
    return remoteQuotaControl(this.collections.control())
  }

  /** Runs once after the bootstrap objects exist, before the first request. */
  protected async started(): Promise<void> {}

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
    if (this.#worksWithWrites && this.outbox.nextAlarm() !== undefined) await this.outbox.drain(Date.now())
    await this.armAlarm()
    return response
  }

  /** Returns the object's part of /metrics. */
  protected async metrics(): Promise<ObjectMetrics> {
    const { group, resource } = collectionOf(this.ctx.id.name ?? '')
    return { objects: this.countObjects([prefixName(group, resource)]), watches: this.#watchTallies.list() }
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

  /** Returns the time of the next alarm; undefined if none is needed. A pure function of the state. */
  protected nextAlarm(now: number): number | undefined {
    return earliest(
      nextCompaction(this.store.compactionState, now),
      this.#sockets.nextAlarm(),
      this.#collector.nextAlarm(),
      this.outbox.nextAlarm(),
      this.usage.nextAlarm(),
    )
  }

  /** Sets the alarm unless it is set early enough. */
  protected async armAlarm(): Promise<void> {
    const now = Date.now()
    const next = this.nextAlarm(now)
    if (next === undefined) return
    const at = Math.max(next, now, this.#firedAt + 1)
    if (this.#alarmAt !== undefined && this.#alarmAt <= at) return
    this.#alarmAt = at
    await this.ctx.storage.setAlarm(at)
  }

  /** Messages of watch clients are ignored. */
  override webSocketMessage(): void {}

  override webSocketClose(socket: WebSocket): void {
    this.#sockets.closed(socket)
  }

  override webSocketError(socket: WebSocket): void {
    this.#sockets.closed(socket)
  }

  override async alarm(): Promise<void> {
    this.#firedAt = Math.max(this.#alarmAt ?? 0, Date.now())
    this.#alarmAt = undefined
    try {
      await this.work()
    } finally {
      await this.armAlarm()
    }
  }

  /** Does the work of the alarm. */
  protected async work(): Promise<void> {
    await this.#collector.work()
    const now = Date.now()
    await this.outbox.drain(now)
    await this.usage.work(now)
    this.#sockets.beat(now)
    const due = nextCompaction(this.store.compactionState, now)
    if (due === undefined || due > now) return
    if (this.store.compact(now)) {
      this.#alarmAt = Date.now() + compactionPause
      await this.ctx.storage.setAlarm(this.#alarmAt)
    }
  }
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
  #registered: Promise<void> | undefined
  #known = false
  readonly #definition: CollectionDefinition

  constructor(ctx: DurableObjectState, environment: Environment) {
    super(ctx, environment)
    this.#definition = new CollectionDefinition(ctx.storage, this.collections, ctx.id.name ?? '', {
      isEmpty: (prefix) => this.store.list({ prefix, limit: 1, resourceVersion: this.store.resourceVersion }).items.length === 0,
      resourceVersion: () => this.store.resourceVersion,
      endWatches: () => this.endWatches(),
      outside: webhookTransport(environment, this.collections),
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
    const { verb, target, definition } = operationOf(request)
    if (definition !== undefined) await this.#definition.require(definition)
    if (!this.#known) {
      if (verb === 'create' || verb === 'update' || verb === 'apply') await this.#register(target)
    }
    return super.perform(request)
  }

  #register({ group, version, resource }: Target): Promise<void> {
    this.#registered ??= this.#tellControl({ group, version, resource }).catch((error: unknown) => {
      this.#registered = undefined
      throw error
    })
    return this.#registered
  }

  async #tellControl(collection: Pick<Target, 'group' | 'version' | 'resource'>): Promise<void> {
    if ((await this.ctx.storage.get<boolean>(registeredKey)) === true) {
      this.#known = true
      return
    }
    const body = JSON.stringify(collection)
    const response = await this.collections.control().fetch('http://control/collections', { method: 'POST', body })
    this.usage.limit((await response.json()) as LimitedRanges)
    await this.ctx.storage.put(registeredKey, true)
    this.#known = true
  }
}

const registeredKey = 'registered'
