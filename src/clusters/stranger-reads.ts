/**
 * Reads of Durable Objects on behalf of strangers: clients that have no credentials, or a token that is not verified yet. All kinds
 * of these reads share one budget, so that nobody without credentials can keep an object busy (docs/decisions/strangers.md).
 */

/** The interval between two reads in milliseconds. */
const interval = 1000

/** The maximum number of requests that wait for one kind of read. */
const mostWaiting = 100

/** The time after which a read counts as lost, because the runtime has ended the request that made it; in milliseconds. */
const lostAfter = 10_000

/**
 * Returns the result, or rejects after a time. The timer also keeps the runtime from ending a request that only waits for the
 * work of another one.
 * @param milliseconds the longest time to wait
 */
export async function within<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The budget of one isolate: one read a second, of whichever kind. The kinds take turns. */
export class StrangerTurns {
  #nextAt = 0

  /** Reserves the next turn. Returns the milliseconds until then. */
  reserve(now: number): number {
    const at = Math.max(now, this.#nextAt)
    this.#nextAt = at + interval
    return at - now
  }
}

/** The budget of one cluster. Until it is known to exist, its reads count for the isolate: anybody can invent names of clusters. */
export class ClusterTurns extends StrangerTurns {
  readonly #isolate: StrangerTurns
  readonly #isKnown: () => boolean

  constructor(isolate: StrangerTurns, isKnown: () => boolean) {
    super()
    this.#isolate = isolate
    this.#isKnown = isKnown
  }

  override reserve(now: number): number {
    return this.#isKnown() ? super.reserve(now) : this.#isolate.reserve(now)
  }
}

interface Pending<T> {
  readonly result: Promise<T>
  readonly lostAt: number
}

/**
 * One kind of read. Requests that need it at the same time share the next one.
 * @example
 * const reads = new StrangerRead(turns, () => tokenSecrets(client))
 * const secrets = await reads.next()
 */
export class StrangerRead<T> {
  readonly #turns: StrangerTurns
  readonly #read: () => Promise<T>
  #pending: Pending<T> | undefined
  #waiting = 0

  constructor(turns: StrangerTurns, read: () => Promise<T>) {
    this.#turns = turns
    this.#read = read
  }

  /** Whether a read is waiting for its turn, or under way. */
  get isPending(): boolean {
    return this.#current() !== undefined
  }

  /**
   * Returns the result of the next read.
   * @returns undefined if too many requests are waiting for it
   * @throws the error of the read
   */
  async next(): Promise<T | undefined> {
    if (this.#waiting >= mostWaiting) return undefined
    this.#waiting++
    try {
      const pending = this.#current() ?? this.#begin()
      return await within(pending.result, lostAfter)
    } finally {
      this.#waiting--
    }
  }

  #current(): Pending<T> | undefined {
    return this.#pending !== undefined && Date.now() < this.#pending.lostAt ? this.#pending : undefined
  }

  #begin(): Pending<T> {
    const now = Date.now()
    const wait = this.#turns.reserve(now)
    const pending = { result: this.#after(wait), lostAt: now + wait + lostAfter }
    const end = (): void => {
      if (this.#pending === pending) this.#pending = undefined
    }
    pending.result.then(end, end)
    this.#pending = pending
    return pending
  }

  async #after(wait: number): Promise<T> {
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    return this.#read()
  }
}
