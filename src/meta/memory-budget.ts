/**
 * The memory of all caches of an isolate. The runtime gives an isolate 128 MB, which the Worker and all Durable Objects in it
 * share; beyond that it is reset with all of them. So caches have one budget, which lives in this module.
 */

/** A cache that can be asked to become smaller. */
export interface Cache {
  /** Drops the least recently used entries, at least so many bytes or all, and returns them to its share. */
  shed(bytes: number): void
}

/** A cache with fewer bytes is emptied at once. */
const leastShed = 256 * 1024

/** The part of the budget that caches keep, however much memory is held otherwise. */
const leastPart = 1 / 8

/** Caches are reduced to this part of the budget, so that not every new entry has to evict another one. */
const reducedPart = 7 / 8

/** The shares are searched for those of collected caches each time their number has grown by so many. */
const sweepInterval = 64

/** The memory of one cache. */
export class CacheShare {
  readonly #budget: MemoryBudget
  readonly #cache: WeakRef<Cache>
  #bytes = 0
  #usedAt = 0

  constructor(budget: MemoryBudget, cache: Cache) {
    this.#budget = budget
    this.#cache = new WeakRef(cache)
  }

  /** The bytes in use. */
  get bytes(): number {
    return this.#bytes
  }

  /** The cache; undefined once it has been collected. */
  get cache(): Cache | undefined {
    return this.#cache.deref()
  }

  /** The time of the last use, in uses of all caches. */
  get usedAt(): number {
    return this.#usedAt
  }

  /** Notes that an entry was read. */
  use(): void {
    this.#usedAt = this.#budget.tick()
  }

  /** Counts bytes of new entries, which are already in the cache: it may be asked to shed before this returns. */
  add(bytes: number): void {
    this.#bytes += bytes
    this.use()
    this.#budget.changed(bytes)
  }

  /** Returns bytes of dropped entries. */
  remove(bytes: number): void {
    this.#bytes -= bytes
    this.#budget.changed(-bytes)
  }
}

/** Memory that cannot be dropped, such as events that clients have not read yet. Caches have so much less. */
export class HeldMemory {
  readonly #budget: MemoryBudget
  readonly #owner: WeakRef<object>
  #bytes = 0

  constructor(budget: MemoryBudget, owner: object) {
    this.#budget = budget
    this.#owner = new WeakRef(owner)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Whether the owner has been collected, and its memory with it. */
  get isGone(): boolean {
    return this.#owner.deref() === undefined
  }

  /** Sets the bytes in use. */
  set(bytes: number): void {
    const change = bytes - this.#bytes
    if (change === 0) return
    this.#bytes = bytes
    this.#budget.heldChanged(change)
  }
}

/**
 * A bound on the memory of many caches together. Owners are known by weak references: a Durable Object that is evicted is not told
 * so, and its memory counts until it is collected, as long as it is in fact in use.
 * @example
 * const share = memoryBudget.share(cache) // `cache` keeps the share
 * share.add(text.length)
 * share.remove(text.length) // in `shed`, among others
 */
export class MemoryBudget {
  readonly #shares = new Set<CacheShare>()
  readonly #holders = new Set<HeldMemory>()
  #size: number
  #used = 0
  #held = 0
  #uses = 0
  #sweepAt = sweepInterval

  /** @param size bytes */
  constructor(size: number) {
    this.#size = size
  }

  /** The bytes in all caches. */
  get used(): number {
    return this.#used
  }

  /** The bytes that all caches together may have now. */
  get maximum(): number {
    return Math.max(this.#size * leastPart, this.#size - this.#held)
  }

  /** Changes the budget, in bytes. */
  resize(size: number): void {
    this.#size = size
    this.changed(0)
  }

  /** Returns the share of a cache. It ends when the cache is collected. */
  share(cache: Cache): CacheShare {
    const share = new CacheShare(this, cache)
    this.#shares.add(share)
    this.#sweepIfDue()
    return share
  }

  /** Returns an account of memory that `owner` cannot drop. It ends when the owner is collected. */
  holder(owner: object): HeldMemory {
    const holder = new HeldMemory(this, owner)
    this.#holders.add(holder)
    this.#sweepIfDue()
    return holder
  }

  /** Returns the time of a use, in uses. */
  tick(): number {
    return ++this.#uses
  }

  /** Counts bytes of caches, and evicts if they are too many. */
  changed(bytes: number): void {
    this.#used += bytes
    if (bytes >= 0 && this.#used > this.maximum) this.#reclaim()
  }

  /** Counts bytes that cannot be dropped, and evicts others for them. */
  heldChanged(bytes: number): void {
    this.#held += bytes
    if (bytes > 0) this.changed(0)
  }

  #reclaim(): void {
    this.#sweep()
    const target = this.maximum * reducedPart
    const asked = new Set<CacheShare>()
    while (this.#used > target) {
      const coldest = this.#coldest(asked)
      if (coldest === undefined) return
      const { bytes } = coldest
      coldest.cache?.shed(bytes <= leastShed ? bytes : bytes / 2)
      // A cache that cannot become smaller now is not asked again.
      if (coldest.bytes >= bytes) asked.add(coldest)
    }
  }

  /** Returns the share that has kept the most bytes unused for the longest: the product of both decides. */
  #coldest(except: ReadonlySet<CacheShare>): CacheShare | undefined {
    let coldest: CacheShare | undefined
    let most = 0
    for (const share of this.#shares) {
      const waste = share.bytes * (this.#uses - share.usedAt + 1)
      if (waste <= most || except.has(share)) continue
      coldest = share
      most = waste
    }
    return coldest
  }

  #sweepIfDue(): void {
    if (this.#shares.size + this.#holders.size >= this.#sweepAt) this.#sweep()
  }

  /** Forgets the memory of owners that have been collected. */
  #sweep(): void {
    for (const share of this.#shares) {
      if (share.cache !== undefined) continue
      this.#shares.delete(share)
      this.#used -= share.bytes
    }
    for (const holder of this.#holders) {
      if (!holder.isGone) continue
      this.#holders.delete(holder)
      this.#held -= holder.bytes
    }
    this.#sweepAt = this.#shares.size + this.#holders.size + sweepInterval
  }
}

const mebibyte = 1024 * 1024

/** The default budget in MiB: a quarter of the memory of an isolate. */
export const defaultCacheMebibytes = 32

/** The budget of this isolate. */
export const memoryBudget = new MemoryBudget(defaultCacheMebibytes * mebibyte)
