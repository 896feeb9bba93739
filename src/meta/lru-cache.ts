/** A map with a maximum size that evicts the least recently used entries. */

/**
 * Keeps entries up to a total size.
 * @example
 * const cache = new LruCache<string, string>(1_000_000, (key, text) => key.length + text.length)
 * cache.set('a', 'text')
 * cache.get('a') // 'text', which is now the last to be dropped
 */
export class LruCache<K, V> {
  readonly #maximum: number
  readonly #sizeOf: ((key: K, value: V) => number) | undefined
  readonly #entries = new Map<K, V>()
  #size = 0

  /**
   * @param maximum the total size that is kept
   * @param sizeOf the size of an entry, the same as long as it is kept; undefined to count entries
   */
  constructor(maximum: number, sizeOf?: (key: K, value: V) => number) {
    this.#maximum = maximum
    this.#sizeOf = sizeOf
  }

  /** Returns the value, which becomes the most recently used; undefined if it is not kept. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  /** Replaces the value of the key. An entry larger than the maximum is not kept. */
  set(key: K, value: V): void {
    this.delete(key)
    const size = this.#measure(key, value)
    if (size > this.#maximum) return
    this.#entries.set(key, value)
    this.#size += size
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#maximum) return
      this.delete(oldest)
    }
  }

  delete(key: K): void {
    const value = this.#entries.get(key)
    if (value === undefined) return
    this.#entries.delete(key)
    this.#size -= this.#measure(key, value)
  }

  clear(): void {
    this.#entries.clear()
    this.#size = 0
  }

  #measure(key: K, value: V): number {
    return this.#sizeOf === undefined ? 1 : this.#sizeOf(key, value)
  }
}
