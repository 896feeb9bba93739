/**
 * Facts about other collections that decide about writes, such as the ServiceAccount of a new Pod or the default StorageClass. A
 * found fact may be one second old; a missing one is read each time.
 */
import { LruCache } from '../meta/lru-cache.ts'
import { memoryBudget } from '../meta/memory-budget.ts'

/** The maximum age of a fact, in milliseconds. */
const maximumAge = 1000
/** The most bytes of cached facts. */
const mostBytes = 4 * 1024 * 1024
/** The bytes that a fact takes besides its content. */
const overheadBytes = 200

interface Remembered {
  readonly fact: unknown
  readonly at: number
  /** The number of invalidations of its collection before it was read. */
  readonly generation: number
  readonly bytes: number
}

/** Returns the approximate memory of a fact: an object takes about twice as much as its JSON. */
const bytesOf = (fact: unknown): number => 2 * (JSON.stringify(fact)?.length ?? 0) + overheadBytes

/**
 * The facts of one cluster in this isolate.
 * @example
 * const reads = new ReadCache()
 * const account = await reads.find('serviceaccounts', 'shop/cart', () => findObject(client, cart))
 * reads.invalidate('serviceaccounts') // after a write to an account
 */
export class ReadCache {
  readonly #facts = new LruCache<string, Remembered>(mostBytes, (_key, { bytes }) => bytes, memoryBudget)
  /** The number of invalidations of each collection. */
  readonly #generations = new Map<string, number>()

  /**
   * Returns a fact, from the cache if it is recent.
   * @param collection the prefix of the collection's keys, for example `serviceaccounts`
   * @param key the name of the fact within the collection
   * @param read reads the fact. Each request reads it itself: the runtime cancels a request that awaits I/O of another one.
   * @returns undefined if the fact is missing
   */
  async find<T>(collection: string, key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const name = `${collection}\n${key}`
    const generation = this.#generations.get(collection) ?? 0
    const remembered = this.#facts.get(name)
    const at = Date.now()
    if (remembered?.generation === generation && at - remembered.at < maximumAge) return remembered.fact as T
    const fact = await read()
    // After an invalidation in the meantime the fact has an old generation.
    if (fact !== undefined) this.#facts.set(name, { fact, at, generation, bytes: bytesOf(fact) })
    return fact
  }

  /** Forgets the facts of a collection after a write to it, so that the next request through this isolate sees the write. */
  invalidate(collection: string): void {
    this.#generations.set(collection, (this.#generations.get(collection) ?? 0) + 1)
  }
}
