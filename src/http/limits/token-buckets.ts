/** Token buckets by key: so many requests a second, and so many at once. Bounded, whatever the keys. */

/** How fast a bucket fills, and how much it holds. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

interface Bucket {
  tokens: number
  at: number
}

/** Keys that are remembered. The one that has been quiet for longest is forgotten first: its bucket is the fullest. */
const maximumKeys = 10_000

/** The buckets of one isolate. */
export class TokenBuckets {
  readonly #rate: Rate
  readonly #buckets = new Map<string, Bucket>()

  constructor(rate: Rate) {
    this.#rate = rate
  }

  /**
   * Takes one token.
   * @param now milliseconds
   * @returns 0 where there was one, else in how many whole seconds there will be
   */
  take(key: string, now: number): number {
    const { perSecond, burst } = this.#rate
    const known = this.#buckets.get(key)
    const bucket = known ?? { tokens: burst, at: now }
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * perSecond)
    bucket.at = now
    // Last in the order of the map is last used.
    if (known !== undefined) this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > maximumKeys) this.#forgetOldest()
    if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond))
    bucket.tokens--
    return 0
  }

  #forgetOldest(): void {
    for (const key of this.#buckets.keys()) {
      this.#buckets.delete(key)
      return
    }
  }
}
