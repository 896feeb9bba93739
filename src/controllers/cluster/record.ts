/**
 * The record of a named cluster in its control object. Without it the cluster does not exist: its control object answers nothing
 * and stores nothing. The default cluster needs none.
 */
import type { ClusterTerms } from '../../clusters/cluster-terms.ts'
import { clusterOf, defaultCluster } from '../../clusters/placement.ts'

/** The storage keys of the record: the uid, the terms, and the mark of a deletion that has begun. */
const uidKey = 'cluster'
const termsKey = 'cluster/terms'
const deletionKey = 'cluster/deletion'

/** Whether an entry belongs to the record. The record belongs to the place and not to the contents: backups leave it alone. */
export const isRecordKey = (key: string): boolean => key === uidKey || key === termsKey || key === deletionKey

/** `absent`: there is no cluster; `deleting`: its deletion has begun, and must be completed. */
type ClusterState = 'absent' | 'exists' | 'deleting'

/** The record of one cluster. It is read once: only its control object changes it. */
export class ClusterRecord {
  readonly #kv: SyncKvStorage
  readonly #name: string
  #uid: string
  #terms: ClusterTerms | undefined
  #isDeleting: boolean

  /** @param objectName the name of the control object */
  constructor({ kv }: Pick<DurableObjectStorage, 'kv'>, objectName: string) {
    this.#kv = kv
    this.#name = clusterOf(objectName)
    const isNamed = this.#name !== defaultCluster
    this.#uid = (isNamed ? kv.get<string>(uidKey) : undefined) ?? ''
    this.#terms = isNamed ? kv.get<ClusterTerms>(termsKey) : undefined
    this.#isDeleting = isNamed && kv.get<boolean>(deletionKey) === true
  }

  /** The name of the cluster. */
  get cluster(): string {
    return this.#name
  }

  get state(): ClusterState {
    if (this.#isDeleting) return 'deleting'
    return this.#name === defaultCluster || this.#uid !== '' ? 'exists' : 'absent'
  }

  /** Whether the cluster exists. */
  get exists(): boolean {
    return this.state === 'exists'
  }

  /** The uid of the Cluster object; '' for the default cluster. */
  get uid(): string {
    return this.#uid
  }

  /** The terms; undefined for a cluster without a Cluster object, such as one under test. */
  get terms(): ClusterTerms | undefined {
    return this.#terms
  }

  /** Records that the cluster exists, and its terms. Returns whether anything has changed. */
  set(uid: string, terms: ClusterTerms | undefined): boolean {
    if (uid === this.#uid && JSON.stringify(terms) === JSON.stringify(this.#terms)) return false
    this.#uid = uid
    this.#terms = terms
    this.#kv.put(uidKey, uid)
    if (terms !== undefined) this.#kv.put(termsKey, terms)
    return true
  }

  /** Records that the deletion of the cluster has begun: from now on it does not exist, and holds no further collections. */
  beginDeletion(): void {
    this.#isDeleting = true
    this.#kv.put(deletionKey, true)
  }
}
