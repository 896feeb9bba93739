/**
 * How many bytes the long answers of an isolate hold at once, whoever reads them how slowly: what comes beyond waits, and is
 * refused when it has waited for long, as a request is for which kube-apiserver finds no seat.
 */
import { tooManyRequests } from '../../meta/errors.ts'

/** An answer that is under way. */
export interface InFlight {
  /** The reader has taken something. */
  readonly seen: () => void
  readonly release: () => void
}

interface Answer {
  readonly bytes: number
  seenAt: number
  /** Whether its request goes on: one that has waited may have been ended by force, and is never told that it is its turn. */
  isAlive: boolean
}

interface Waiter {
  readonly bytes: number
  /** What it holds while it waits. */
  readonly held: number
  readonly begin: (answer: InFlight) => void
}

/** Bounds, in bytes and milliseconds. */
export interface InFlightBounds {
  /** Of all that are under way. */
  readonly bytes: number
  /** Of what those hold that wait. */
  readonly waitingBytes: number
  /** For how long they wait. */
  readonly longestWait: number
  /** Whoever has not been seen for so long was ended by force. */
  readonly lost: number
}

/** Whoever has waited and does not begin within so many milliseconds is no longer there. */
const beginning = 1_000

/** The answers of an isolate. */
export class BytesInFlight {
  readonly #bounds: InFlightBounds
  readonly #answers = new Set<Answer>()
  readonly #waiters = new Set<Waiter>()
  #bytes = 0
  #waitingBytes = 0

  constructor(bounds: InFlightBounds) {
    this.#bounds = bounds
  }

  /** Whether there are several. */
  get isShared(): boolean {
    return this.#answers.size > 1
  }

  /**
   * Lets an answer begin, when it is its turn.
   * @param bytes how much it holds at most while it is read
   * @param held what it holds already
   * @throws ApiError 429 where it has waited for long, or too many do
   */
  take(bytes: number, held: number): InFlight | Promise<InFlight> {
    if (!this.#fits(bytes)) this.#forgetLost()
    if (this.#waiters.size === 0 && this.#fits(bytes)) return this.#begin(bytes, true)
    if (this.#waitingBytes + held > this.#bounds.waitingBytes) throw tooManyRequests()
    return this.#wait(bytes, held)
  }

  /** One alone always fits. */
  #fits(bytes: number): boolean {
    return this.#answers.size === 0 || this.#bytes + bytes <= this.#bounds.bytes
  }

  #begin(bytes: number, isAlive: boolean): InFlight {
    const answer: Answer = { bytes, seenAt: Date.now(), isAlive }
    this.#answers.add(answer)
    this.#bytes += bytes
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
    const looking = setInterval(() => {
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
      clearInterval(looking)
    }
  }

  /** Whether it was waiting. */
  #leave(waiter: Waiter): boolean {
    if (!this.#waiters.delete(waiter)) return false
    this.#waitingBytes -= waiter.held
    return true
  }

  #forgetLost(): void {
    const now = Date.now()
    for (const answer of this.#answers) {
      if (now - answer.seenAt >= (answer.isAlive ? this.#bounds.lost : beginning)) this.#end(answer)
    }
  }
}
