/** The ServiceAccounts that Pod admission needs. A found account may be one second old; a missing one is looked up each time. */
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { findObject } from '../../clusters/read-object.ts'
import { LruCache } from '../../meta/lru-cache.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'

/** The maximum age of a cached account, in milliseconds. */
const maximumAge = 1000
/** The maximum number of cached accounts. */
const maximumRemembered = 1000

/** The fields of a ServiceAccount that Pod admission uses. */
export interface ServiceAccount extends KubernetesObject {
  automountServiceAccountToken?: boolean
  imagePullSecrets?: { name?: string }[]
  secrets?: { name?: string }[]
}

interface Remembered {
  readonly account: Promise<ServiceAccount | undefined>
  readonly at: number
}

/** The cached accounts of one cluster in this isolate. */
export class AccountCache {
  readonly #objects: CollectionClient
  readonly #remembered = new LruCache<string, Remembered>(maximumRemembered)

  constructor(objects: CollectionClient) {
    this.#objects = objects
  }

  /** Returns the account; undefined if it does not exist. */
  find(namespace: string, name: string): Promise<ServiceAccount | undefined> {
    const key = `${namespace}/${name}`
    const remembered = this.#remembered.get(key)
    const at = Date.now()
    if (remembered !== undefined && at - remembered.at < maximumAge) return remembered.account
    const account = findObject<ServiceAccount>(this.#objects, { resource: 'serviceaccounts', namespace, name })
    this.#remembered.set(key, { account, at })
    account.then(
      (found) => {
        if (found === undefined) this.#remembered.delete(key)
      },
      () => this.#remembered.delete(key),
    )
    return account
  }

  /** Clears the cache after a write to an account, so that a Pod created afterwards through this isolate sees the write. */
  invalidate(): void {
    this.#remembered.clear()
  }
}
