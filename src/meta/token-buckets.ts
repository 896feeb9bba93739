/** Token buckets by key: a rate of requests per second with bursts. Their number is bounded for any number of keys. */

/** The rate at which a bucket fills, and its capacity. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

interface Bucket {
  tokens: number
  at: number
}

/** The default of the maximum number of buckets. */
const defaultMaximum = 10_000

/**
 * The token buckets of one isolate. Beyond the maximum the least recently used one is dropped, because it is the fullest.
 * @example
 * const buckets = new TokenBuckets({ perSecond: 50, burst: 100 })
 * const seconds = buckets.take(user.name, Date.now())
 * if (seconds > 0) return tooManyRequests(seconds)
 */
export class TokenBuckets {
  readonly #rate: Rate
  readonly #maximum: number
  readonly #buckets = new Map<string, Bucket>()

  constructor(rate: Rate, maximum = defaultMaximum) {
    this.#rate = rate
    this.#maximum = maximum
  }

  /**
   * Takes one token of the key's bucket.
   * @param now the time in milliseconds
   * @returns 0 if a token was available, else the whole seconds until one will be
   */
  take(key: string, now: number): number {
    const { perSecond, burst } = this.#rate
    const known = this.#buckets.get(key)
    const bucket = known ?? { tokens: burst, at: now }
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * perSecond)
    bucket.at = now
    // The order of the map is the order of use.
    if (known !== undefined) this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > this.#maximum) this.#forgetOldest()
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
