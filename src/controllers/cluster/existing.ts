/** Tells which names are those of clusters, from the Cluster objects of the default cluster. */

import type { CollectionClient } from '../../clusters/collection-client.ts'
import { send } from '../../clusters/message.ts'
import { objectProtocol } from '../../clusters/object-protocol.ts'
import type { PolicyCache } from '../../clusters/policy.ts'
import { clusterStorage } from './collection.ts'

/**
 * Returns those of the names that are names of clusters.
 * @param client of the default cluster
 * @param policy of the default cluster
 */
export async function existingClusters(
  client: CollectionClient,
  policy: PolicyCache,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  // Without the definition, nobody has made a cluster.
  const { definitions } = await policy.current()
  if (!(clusterStorage.prefix in definitions)) return new Set()
  const holder = client.get(await client.placementOf(clusterStorage))
  return new Set(await send(holder, objectProtocol.clusterNames, names))
}
