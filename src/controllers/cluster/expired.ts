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
import type { ControllerContext } from '../controller.ts'
import { clusterCollection, clusterPrefix, clusterTarget, clusterVersion } from './collection.ts'
import { type ClusterWithStatus, isExpired, writeStatus } from './reports.ts'
import { tell } from './tell.ts'

const kindIn = ({ registry }: Pick<ControllerContext, 'registry'>) =>
  registry().kindOf(clusterCollection.group, clusterVersion, clusterCollection.resource)

/** Deletes the Cluster object. If finalizers keep it, its status says that the cluster is to end all the same. */
export async function deleteExpired(
  context: Pick<ControllerContext, 'registry'>,
  { name, uid }: Pick<ClusterReport, 'name' | 'uid'>,
): Promise<void> {
  const kind = kindIn(context)
  if (kind === undefined) return
  try {
    await remove({ registry: context.registry(), kind, target: clusterTarget(name, ''), options: { uid }, dryRun: false })
  } catch (error) {
    if (!(error instanceof ApiError) || (error.reason !== 'NotFound' && error.reason !== 'Conflict')) throw error
  }
  const message = 'the time of the cluster is over: it is deleted with its data, and its finalizers are removed after a grace'
  await writeStatus(context, name, ({ metadata, status }) => {
    if (metadata.uid !== uid || metadata.deletionTimestamp === undefined || status === undefined || isExpired(status))
      return undefined
    return { ...status, phase: 'Expired', message }
  })
}

/**
 * Ends a cluster whose object says `Expired`, and removes the finalizers when they have had their time.
 * @returns whether nothing is left to do; otherwise the caller looks again after a pause
 */
export async function endExpired(context: ControllerContext, cluster: ClusterWithStatus): Promise<boolean> {
  const { name = '', uid, deletionTimestamp = '' } = cluster.metadata
  const { status = {} } = cluster
  if (status.objects !== 0) {
    await tell(context, name, { uid: '', placement: 'one-object' })
    await writeStatus(context, name, (current) =>
      current.metadata.uid === uid ? { ...current.status, objects: 0, bytes: 0 } : undefined,
    )
  }
  const endedAt = Math.max(Date.parse(deletionTimestamp), Date.parse(status.expiresAt ?? deletionTimestamp))
  if (context.registry().now() < endedAt + context.clusterFinalizerSeconds * 1000) return false
  await removeFinalizers(context, name, uid)
  return true
}

/** Removes all finalizers of a Cluster object that is being deleted: with the last one it goes. */
async function removeFinalizers(context: ControllerContext, name: string, uid: string | undefined): Promise<void> {
  const kind = kindIn(context)
  if (kind === undefined) return
  const registry = context.registry()
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
