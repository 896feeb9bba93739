/**
 * The end of clusters whose time is over. A finalizer keeps the Cluster object, for a grace, and neither the cluster nor its data:
 * a client that may change the object could otherwise keep the cluster for ever.
 */
import type { ClusterReport } from '../../clusters/cluster-terms.ts'
import { ApiError } from '../../meta/errors.ts'
import { serverManager } from '../../meta/managers.ts'
import { remove } from '../../registry/delete.ts'
import { objectOf } from '../../registry/stored-object.ts'
import { updateIn } from '../../registry/update.ts'
import type { Outcome } from '../controller.ts'
import type { Kernel } from '../kernel.ts'
import { clusterCollection, clusterPrefix, clusterTarget, clusterVersion } from './collection.ts'
import { type ClusterWithStatus, isExpired, writeStatus } from './reports.ts'
import { tell } from './tell.ts'

const kindIn = ({ registry }: Pick<Kernel, 'registry'>) =>
  registry.kindOf(clusterCollection.group, clusterVersion, clusterCollection.resource)

/** Deletes the Cluster object. If finalizers keep it, its status says that the cluster is to end all the same. */
export async function deleteExpired(
  kernel: Pick<Kernel, 'registry'>,
  { name, uid }: Pick<ClusterReport, 'name' | 'uid'>,
): Promise<void> {
  const kind = kindIn(kernel)
  if (kind === undefined) return
  try {
    await remove({ registry: kernel.registry, kind, target: clusterTarget(name, ''), options: { uid }, dryRun: false })
  } catch (error) {
    if (!(error instanceof ApiError) || (error.reason !== 'NotFound' && error.reason !== 'Conflict')) throw error
  }
  const message = 'the time of the cluster is over: it is deleted with its data, and its finalizers are removed after a grace'
  await writeStatus(kernel, name, ({ metadata, status }) => {
    if (metadata.uid !== uid || metadata.deletionTimestamp === undefined || status === undefined || isExpired(status))
      return undefined
    return { ...status, phase: 'Expired', message }
  })
}

/**
 * Ends a cluster whose object says `Expired`, and removes the finalizers when they have had their time.
 * @returns later while the finalizers have time
 */
export async function endExpired(kernel: Kernel, cluster: ClusterWithStatus): Promise<Outcome> {
  const { name = '', uid, deletionTimestamp = '' } = cluster.metadata
  const { status = {} } = cluster
  if (status.objects !== 0) {
    await tell(kernel, name, { uid: '', placement: 'one-object' })
    await writeStatus(kernel, name, (current) =>
      current.metadata.uid === uid ? { ...current.status, objects: 0, bytes: 0 } : undefined,
    )
  }
  const endedAt = Math.max(Date.parse(deletionTimestamp), Date.parse(status.expiresAt ?? deletionTimestamp))
  if (kernel.registry.now() < endedAt + kernel.settings.clusterFinalizerSeconds * 1000) return 'later'
  await removeFinalizers(kernel, name, uid)
  return 'done'
}

/** Removes all finalizers of a Cluster object that is being deleted: with the last one it goes. */
async function removeFinalizers(kernel: Kernel, name: string, uid: string | undefined): Promise<void> {
  const kind = kindIn(kernel)
  if (kind === undefined) return
  const { registry } = kernel
  const write = { manager: serverManager, dryRun: false, fromPatch: true } as const
  await registry.store.write((transaction) => {
    const existing = transaction.get(clusterPrefix + name)
    if (existing === undefined) return
    const object = objectOf(existing)
    if (object.metadata.uid !== uid) return
    delete object.metadata.finalizers
    updateIn({ registry, transaction, kind, target: clusterTarget(name, ''), write }, { existing, object })
  })
}
