/** The entries of a Durable Object's key-value storage that belong to its place in the deployment, and not to its contents. */
import { isRecordKey } from '../../controllers/cluster/record.ts'
import { collectionKey } from '../../controllers/namespace/collections.ts'
import { forkKey } from '../cluster-fork.ts'
import { placementKey } from '../cluster-placement.ts'
import { copyPrefix } from '../fork-copies.ts'
import { isHoldKey } from '../fork-holds.ts'
import { historyKey } from '../object-history.ts'

/** Whether a restore leaves an entry as it is. No backup contains one of them. */
export const isOfPlace = (key: string): boolean =>
  isRecordKey(key) ||
  isHoldKey(key) ||
  key === forkKey ||
  key.startsWith(copyPrefix) ||
  key === historyKey ||
  key === placementKey ||
  // The deletion of the cluster needs all objects that were ever written to.
  key.startsWith(collectionKey)
