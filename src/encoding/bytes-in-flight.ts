/**
 * Bounds the memory that the long responses of an isolate hold together, even if clients read slowly. Further responses wait,
 * and are rejected with 429 after some time, like requests without a priority-and-fairness seat.
 */
import { tooManyRequests } from '../meta/errors.ts'
import { type HeldMemory, memoryBudget } from '../meta/memory-budget.ts'

/** A response that holds memory. */
export interface InFlight {
  /** Records that the reader has taken a chunk. */
  readonly seen: () => void
  readonly release: () => void
}

interface Answer {
  readonly bytes: number
  seenAt: number
  /**
   * Whether the request is known to be alive: one that waited may have been killed by the runtime, and then never notices its
   * turn.
   */
  isAlive: boolean
}

interface Waiter {
  readonly bytes: number
  /** Bytes that the response holds while it waits. */
  readonly held: number
  readonly begin: (answer: InFlight) => void
}

/** Bounds, in bytes and milliseconds. */
export interface InFlightBounds {
  /** Bytes of all responses together. */
  readonly bytes: number
  /** Bytes that waiting responses hold together. */
  readonly waitingBytes: number
  /** Milliseconds after which a waiting response is rejected. */
  readonly longestWait: number
  /** Milliseconds without a read after which the runtime must have killed the request. */
  readonly lost: number
}

/** Milliseconds within which a response that has waited must begin; else its request was killed. */
const beginning = 1_000

/** The memory of the long responses of an isolate. */
export class BytesInFlight {
  readonly #bounds: InFlightBounds
  readonly #answers = new Set<Answer>()
  readonly #waiters = new Set<Waiter>()
  readonly #held: HeldMemory = memoryBudget.holder(this)
  #bytes = 0
  #waitingBytes = 0

  constructor(bounds: InFlightBounds) {
    this.#bounds = bounds
  }

  /** Whether several responses hold memory. */
  get isShared(): boolean {
    return this.#answers.size > 1
  }

  /**
   * Reserves memory, first come, first served.
   * @param bytes the most memory that the response holds while it is read
   * @param held bytes that the response holds already
   * @throws ApiError 429 if the response has waited for too long, or if too many bytes are waiting
   */
  take(bytes: number, held: number): InFlight | Promise<InFlight> {
    if (!this.#fits(bytes)) this.#forgetLost()
    if (this.#waiters.size === 0 && this.#fits(bytes)) return this.#begin(bytes, true)
    if (this.#waitingBytes + held > this.#bounds.waitingBytes) throw tooManyRequests()
    return this.#wait(bytes, held)
  }

  /** Whether the bytes are available. A single response always fits. */
  #fits(bytes: number): boolean {
    return this.#answers.size === 0 || this.#bytes + bytes <= this.#bounds.bytes
  }

  #begin(bytes: number, isAlive: boolean): InFlight {
    const answer: Answer = { bytes, seenAt: Date.now(), isAlive }
    this.#answers.add(answer)
    this.#bytes += bytes
    this.#held.set(this.#bytes)
    return {
      seen: () => {
        answer.seenAt = Date.now()
        answer.isAlive = true
      },
      release: () => this.#end(answer),
    }
  }

  #end(answer: Answer): void {
    if (!this.#answers.delete(answer)) return
    this.#bytes -= answer.bytes
    this.#held.set(this.#bytes)
    for (const waiter of this.#waiters) {
      if (!this.#fits(waiter.bytes)) return
      this.#leave(waiter)
      waiter.begin(this.#begin(waiter.bytes, false))
    }
  }

  async #wait(bytes: number, held: number): Promise<InFlight> {
    const { promise, resolve, reject } = Promise.withResolvers<InFlight>()
    const waiter: Waiter = { bytes, held, begin: resolve }
    const until = Date.now() + this.#bounds.longestWait
    const timer = setInterval(() => {
      this.#forgetLost()
      if (Date.now() >= until && this.#leave(waiter)) reject(tooManyRequests())
    }, beginning)
    this.#waiters.add(waiter)
    this.#waitingBytes += held
    try {
      const answer = await promise
      answer.seen()
      return answer
    } finally {
      clearInterval(timer)
    }
  }

  /** Removes a waiter. Returns whether it was waiting. */
  #leave(waiter: Waiter): boolean {
    if (!this.#waiters.delete(waiter)) return false
    this.#waitingBytes -= waiter.held
    return true
  }

  /** Releases the memory of requests that the runtime has killed. */
  #forgetLost(): void {
    const now = Date.now()
    for (const answer of this.#answers) {
      if (now - answer.seenAt >= (answer.isAlive ? this.#bounds.lost : beginning)) this.#end(answer)
    }
  }
}
