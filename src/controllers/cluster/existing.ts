/** Tells which names are those of clusters, from the Cluster objects of the default cluster. */
import { clusterNamesPath } from '../../clusters/cluster-names.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import type { PolicyCache } from '../../clusters/policy.ts'
import { fetchInner } from '../../clusters/protocol.ts'
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
  const response = await fetchInner(holder, clusterNamesPath, { method: 'POST', body: JSON.stringify(names) })
  return new Set((await response.json()) as readonly string[])
}
