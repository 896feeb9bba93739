/** Reports of control objects about their clusters, and the status of Cluster objects. */

import type { ClusterReport, ClusterUse } from '../../clusters/cluster-terms.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { send } from '../../clusters/message.ts'
import { objectProtocol } from '../../clusters/object-protocol.ts'
import type { ClusterPlacement } from '../../clusters/placement.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { serverManager } from '../../meta/managers.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { applyIn } from '../../registry/apply.ts'
import { objectOf } from '../../registry/stored-object.ts'
import type { Kernel } from '../kernel.ts'
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
  await send(stub, objectProtocol.reportCluster, report)
}

/**
 * Writes the status of a cluster as the server's own manager.
 * @param statusOf returns the status from the current object; undefined to leave it as it is
 */
export async function writeStatus(
  { registry }: Pick<Kernel, 'registry'>,
  name: string,
  statusOf: (cluster: ClusterWithStatus) => JsonObject | undefined,
): Promise<void> {
  const { group, resource } = clusterCollection
  const kind = registry.kindOf(group, clusterVersion, resource)
  if (kind === undefined) return
  const target = clusterTarget(name, 'status')
  const write = { manager: serverManager, dryRun: false } as const
  await registry.store.write((transaction) => {
    const stored = transaction.get(clusterPrefix + name)
    const status = stored === undefined ? undefined : statusOf(objectOf(stored) as ClusterWithStatus)
    if (status === undefined) return
    const configuration = { apiVersion: `${group}/${clusterVersion}`, kind: 'Cluster', metadata: { name }, status }
    applyIn({ registry: registry, transaction, kind, target, write }, { configuration, force: true })
  })
}

/** Whether the time of a cluster is over: nothing makes it again. */
export const isExpired = ({ phase }: ClusterStatus): boolean => phase === 'Expired'

/** Writes the usage in a report. One about a cluster that does not exist any more is ignored. */
export async function receiveUse(context: Pick<Kernel, 'registry'>, report: ClusterReport): Promise<void> {
  await writeStatus(context, report.name, ({ metadata, status = {} }) =>
    metadata.uid === report.uid && !isExpired(status) ? withUse(status, report.use) : undefined,
  )
}

/** Returns a status with another usage. */
export const withUse = (status: object, { objects, bytes }: ClusterUse): JsonObject => ({
  ...(status as JsonObject),
  objects,
  bytes,
})
