/** Reports of control objects about their clusters: the usage in the status, and the deletion of expired clusters. */
import { type ClusterReport, type ClusterUse, clusterReportPath } from '../../clusters/cluster-terms.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import type { ClusterPlacement } from '../../clusters/placement.ts'
import { fetchInner } from '../../clusters/protocol.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { ApiError } from '../../meta/errors.ts'
import { serverManager } from '../../meta/managers.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { applyIn } from '../../registry/apply.ts'
import { remove } from '../../registry/delete.ts'
import { objectOf } from '../../registry/stored-object.ts'
import type { ControllerContext } from '../controller.ts'
import { clusterCollection, clusterPrefix, clusterStorage, clusterTarget, clusterVersion } from './collection.ts'

/** The status of a Cluster object. */
export interface ClusterStatus {
  readonly phase?: string
  readonly observedGeneration?: number
  readonly expiresAt?: string
  readonly objects?: number
  readonly bytes?: number
  readonly placement?: ClusterPlacement
  readonly jurisdiction?: string
  readonly forkedFrom?: { readonly name: string; readonly time: string }
}

/** A Cluster object with its status. */
export interface ClusterWithStatus extends KubernetesObject {
  status?: ClusterStatus
}

/** Sends a report to the object that holds the Cluster objects. @param root the client of the default cluster */
export async function sendReport(root: CollectionClient, report: ClusterReport): Promise<void> {
  const stub = root.get(await root.placementOf(clusterStorage))
  const response = await fetchInner(stub, clusterReportPath, { method: 'POST', body: JSON.stringify(report) })
  await response.body?.cancel()
}

/**
 * Writes the status of a cluster as the server's own manager.
 * @param statusOf returns the status from the current object; undefined to leave it as it is
 */
export async function writeStatus(
  { registry }: Pick<ControllerContext, 'registry'>,
  name: string,
  statusOf: (cluster: ClusterWithStatus) => JsonObject | undefined,
): Promise<void> {
  const { group, resource } = clusterCollection
  const kind = registry().kindOf(group, clusterVersion, resource)
  if (kind === undefined) return
  const target = clusterTarget(name, 'status')
  const write = { manager: serverManager, dryRun: false } as const
  await registry().store.write((transaction) => {
    const stored = transaction.get(clusterPrefix + name)
    const status = stored === undefined ? undefined : statusOf(objectOf(stored) as ClusterWithStatus)
    if (status === undefined) return
    const configuration = { apiVersion: `${group}/${clusterVersion}`, kind: 'Cluster', metadata: { name }, status }
    applyIn({ registry: registry(), transaction, kind, target, write }, { configuration, force: true })
  })
}

/** Handles a report. One about a cluster that does not exist any more is ignored. */
export async function receiveReport(context: Pick<ControllerContext, 'registry'>, report: ClusterReport): Promise<void> {
  if (report.state === 'expired') return deleteExpired(context, report)
  await writeStatus(context, report.name, ({ metadata, status = {} }) =>
    metadata.uid === report.uid ? withUse(status, report.use) : undefined,
  )
}

/** Returns a status with another usage. */
export const withUse = (status: object, { objects, bytes }: ClusterUse): JsonObject => ({
  ...(status as JsonObject),
  objects,
  bytes,
})

async function deleteExpired({ registry }: Pick<ControllerContext, 'registry'>, { name, uid }: ClusterReport): Promise<void> {
  const { group, resource } = clusterCollection
  const kind = registry().kindOf(group, clusterVersion, resource)
  if (kind === undefined) return
  try {
    await remove({ registry: registry(), kind, target: clusterTarget(name, ''), options: { uid }, dryRun: false })
  } catch (error) {
    if (!(error instanceof ApiError) || (error.reason !== 'NotFound' && error.reason !== 'Conflict')) throw error
  }
}
