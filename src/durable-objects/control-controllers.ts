/** The controllers of a cluster that run in its control object, because they need to know all its collections. */

import { frontProxySettingsOf, ReachableBackends } from '../auth/front-proxy/backends.ts'
import { UserTokenIssuer } from '../auth/front-proxy/user-tokens.ts'
import { clustersPath } from '../clusters/cluster-path.ts'
import { send } from '../clusters/message.ts'
import { objectProtocol } from '../clusters/object-protocol.ts'
import type { Operation } from '../clusters/operation.ts'
import { defaultCluster, groupResourceOf, prefixOfCollection } from '../clusters/placement.ts'
import { ConnectionPool } from '../clusters/webhooks/pinned-fetch.ts'
import { serviceAccountIssuerOf } from '../config/environment.ts'
import { isEnabled } from '../config/feature-gates.ts'
import type { AlarmPart } from '../controllers/alarms.ts'
import { ApiServiceAvailability } from '../controllers/api-service-availability/wiring.ts'
import type { Definitions } from '../controllers/crd/definitions.ts'
import { type DefinedCollections, DefinitionController } from '../controllers/crd/wiring.ts'
import { kindOfKey } from '../controllers/garbage-collector/kinds.ts'
import type { Feature, Kernel } from '../controllers/kernel.ts'
import { NamespaceController, type NamespacedCollections } from '../controllers/namespace/wiring.ts'
import type { PolicyParts } from '../controllers/policy-parts.ts'
import { type CountedCollections, QuotaController } from '../controllers/resource-quota/wiring.ts'
import { migrationPrefix, StorageVersionMigrator } from '../controllers/storage-version-migrator/wiring.ts'
import type { TokenSigner } from '../controllers/token-signer.ts'
import { definitionPrefix } from '../crd/definition.ts'
import { apiServicePrefix } from '../registry/policy/api-services.ts'
import type { StoreEvent } from '../storage/store.ts'
import type { ClusterCollections } from './cluster-collections.ts'

/** The parts of the control object that its controllers depend on. */
interface ControlledParts {
  readonly collections: ClusterCollections
  readonly definitions: Definitions
  readonly policyParts: PolicyParts
  readonly signer: TokenSigner
}

/** Returns the collections as the namespace controller needs them. */
const namespacedCollections = (
  { client }: Kernel,
  collections: ClusterCollections,
  customKind: NamespacedCollections['customKind'],
): NamespacedCollections => ({
  held: collections.held,
  customKind,
  revoke: async ({ group, resource }, namespace) => {
    if (collections.isOwn(prefixOfCollection(group, resource))) return
    await send(client.collection(group, resource), objectProtocol.revokeRegistration, { namespace })
  },
})

/** Returns the collections as the controller of definitions needs them. */
const definedCollections = ({ client, store }: Kernel, collections: ClusterCollections): DefinedCollections => ({
  hasHeldObjects: (group, resource) => collections.held.has(group, resource),
  endWatches: async (group, resource) => {
    const prefix = `${prefixOfCollection(group, resource)}/`
    if (collections.isOwn(prefix.slice(0, -1))) store.closeWatches(prefix)
    // An object that was never written to is not woken: its watches have seen nothing.
    else if (collections.held.has(group, resource))
      await send(client.collection(group, resource), objectProtocol.endWatches, { prefix })
  },
})

/** Returns the collections as quotas count them. */
const countedCollections = (
  { client }: Kernel,
  collections: ClusterCollections,
  definitions: Definitions,
): CountedCollections => ({
  presenceOf: (collection) => {
    const kind = kindOfKey(`${collection}/`) ?? definitions.storageKind(collection)
    if (kind?.namespaced !== true || !kind.verbs.has('list')) return 'unknown'
    return collections.isOwn(collection) || collections.held.has(...groupResourceOf(collection)) ? 'held' : 'empty'
  },
  ask: (collection, question) => {
    const stub = collections.isOwn(collection) ? client.control() : client.collection(...groupResourceOf(collection))
    return send(stub, objectProtocol.usage, question)
  },
})

/** Makes the controller of APIServices. */
function makeAvailability(kernel: Kernel, { policyParts, signer }: ControlledParts): ApiServiceAvailability {
  const { env, cluster, webhooks } = kernel
  const issuer = serviceAccountIssuerOf(env) + (cluster === defaultCluster ? '' : clustersPath + cluster)
  const access = {
    backends: new ReachableBackends(frontProxySettingsOf(env, cluster), webhooks),
    pool: new ConnectionPool(),
    tokens: new UserTokenIssuer((claims) => signer.sign(claims), issuer),
  }
  return new ApiServiceAvailability(kernel, access, () => policyParts.changed([apiServicePrefix]))
}

/** The controllers of one control object. */
export class ControlControllers implements Feature {
  readonly namespaces: NamespaceController
  readonly definitions: DefinitionController
  readonly quotas: QuotaController
  readonly availability: ApiServiceAvailability
  readonly #kernel: Kernel
  readonly #definitions: Definitions
  /** Undefined if the feature gate or the controller is off. */
  readonly #storageMigrator: StorageVersionMigrator | undefined
  /** Whether the namespace controller is enabled here; an external controller may do its work instead. */
  readonly #deletesContent: boolean

  constructor(kernel: Kernel, parts: ControlledParts) {
    const { controllers } = kernel
    const { collections, definitions } = parts
    const customKind = (group: string, resource: string) => definitions.storageKind(`${resource}.${group}`)
    this.#kernel = kernel
    this.#definitions = definitions
    this.availability = makeAvailability(kernel, parts)
    this.namespaces = new NamespaceController(kernel, namespacedCollections(kernel, collections, customKind))
    this.definitions = new DefinitionController(kernel, definitions, definedCollections(kernel, collections))
    const migrates = isEnabled('StorageVersionMigrator') && controllers.has('storage-version-migrator-controller')
    this.#storageMigrator = migrates ? new StorageVersionMigrator(kernel, customKind) : undefined
    this.#deletesContent = controllers.has('namespace-controller')
    this.quotas = new QuotaController(kernel, countedCollections(kernel, collections, definitions))
  }

  /** Finds the work of all controllers. Called if this release runs for the first time, or bootstrap objects have changed. */
  findWork(): void {
    this.availability.changed([])
    this.namespaces.findTerminating()
    this.definitions.findDeleted()
  }

  /** Starts the controllers. */
  start(): void {
    this.quotas.start()
    this.#storageMigrator?.findMigrations()
  }

  /** Handles changed keys in the turn of their commit; without keys, anything may have changed. */
  applied(keys: readonly string[]): void {
    this.availability.changed(keys)
    if (this.#definitions.changed(keys)) this.#enqueueDefinitions(keys)
    if (keys.length === 0) this.#kernel.queues.findMissed()
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
      void this.#kernel.alarms.arm()
    }
    if (!this.#deletesContent || !key.startsWith('namespaces/') || !value.includes('"deletionTimestamp":')) return
    this.namespaces.enqueue(key.slice('namespaces/'.length))
    void this.#kernel.alarms.arm()
  }

  get jobs(): readonly AlarmPart[] {
    return [
      ...(this.#deletesContent ? [this.namespaces] : []),
      ...(this.#storageMigrator === undefined ? [] : [this.#storageMigrator]),
      this.definitions,
      this.quotas,
      this.availability,
    ]
  }

  /** A create of a definition is answered only after the definition is usable. */
  complete({ target }: Operation): Promise<void> | undefined {
    if (!this.definitions.isBusy || target.resource !== definitionResource) return undefined
    return this.definitions.whenSettled()
  }
}

const definitionResource = 'customresourcedefinitions'
