/** The placement of a cluster in its control object, which stores it when the cluster is made. */
import { type ClusterPlacement, clusterOf, defaultCluster } from '../clusters/placement.ts'
import { objectSettings, type SettingTexts } from '../config/settings.ts'
import { logWarning } from '../meta/log.ts'
import type { Database } from '../storage/database.ts'

/** The storage key of the placement. */
export const placementKey = 'placement'

/**
 * Returns the placement of a control object's cluster: for a new one the given one, which `keepPlacement` stores. Later settings
 * change nothing: the objects of the cluster would be looked for where they are not.
 * @param isUsed whether the control object has ever written anything
 * @param ofNew the placement of a new cluster
 */
export function placementIn(
  { kv }: Pick<DurableObjectStorage, 'kv'>,
  isUsed: boolean,
  ofNew: ClusterPlacement,
): ClusterPlacement {
  // Earlier releases stored none.
  return kv.get<ClusterPlacement>(placementKey) ?? (isUsed ? 'collections' : ofNew)
}

/** Returns the placement of the cluster of a control object. */
export function placementOfCluster(
  storage: Pick<DurableObjectStorage, 'kv'>,
  { name = '', hasTables }: Database,
  environment: SettingTexts,
): ClusterPlacement {
  if (clusterOf(name) !== defaultCluster) return placementIn(storage, hasTables, 'one-object')
  const { placement: setting } = objectSettings(environment)
  const placement = placementIn(storage, hasTables, setting)
  if (placement !== setting) logWarning(`PLACEMENT is ${setting}, but the cluster was made with ${placement}, and keeps it`)
  return placement
}

/** Stores the placement of a cluster that is being made. */
export function keepPlacement({ kv }: Pick<DurableObjectStorage, 'kv'>, placement: ClusterPlacement): void {
  if (kv.get<ClusterPlacement>(placementKey) !== placement) kv.put(placementKey, placement)
}
