/**
 * Facts that expressions of policies need: their parameters and Namespaces. They are cached in the Worker for at most one second,
 * and until the next write to their resource through the same Worker.
 */
import { LruCache } from '../meta/lru-cache.ts'

/** The maximum age of a fact in milliseconds. */
const maximumAge = 1000
const mostFacts = 1000

interface Known {
  /** The prefix of the collection from which the fact was read. */
  readonly prefix: string
  readonly at: number
  readonly fact: unknown
}

/** A fact, and the prefix of the collection from which it was read. */
export interface ReadFact<T> {
  readonly prefix: string
  readonly fact: T
}

/** The facts of one cluster in this isolate. */
export class PolicyFacts {
  readonly #known = new LruCache<string, Known>(mostFacts)
  /** The times before which facts of a collection are outdated, by its prefix. */
  readonly #since = new Map<string, number>()

  /**
   * Returns a fact.
   * @param read reads it if no current one is cached. Each request reads itself: the runtime cancels a request that awaits I/O of
   *   another one
   */
  async get<T>(key: string, read: () => Promise<ReadFact<T>>): Promise<T> {
    const known = this.#known.get(key)
    const at = Date.now()
    if (known !== undefined && at - known.at < maximumAge && known.at >= (this.#since.get(known.prefix) ?? 0))
      return known.fact as T
    const { prefix, fact } = await read()
    this.#known.set(key, { prefix, at, fact })
    if (!this.#since.has(prefix)) this.#since.set(prefix, 0)
    return fact
  }

  /** Makes the facts of a collection be read again, because the caller has just changed an object in it. */
  invalidate(prefix: string): void {
    if (this.#since.has(prefix)) this.#since.set(prefix, Date.now() + 1)
  }
}
