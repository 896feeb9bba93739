/**
 * The record of a named cluster in its control object. Without it the cluster does not exist: its control object answers nothing
 * and stores nothing. The default cluster needs none.
 */
import type { Fork } from '../../clusters/fork-messages.ts'
import { type ClusterPlacement, clusterOf, defaultCluster } from '../../clusters/placement.ts'

/** The inner path at which the record is set: PUT with a WantedCluster. */
export const clusterRecordPath = '/cluster'

/** A cluster as it shall be. */
export interface WantedCluster {
  /** The uid of the Cluster object; '' if there must be no cluster. */
  readonly uid: string
  /** The placement of a new cluster. */
  readonly placement: ClusterPlacement
  /** The moment of another cluster with whose objects a new cluster begins. */
  readonly fork?: Fork
}

/** The storage key of the record. It belongs to the place and not to the contents: backups and restores leave it alone. */
export const recordKey = 'cluster'

/** The record of one cluster. */
export class ClusterRecord {
  readonly #kv: SyncKvStorage
  readonly #name: string

  /** @param objectName the name of the control object */
  constructor({ kv }: Pick<DurableObjectStorage, 'kv'>, objectName: string) {
    this.#kv = kv
    this.#name = clusterOf(objectName)
  }

  /** The name of the cluster. */
  get cluster(): string {
    return this.#name
  }

  /** Whether the cluster exists. */
  get exists(): boolean {
    return this.#name === defaultCluster || this.#kv.get<string>(recordKey) !== undefined
  }

  /** The uid of the Cluster object; '' for the default cluster. */
  get uid(): string {
    return this.#kv.get<string>(recordKey) ?? ''
  }

  /** Records that the cluster exists. */
  set(uid: string): void {
    this.#kv.put(recordKey, uid)
  }
}
