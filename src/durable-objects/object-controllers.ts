/** The controllers of the collections in a Durable Object. */
import { ClusterAddresses } from '../clusters/cluster-path.ts'
import { defaultCluster } from '../clusters/placement.ts'
import type { AlarmPart } from '../controllers/alarms.ts'
import { isForkedToken } from '../controllers/cluster/forked-secrets.ts'
import { authenticationData } from '../controllers/cluster-authentication/wiring.ts'
import { controllersOf, type PlacedController } from '../controllers/collection-controllers.ts'
import type { ControllerContext } from '../controllers/controller.ts'
import type { Feature, Kernel } from '../controllers/kernel.ts'
import type { StoreEvent } from '../storage/store.ts'

/** The context of an object's controllers, without their collection. */
export type ClusterContext = Omit<ControllerContext, 'collection'>

/** Returns the context of an object's controllers: parts of the object, and the settings of the deployment. */
export function clusterContextOf({
  settings,
  cluster,
  client,
  clusterClient,
  registry,
  writesOf,
  controllers,
}: Kernel): ClusterContext {
  const isDefault = cluster === defaultCluster
  return {
    cluster,
    collections: client,
    clusterClient,
    registry: () => registry,
    writesOf,
    rootCertificate: settings.rootCertificate,
    authentication: isDefault ? authenticationData(settings) : {},
    advertised: settings.advertiseAddress,
    serverAddress: settings.serverAddress,
    addresses: new ClusterAddresses(settings.clusterDomain),
    // Only the default cluster signs for others.
    adminToken: isDefault ? settings.adminToken : '',
    clusterFinalizerSeconds: settings.clusterFinalizerSeconds,
    enabled: controllers,
  }
}

/** The controllers of one Durable Object. */
export class ObjectControllers implements Feature {
  readonly jobs: readonly AlarmPart[]
  readonly #kernel: Kernel
  readonly #controllers: readonly PlacedController[]

  constructor(kernel: Kernel, context: ClusterContext) {
    const { name, placement, outbox, outboxOfWrites } = kernel
    this.#kernel = kernel
    this.#controllers = controllersOf({ name, placement }, context)
    this.jobs = [outbox, outboxOfWrites]
    for (const { reconcilers } of this.#controllers) {
      outbox.handle(reconcilers)
      outboxOfWrites.handle(reconcilers)
    }
  }

  /** Starts the controllers of the collections that are wanted. */
  async start(isWanted: (collection: string) => boolean): Promise<void> {
    for (const { prefix, start } of this.#controllers) if (isWanted(prefix.slice(0, -1))) await start?.()
  }

  /** Records the work that follows from a change, within its commit. */
  changed(event: StoreEvent): void {
    const { outbox, outboxOfWrites } = this.#kernel
    for (const { prefix, enqueue, isPartOfWrites } of this.#controllers) {
      if (!event.object.key.startsWith(prefix)) continue
      const entries = enqueue(event) ?? []
      const queue = isPartOfWrites === true ? outboxOfWrites : outbox
      for (const entry of typeof entries === 'string' ? [entries] : entries) queue.add(entry)
    }
  }

  /** Records the work that may not have been finished where an object comes from. */
  arrived(event: StoreEvent, isUnfinished: boolean): void {
    if (isUnfinished || isForkedToken(event.object)) this.changed(event)
  }
}
