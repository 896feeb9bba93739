/** Opens the Durable Object of a collection. */

import { kindOf } from '../catalog/scheme.ts'
import { controlProtocol } from '../clusters/control-protocol.ts'
import { Receiver, send } from '../clusters/message.ts'
import type { NamespacePhase } from '../clusters/namespace-facts.ts'
import { type ObjectProtocol, objectProtocol } from '../clusters/object-protocol.ts'
import { clusterOf, defaultCluster, prefixOfCollection } from '../clusters/placement.ts'
import type { CollectionRegistration } from '../clusters/registration-messages.ts'
import type { Environment } from '../config/environment.ts'
import { objectSettings } from '../config/settings.ts'
import type { ControllerClients } from '../controllers/admitted-writes.ts'
import { bootstrapCollections } from '../controllers/bootstrap/places.ts'
import { ObjectUse } from '../controllers/cluster/use.ts'
import { CollectionDefinition } from '../controllers/crd/collection-definition.ts'
import type { Feature, Kernel } from '../controllers/kernel.ts'
import { remoteQuotaControl } from '../controllers/resource-quota/remote-control.ts'
import { Database } from '../storage/database.ts'
import { CollectionMembership } from './collection-membership.ts'
import { collectionStateOf } from './collection-state.ts'
import { measureObject } from './features/maintenance.ts'
import { Loopback } from './loopback.ts'
import { ObjectCopies } from './object-copies.ts'
import { finishCopy, objectFeatures } from './object-features.ts'
import { CollectionHistory, RequestedHistory } from './object-history.ts'
import { collectionOf, knownName } from './object-name.ts'
import { openKernel } from './open-kernel.ts'
import { OpenObject, startObject } from './open-object.ts'
import { Registrations } from './registration.ts'

const receiver = new Receiver(objectProtocol)

/** Returns the usage of a named cluster, which is reported to its control object. */
function clusterUse(kernel: Kernel): ObjectUse | undefined {
  const { cluster, client, name } = kernel
  if (cluster === defaultCluster) return undefined
  return new ObjectUse(kernel, {
    isReported: () => true,
    report: (use) => send(client.control(), controlProtocol.reportUse, { name, ...use }),
  })
}

/** Custom resources: an operation waits until the object has the definition that its sender knows. */
const customResources = (definition: CollectionDefinition): Feature => ({
  registry: {
    kindOf: (group, version, resource) => kindOf(group, version, resource) ?? definition.kindOf(group, version, resource),
  },
  prepare: ({ definition: tag }) => (tag === undefined ? undefined : definition.require(tag)),
})

/** An open object of a collection. */
export interface CollectionObject {
  readonly object: OpenObject<ObjectProtocol>
  readonly history: CollectionHistory
}

/** Opens the object. */
export function openCollection(ctx: DurableObjectState, env: Environment, clients: ControllerClients): CollectionObject {
  const database = new Database(ctx.storage, ctx.id.name)
  const name = knownName(database)
  const requested = new RequestedHistory(ctx.storage, clusterOf(name), objectSettings(env))
  const loopback = new Loopback()
  const kernel = openKernel({ ctx, env, clients, database, name, placement: 'collections', history: requested, loopback })
  const { client, store, registry } = kernel
  const { group, resource } = collectionOf(name)
  const prefix = prefixOfCollection(group, resource)
  const use = clusterUse(kernel)
  const copies = new ObjectCopies(kernel, use)
  const definition = new CollectionDefinition(
    ctx.storage,
    client,
    `${resource}.${group}`,
    collectionStateOf(kernel, copies, () => database.hasTables),
  )
  const history = new CollectionHistory(kernel, requested)
  const parts = objectFeatures(kernel, {
    contents: { prefixes: () => [prefix], mayHold: (collection) => collection === prefix, names: () => undefined },
    copies,
    copyRules: { isParent: (cluster) => cluster === kernel.cluster, copy: (prefixes) => copies.copy(prefixes) },
    customKind: (of) => (definition.storageKind?.storage.prefix === of ? definition.storageKind : undefined),
    quotaControl: remoteQuotaControl(client.control()),
    use,
    clusterUid: () => '',
    keptFrom: () => history.keptFrom(),
  })
  const register = async (registration: CollectionRegistration): Promise<NamespacePhase | null> => {
    definition.store()
    const { phase = 'Active', ...ranges } = await send(client.control(), controlProtocol.register, registration)
    if (registration.isFirst && phase === 'Active') parts.usage.limit(ranges)
    return phase
  }
  const registrations = new Registrations(ctx.storage, register)
  const begin = async (): Promise<void> => {
    await bootstrapCollections(kernel, registry)
    await kernel.queues.start((collection) => !copies.has(collection))
    object.enterMemory()
  }
  copies.onFinished(async (collection) => {
    store.reopen()
    await finishCopy(kernel, collection)
  })
  const membership = new CollectionMembership(kernel, prefix, copies, begin)
  const object = new OpenObject(
    kernel,
    {
      receiver,
      handlers: {
        ...parts.handlers,
        metrics: () => measureObject(kernel, [prefix]),
        revokeRegistration: ({ namespace }) => registrations.revoke(namespace),
        historyChanged: (change) => history.changed(change),
      },
      features: [
        membership,
        ...parts.features,
        customResources(definition),
        {
          // A create waits until the control object has registered the collection, so that namespace deletions find its objects.
          registry: {
            namespacePhase: ({ kind, namespace, lookups }) => registrations.phaseOf(kind, namespace, lookups),
          },
          copied: (_, version, time) => database.endHistory(version, time),
        },
      ],
      copies,
      sockets: parts.sockets,
      loopback,
    },
    { isReadable: (uid) => !parts.restoration.isRestoring && membership.isOf(uid) },
  )
  // A collection of a fork begins when its objects have been copied.
  startObject(object, parts, begin, () => membership.isSettled)
  return { object, history }
}
