/** A cache of webhook answers with an expiry for each. The oldest entry is evicted first. */
import { LruCache } from '../../meta/lru-cache.ts'

interface Entry<T> {
  readonly value: T
  /** Milliseconds since the epoch. */
  readonly until: number
}

export class ResponseCache<T> {
  readonly #entries: LruCache<string, Entry<T>>
  readonly #now: () => number

  /** @param maximum the maximum number of entries */
  constructor(maximum: number, now: () => number) {
    this.#entries = new LruCache(maximum)
    this.#now = now
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.until > this.#now()) return entry?.value
    this.#entries.delete(key)
    return undefined
  }

  /** @param duration milliseconds */
  set(key: string, value: T, duration: number): void {
    if (duration <= 0) return
    this.#entries.set(key, { value, until: this.#now() + duration })
  }
}
