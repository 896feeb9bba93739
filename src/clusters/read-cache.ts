/**
 * Facts about other collections that decide about writes, such as the ServiceAccount of a new Pod or the default StorageClass. A
 * found fact may be one second old; a missing one is read each time.
 */
import { LruCache } from '../meta/lru-cache.ts'

/** The maximum age of a fact, in milliseconds. */
const maximumAge = 1000
/** The maximum number of cached facts of one collection. */
const maximumRemembered = 1000

interface Remembered {
  readonly fact: unknown
  readonly at: number
}

/**
 * The facts of one cluster in this isolate.
 * @example
 * const reads = new ReadCache()
 * const account = await reads.find('serviceaccounts', 'shop/cart', () => findObject(client, cart))
 * reads.invalidate('serviceaccounts') // after a write to an account
 */
export class ReadCache {
  readonly #collections = new Map<string, LruCache<string, Remembered>>()

  /**
   * Returns a fact, from the cache if it is recent.
   * @param collection the prefix of the collection's keys, for example `serviceaccounts`
   * @param key the name of the fact within the collection
   * @param read reads the fact. Each request reads it itself: the runtime cancels a request that awaits I/O of another one.
   * @returns undefined if the fact is missing
   */
  async find<T>(collection: string, key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const facts = this.#collections.get(collection) ?? new LruCache<string, Remembered>(maximumRemembered)
    this.#collections.set(collection, facts)
    const remembered = facts.get(key)
    const at = Date.now()
    if (remembered !== undefined && at - remembered.at < maximumAge) return remembered.fact as T
    const fact = await read()
    // After an invalidation in the meantime this cache is no longer used.
    if (fact !== undefined) facts.set(key, { fact, at })
    return fact
  }

  /** Forgets the facts of a collection after a write to it, so that the next request through this isolate sees the write. */
  invalidate(collection: string): void {
    this.#collections.delete(collection)
  }
}
