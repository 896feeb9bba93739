/** ServiceAccounts as Pods' admission needs them: one that is there may be a second old, one that is not is looked for each time. */
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { findObject } from '../../clusters/read-object.ts'
import { LruCache } from '../../meta/lru-cache.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'

/** How old, in milliseconds, an account may be. */
const maximumAge = 1000
/** Accounts that are remembered. */
const maximumRemembered = 1000

/** A ServiceAccount, as far as its Pods are concerned. */
export interface ServiceAccount extends KubernetesObject {
  automountServiceAccountToken?: boolean
  imagePullSecrets?: { name?: string }[]
  secrets?: { name?: string }[]
}

interface Remembered {
  readonly account: Promise<ServiceAccount | undefined>
  readonly at: number
}

/** One cluster's accounts in this isolate. */
export class AccountCache {
  readonly #objects: CollectionClient
  readonly #remembered = new LruCache<string, Remembered>(maximumRemembered)

  constructor(objects: CollectionClient) {
    this.#objects = objects
  }

  /** The account; undefined where there is none. */
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

  /** Who writes to accounts here and then creates a Pod is to see what they wrote. */
  invalidate(): void {
    this.#remembered.clear()
  }
}
