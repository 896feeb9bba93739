/** A map with a maximum size that evicts the least recently used entries. */
import type { Cache, CacheShare, MemoryBudget } from './memory-budget.ts'

/**
 * Keeps entries up to a total size.
 * @example
 * const cache = new LruCache<string, string>(1_000_000, (key, text) => key.length + text.length)
 * cache.set('a', 'text')
 * cache.get('a') // 'text', which is now the last to be dropped
 */
export class LruCache<K, V> implements Cache {
  readonly #maximum: number
  readonly #sizeOf: ((key: K, value: V) => number) | undefined
  readonly #entries = new Map<K, V>()
  readonly #share: CacheShare | undefined
  #size = 0

  /**
   * @param maximum the total size that is kept
   * @param sizeOf the size of an entry, the same as long as it is kept; undefined to count entries
   * @param budget bounds the sizes of many caches together, in bytes
   */
  constructor(maximum: number, sizeOf?: (key: K, value: V) => number, budget?: MemoryBudget) {
    this.#maximum = maximum
    this.#sizeOf = sizeOf
    this.#share = budget?.share(this)
  }

  /** Returns the value, which becomes the most recently used; undefined if it is not kept. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, value)
    this.#share?.use()
    return value
  }

  /** Replaces the value of the key. An entry larger than the maximum is not kept. */
  set(key: K, value: V): void {
    this.delete(key)
    const size = this.#measure(key, value)
    if (size > this.#maximum) return
    this.#entries.set(key, value)
    this.#size += size
    if (this.#size > this.#maximum) this.#reduceTo(this.#maximum)
    this.#share?.add(size)
  }

  shed(bytes: number): void {
    this.#reduceTo(this.#size - bytes)
  }

  #reduceTo(maximum: number): void {
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= maximum) return
      this.delete(oldest)
    }
  }

  delete(key: K): void {
    const value = this.#entries.get(key)
    if (value === undefined) return
    const size = this.#measure(key, value)
    this.#entries.delete(key)
    this.#size -= size
    this.#share?.remove(size)
  }

  clear(): void {
    this.#entries.clear()
    this.#share?.remove(this.#size)
    this.#size = 0
  }

  #measure(key: K, value: V): number {
    return this.#sizeOf === undefined ? 1 : this.#sizeOf(key, value)
  }
}
