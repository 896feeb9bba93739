/** The features that every Durable Object of a cluster has. */
import { ArchiveSignatures } from '../auth/archive-signatures.ts'
import type { Kind } from '../catalog/kind.ts'
import type { Handlers } from '../clusters/message.ts'
import type { ObjectProtocol } from '../clusters/object-protocol.ts'
import { bootstrapCollections } from '../controllers/bootstrap/places.ts'
import type { ObjectUse } from '../controllers/cluster/use.ts'
import { collectionControllers } from '../controllers/controllers.ts'
import { GarbageCollector } from '../controllers/garbage-collector/wiring.ts'
import type { Feature, Kernel } from '../controllers/kernel.ts'
import { CollectionUsage } from '../controllers/resource-quota/collection-usage.ts'
import type { QuotaControl } from '../controllers/resource-quota/quota-control.ts'
import { WatchSockets } from '../registry/watch-sockets.ts'
import { Backup } from './backup/backup.ts'
import { type ObjectContents, Restoration } from './backup/restore.ts'
import { backups } from './features/backups.ts'
import { clusterObjects } from './features/cluster-objects.ts'
import { type CopyRules, copies as copiesFeature } from './features/copies.ts'
import { maintenance } from './features/maintenance.ts'
import { owners } from './features/owners.ts'
import { clusterUsage, quotaUsage } from './features/usage.ts'
import type { ObjectCopies } from './object-copies.ts'
import { collectionOfPlace } from './object-name.ts'

/** The parts of an object that its class decides about. */
export interface ClassParts {
  readonly contents: ObjectContents
  readonly copies: ObjectCopies
  readonly copyRules: CopyRules
  /** Returns the kind of the custom resources with this prefix in its storage version, if the object holds them. */
  readonly customKind: (prefix: string) => Kind | undefined
  readonly quotaControl: QuotaControl
  /** The usage of the cluster; undefined in the default cluster. */
  readonly use: ObjectUse | undefined
  /** Returns the uid of the object's cluster; '' if it is not known here, or the default cluster. */
  readonly clusterUid: () => string
  readonly keptFrom: () => Promise<number>
}

/** The features of an object, and the parts of them that its class needs. */
export interface ObjectFeatures {
  readonly features: readonly Feature[]
  /** All but those that a class has of its own. */
  readonly handlers: Omit<Handlers<ObjectProtocol>, 'metrics' | 'revokeRegistration' | 'historyChanged'>
  readonly sockets: WatchSockets
  readonly restoration: Restoration
  readonly usage: CollectionUsage
}

/** Makes the features. @param continueRestore goes on with the restore of a cluster in its alarm */
export function objectFeatures(
  kernel: Kernel,
  { contents, copies, copyRules, customKind, quotaControl, use, clusterUid, keptFrom }: ClassParts,
  continueRestore?: (restoration: Restoration) => Promise<void>,
): ObjectFeatures {
  const { queues } = kernel
  queues.open(collectionControllers, kernel)
  const collector = new GarbageCollector(kernel, customKind)
  const usage = new CollectionUsage(kernel, quotaControl)
  const signatures = new ArchiveSignatures(kernel.settings.adminToken, clusterUid)
  const backup = new Backup(kernel, contents, signatures)
  const restoration = new Restoration(kernel, { signatures, contents, use })
  const sockets = new WatchSockets(kernel.ctx, kernel.registry)
  const ofBackups = backups(backup, restoration, continueRestore && (() => continueRestore(restoration)))
  const ofOwners = owners(collector, copies)
  const ofQuotas = quotaUsage(usage, copyRules.copy)
  const ofCopies = copiesFeature(kernel, copies, copyRules)
  const ofMaintenance = maintenance(kernel, backup, keptFrom)
  const ofClusters = clusterObjects(kernel)
  return {
    features: [
      ofBackups,
      ofOwners,
      ofQuotas,
      clusterUsage(kernel, use),
      queues,
      { jobs: [sockets] },
      ofCopies,
      ofMaintenance,
      ofClusters,
    ],
    handlers: {
      ...ofBackups.handlers,
      ...ofOwners.handlers,
      ...ofQuotas.handlers,
      ...ofCopies.handlers,
      ...ofMaintenance.handlers,
      ...ofClusters.handlers,
    },
    sockets,
    restoration,
    usage,
  }
}

/** Makes what belongs to a copied collection from the beginning, and starts its controllers. */
export async function finishCopy(kernel: Kernel, prefix: string): Promise<void> {
  await bootstrapCollections(kernel, kernel.registry, (place) => collectionOfPlace(place) !== prefix)
  await kernel.queues.start((collection) => collection === prefix)
  await kernel.alarms.arm()
}
