/** The controllers of the collections in a Durable Object, and the outboxes with their work. */
import { ClusterAddresses } from '../clusters/cluster-path.ts'
import { defaultCluster, type PlacedObject } from '../clusters/placement.ts'
import type { Environment } from '../config/environment.ts'
import { objectSettings } from '../config/settings.ts'
import { type ControllerClients, writesInCluster } from '../controllers/admitted-writes.ts'
import { authenticationData } from '../controllers/cluster-authentication/wiring.ts'
import { controllersOf, type PlacedController } from '../controllers/collection-controllers.ts'
import type { ControllerContext } from '../controllers/controller.ts'
import { Outbox, outboxOfWrites, type Reconciler } from '../controllers/outbox.ts'
import type { Registry } from '../registry/registry.ts'
import type { StoreEvent } from '../storage/store.ts'

/** The context of an object's controllers, without their collection. */
export type ClusterContext = Omit<ControllerContext, 'collection'>

/** Returns the context of an object's controllers: the given parts of the object, and the settings of the deployment. */
export function clusterContextOf(
  environment: Environment,
  clients: ControllerClients,
  parts: Pick<ClusterContext, 'cluster' | 'collections' | 'registry' | 'clusterClient'>,
): ClusterContext {
  const { cluster, collections, registry } = parts
  const settings = objectSettings(environment)
  const currentAdmission: Registry['currentAdmission'] = () => registry().currentAdmission()
  return {
    ...parts,
    writesOf: writesInCluster({ collections, currentAdmission, client: (user) => clients(environment, cluster, user) }),
    rootCertificate: settings.rootCertificate,
    authentication: parts.cluster === defaultCluster ? authenticationData(settings) : {},
    advertised: settings.advertiseAddress,
    serverAddress: settings.serverAddress,
    addresses: new ClusterAddresses(settings.clusterDomain),
    // Only the default cluster signs for others.
    adminToken: parts.cluster === defaultCluster ? settings.adminToken : '',
    clusterFinalizerSeconds: settings.clusterFinalizerSeconds,
    enabled: settings.controllers,
  }
}

/** The parts of the Durable Object that its controllers need. */
interface ObjectControllersHost {
  readonly placed: PlacedObject
  readonly context: ClusterContext
  readonly storage: DurableObjectStorage
  readonly now: () => number
  /** The reconcilers of further outbox entries. */
  readonly reconcilers: Readonly<Record<string, Reconciler>>
}

/** The controllers of one Durable Object. */
export class ObjectControllers {
  readonly outbox: Outbox
  /** The outbox of work for which the response of a write waits. */
  readonly outboxOfWrites: Outbox
  readonly #controllers: readonly PlacedController[]

  constructor({ placed, context, storage, now, reconcilers }: ObjectControllersHost) {
    this.#controllers = controllersOf(placed, context)
    const all = Object.assign({}, ...this.#controllers.map((controller) => controller.reconcilers), reconcilers)
    this.outbox = new Outbox(storage, all, undefined, now)
    this.outboxOfWrites = new Outbox(storage, all, outboxOfWrites, now)
  }

  /** Starts the controllers of the collections that are wanted. */
  async start(isWanted: (collection: string) => boolean): Promise<void> {
    for (const { prefix, start } of this.#controllers) if (isWanted(prefix.slice(0, -1))) await start?.()
  }

  /** Records the work that follows from a change, within its commit. */
  enqueue(event: StoreEvent): void {
    for (const { prefix, enqueue, isPartOfWrites } of this.#controllers) {
      if (!event.object.key.startsWith(prefix)) continue
      const entries = enqueue(event) ?? []
      const outbox = isPartOfWrites === true ? this.outboxOfWrites : this.outbox
      for (const entry of typeof entries === 'string' ? [entries] : entries) outbox.add(entry)
    }
  }
}
