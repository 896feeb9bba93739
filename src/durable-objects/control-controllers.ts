/** The controllers of a cluster that run in its control object, because they need to know all its collections. */
import { frontProxySettingsOf, ReachableBackends } from '../auth/front-proxy/backends.ts'
import { UserTokenIssuer } from '../auth/front-proxy/user-tokens.ts'
import { clustersPath } from '../clusters/cluster-path.ts'
import type { CollectionClient } from '../clusters/collection-client.ts'
import { clusterOf, defaultCluster, groupResourceOf, type PlacedObject, prefixOfCollection } from '../clusters/placement.ts'
import { fetchInner, watchesPath } from '../clusters/protocol.ts'
import { ConnectionPool } from '../clusters/webhooks/pinned-fetch.ts'
import type { WebhookTransport } from '../clusters/webhooks/transport.ts'
import type { Environment } from '../config/environment.ts'
import { isEnabled } from '../config/feature-gates.ts'
import { objectSettings } from '../config/settings.ts'
import type { WritesOf } from '../controllers/admitted-writes.ts'
import type { AlarmPart, Alarms } from '../controllers/alarms.ts'
import { ApiServiceAvailability } from '../controllers/api-service-availability/wiring.ts'
import type { Definitions } from '../controllers/crd/definitions.ts'
import { DefinitionController } from '../controllers/crd/wiring.ts'
import { kindOfKey } from '../controllers/garbage-collector/kinds.ts'
import { registrationPath } from '../controllers/namespace/collections.ts'
import type { KnownCollection } from '../controllers/namespace/content.ts'
import { NamespaceController } from '../controllers/namespace/wiring.ts'
import type { PolicyParts } from '../controllers/policy-parts.ts'
import { QuotaLedger } from '../controllers/resource-quota/ledger.ts'
import type { UsageAnswer, UsageQuestion } from '../controllers/resource-quota/messages.ts'
import type { Presence } from '../controllers/resource-quota/plan.ts'
import { askUsage } from '../controllers/resource-quota/remote-control.ts'
import { QuotaController } from '../controllers/resource-quota/wiring.ts'
import { migrationPrefix, StorageVersionMigrator } from '../controllers/storage-version-migrator/wiring.ts'
import type { TokenSigner } from '../controllers/token-signer.ts'
import { definitionPrefix } from '../crd/definition.ts'
import { apiServicePrefix } from '../registry/policy/api-services.ts'
import type { Registry } from '../registry/registry.ts'
import type { StoreEvent } from '../storage/store.ts'
import type { ClusterCollections } from './cluster-collections.ts'
import { ControlWorkqueues } from './control-workqueues.ts'

/** The parts of the control object that its controllers need. */
interface ControlControllersHost {
  readonly ctx: DurableObjectState
  readonly environment: Environment
  readonly placed: PlacedObject
  readonly registry: Registry
  readonly client: CollectionClient
  readonly writesOf: WritesOf
  readonly collections: ClusterCollections
  readonly definitions: Definitions
  readonly policyParts: PolicyParts
  readonly signer: TokenSigner
  readonly webhooks: WebhookTransport
  readonly alarms: Alarms
  /** Counts the use of quotas by the object's own objects. */
  readonly answerUsage: (question: UsageQuestion) => Promise<UsageAnswer>
  /** Closes the watches of the object's own keys with a prefix. */
  readonly endWatches: (prefix: string) => void
  /** Sets the alarm unless it is set early enough. */
  readonly armAlarm: () => Promise<void>
}

/** The controllers of one control object. */
export class ControlControllers {
  readonly namespaces: NamespaceController
  readonly definitions: DefinitionController
  readonly quotas: QuotaController
  readonly availability: ApiServiceAvailability
  readonly #host: ControlControllersHost
  readonly #workqueues: ControlWorkqueues
  /** Undefined if the feature gate or the controller is off. */
  readonly #storageMigrator: StorageVersionMigrator | undefined
  /** Whether the namespace controller is enabled here; an external controller may do its work instead. */
  readonly #deletesContent: boolean

  constructor(host: ControlControllersHost) {
    this.#host = host
    const { ctx, environment, registry, client, collections, definitions, alarms } = host
    const { storage } = ctx
    const { controllers: enabled } = objectSettings(environment)
    const kinds = {
      storage,
      registry,
      objects: client,
      customKind: (group: string, resource: string) => definitions.storageKind(`${resource}.${group}`),
    }
    this.availability = this.#availabilityController()
    this.#workqueues = new ControlWorkqueues({
      storage,
      registry,
      definitions,
      enabled,
      attempt: (part) => alarms.attempt(part),
      runSoon: (part) => this.#runSoon(part),
    })
    const writes = host.writesOf('namespace-controller')
    const revoke = (collection: KnownCollection, namespace: string): Promise<void> => this.#revoke(collection, namespace)
    this.namespaces = new NamespaceController({ ...kinds, held: collections.held, writes, revoke })
    this.definitions = new DefinitionController(storage, registry, client, definitions, {
      hasHeldObjects: (group, resource) => collections.held.has(group, resource),
      endWatches: (group, resource) => this.#endWatches(group, resource),
    })
    const migrates = isEnabled('StorageVersionMigrator') && enabled.has('storage-version-migrator-controller')
    this.#storageMigrator = migrates ? new StorageVersionMigrator(kinds) : undefined
    this.#deletesContent = enabled.has('namespace-controller')
    this.quotas = this.#quotaController(enabled.has('resourcequota-controller'))
  }

  async #revoke({ group, resource }: KnownCollection, namespace: string): Promise<void> {
    const { client, collections } = this.#host
    if (collections.isOwn(prefixOfCollection(group, resource))) return
    const path = `${registrationPath}?${new URLSearchParams({ namespace })}`
    await fetchInner(client.collection(group, resource), path, { method: 'DELETE' })
  }

  async #endWatches(group: string, resource: string): Promise<void> {
    const { client, collections, endWatches } = this.#host
    const prefix = prefixOfCollection(group, resource)
    if (collections.isOwn(prefix)) return endWatches(`${prefix}/`)
    // An object that was never written to is not woken: its watches have seen nothing.
    if (!collections.held.has(group, resource)) return
    const query = `?prefix=${encodeURIComponent(`${prefix}/`)}`
    await fetchInner(client.collection(group, resource), `${watchesPath}${query}`, { method: 'DELETE' })
  }

  #availabilityController(): ApiServiceAvailability {
    const { ctx, environment, placed, registry, client, signer, webhooks, policyParts } = this.#host
    const cluster = clusterOf(placed.name)
    const issuer = objectSettings(environment).serviceAccountIssuer + (cluster === defaultCluster ? '' : clustersPath + cluster)
    return new ApiServiceAvailability({
      storage: ctx.storage,
      registry: () => registry,
      collections: client,
      access: {
        backends: new ReachableBackends(frontProxySettingsOf(objectSettings(environment), cluster), webhooks),
        pool: new ConnectionPool(),
        tokens: new UserTokenIssuer((claims) => signer.sign(claims), issuer),
      },
      isRouted: (service) => webhooks.isRouted(service),
      documentsChanged: () => policyParts.changed([apiServicePrefix]),
      runSoon: (part) => this.#runSoon(part),
    })
  }

  #quotaController(counts: boolean): QuotaController {
    const { ctx, registry, client, collections, answerUsage, armAlarm } = this.#host
    return new QuotaController({
      storage: ctx.storage,
      registry: () => registry,
      ledger: new QuotaLedger(ctx.storage, () => registry),
      presenceOf: (collection) => this.#presenceOf(collection),
      ask: (collection, question) =>
        collections.isOwn(collection)
          ? answerUsage(question)
          : askUsage(client.collection(...groupResourceOf(collection)), question),
      wake: () => void armAlarm(),
      waitUntil: (work) => ctx.waitUntil(work),
      counts,
    })
  }

  /** Returns whether a collection of namespaced objects exists, and whether it has ever held any. */
  #presenceOf(collection: string): Presence {
    const { collections, definitions } = this.#host
    const kind = kindOfKey(`${collection}/`) ?? definitions.storageKind(collection)
    if (kind?.namespaced !== true || !kind.verbs.has('list')) return 'unknown'
    return collections.isOwn(collection) || collections.held.has(...groupResourceOf(collection)) ? 'held' : 'empty'
  }

  /** Runs a part of the alarm's work after the current turn, which may be that of a commit. */
  #runSoon(part: AlarmPart): void {
    const { ctx, alarms, armAlarm } = this.#host
    ctx.waitUntil(
      Promise.resolve()
        .then(() => alarms.attempt(part))
        .then(() => armAlarm()),
    )
  }

  /** Finds the work of all controllers. Called if this release runs for the first time, or bootstrap objects have changed. */
  findWork(): void {
    this.availability.changed([])
    this.#workqueues.changed([])
    this.namespaces.findTerminating()
    this.definitions.findDeleted()
  }

  /** Starts the controllers. @param started called when the work has been done for which requests wait */
  async start(started: () => void): Promise<void> {
    await this.#workqueues.start()
    started()
    this.quotas.start()
    this.#storageMigrator?.findMigrations()
  }

  /** Handles changed keys in the turn of their commit; without keys, anything may have changed. */
  applied(keys: readonly string[]): void {
    this.availability.changed(keys)
    if (this.#host.definitions.changed(keys)) this.#enqueueDefinitions(keys)
    this.#workqueues.changed(keys)
  }

  #enqueueDefinitions(keys: readonly string[]): void {
    const names = keys.filter((key) => key.startsWith(definitionPrefix)).map((key) => key.slice(definitionPrefix.length))
    this.quotas.defined(names)
    for (const name of names) this.definitions.enqueue(name)
  }

  /** Handles a change within its commit: enqueues a terminating namespace, whether a client or the garbage collector deleted it. */
  changed(event: StoreEvent): void {
    this.quotas.changed(event)
    const { key, value } = event.object
    if (this.#storageMigrator !== undefined && key.startsWith(migrationPrefix)) {
      this.#storageMigrator.changed(key.slice(migrationPrefix.length))
      void this.#host.armAlarm()
    }
    if (!this.#deletesContent || !key.startsWith('namespaces/') || !value.includes('"deletionTimestamp":')) return
    this.namespaces.enqueue(key.slice('namespaces/'.length))
    void this.#host.armAlarm()
  }

  /** The parts of the alarm's work, without the workqueues. */
  get parts(): readonly AlarmPart[] {
    return [
      ...(this.#deletesContent ? [this.namespaces] : []),
      ...(this.#storageMigrator === undefined ? [] : [this.#storageMigrator]),
      this.definitions,
      this.quotas,
      this.availability,
    ]
  }

  /** The workqueues, which are parts of the alarm's work too. */
  get workqueues(): readonly AlarmPart[] {
    return this.#workqueues.parts
  }
}
