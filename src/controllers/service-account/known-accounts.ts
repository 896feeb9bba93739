/**
 * The ServiceAccounts whose tokens are in use, in the memory of the control object: a Worker learns of the account with the rules.
 * The collection of ServiceAccounts reports deletions.
 */
import type { CollectionClient } from '../../clusters/collection-client.ts'
import type { AccountFacts } from '../../clusters/policy-renewals.ts'
import { findObject } from '../../clusters/read-object.ts'
import { LruCache } from '../../meta/lru-cache.ts'

/** The maximum number of accounts. */
const most = 1000

/** The time in milliseconds for which an account is used if a report of its deletion is delayed. */
const longestDelay = 60_000

interface Known {
  readonly facts: AccountFacts
  readonly at: number
}

export class KnownAccounts {
  readonly #objects: CollectionClient
  /** The accounts by the texts that ask for them. */
  readonly #known = new LruCache<string, Known>(most)
  /** The number of reports: an account that was read before the newest one is not kept. */
  #reports = 0

  constructor(objects: CollectionClient) {
    this.#objects = objects
  }

  /**
   * Returns an account; undefined if it does not exist. It is read from its collection if it is not known with this uid.
   * @param text the account's namespace, name and uid as JSON
   */
  async find(text: string): Promise<AccountFacts | undefined> {
    const at = Date.now()
    const known = this.#known.get(text)
    if (known !== undefined && at - known.at < longestDelay) return known.facts
    const reports = this.#reports
    const { namespace, name, uid: expected } = JSON.parse(text) as Readonly<Record<'namespace' | 'name' | 'uid', string>>
    const found = await findObject(this.#objects, { resource: 'serviceaccounts', namespace, name })
    if (found === undefined) return undefined
    const { uid, deletionTimestamp } = found.metadata
    const facts = {
      metadata: { ...(uid !== undefined && { uid }), ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
    }
    if (reports === this.#reports && uid === expected) this.#known.set(text, { facts, at })
    return facts
  }

  /** Forgets all accounts, because some of them have been deleted. */
  forget(): void {
    this.#reports++
    this.#known.clear()
  }
}
