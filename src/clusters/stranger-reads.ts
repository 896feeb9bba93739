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

/**
 * The budget of one cluster in an isolate: one read a second, of whichever kind. The kinds take turns, and each has at most one: no
 * turn is more than their number of seconds ahead.
 */
export class StrangerTurns {
  /** Whether reads may be made; false if too many strangers ask that. It rejects if the cluster does not exist. */
  readonly admit: () => Promise<boolean>
  #nextAt = 0

  /** @param admit anybody can invent names of clusters, so it must not cost a turn */
  constructor(admit: () => Promise<boolean> = async () => true) {
    this.admit = admit
  }

  /** Reserves the next turn. Returns the milliseconds until then. */
  reserve(now: number): number {
    const at = Math.max(now, this.#nextAt)
    this.#nextAt = at + interval
    return at - now
  }
}

interface Pending<T> {
  readonly result: Promise<T | undefined>
  lostAt: number
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
   * @returns undefined if too many requests are waiting for it, or to be admitted
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
    const waits = (milliseconds: number): void => {
      pending.lostAt = Date.now() + milliseconds + lostAfter
    }
    const pending: Pending<T> = { result: this.#inTurn(waits), lostAt: Date.now() + lostAfter }
    const end = (): void => {
      if (this.#pending === pending) this.#pending = undefined
    }
    pending.result.then(end, end)
    this.#pending = pending
    return pending
  }

  /** @param waits is told the milliseconds until the turn */
  async #inTurn(waits: (milliseconds: number) => void): Promise<T | undefined> {
    if (!(await this.#turns.admit())) return undefined
    const wait = this.#turns.reserve(Date.now())
    waits(wait)
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    return this.#read()
  }
}
