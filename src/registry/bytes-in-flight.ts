/**
 * How many bytes the long answers of an isolate hold at once, whoever reads them how slowly: what comes beyond waits, and is
 * refused when it has waited for long, as a request is for which kube-apiserver finds no seat.
 */
import { tooManyRequests } from '../meta/errors.ts'

/** An answer that is under way. */
export interface InFlight {
  /** The reader has taken something. */
  readonly seen: () => void
  readonly release: () => void
}

interface Answer {
  readonly bytes: number
  seenAt: number
}

interface Waiter {
  readonly bytes: number
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
    if (this.#waiters.size === 0 && !this.#fits(bytes)) this.#forgetLost()
    if (this.#waiters.size === 0 && this.#fits(bytes)) return this.#begin(bytes)
    if (this.#waitingBytes + held > this.#bounds.waitingBytes) throw tooManyRequests()
    return this.#wait(bytes, held)
  }

  /** One alone always fits. */
  #fits(bytes: number): boolean {
    return this.#answers.size === 0 || this.#bytes + bytes <= this.#bounds.bytes
  }

  #begin(bytes: number): InFlight {
    const answer: Answer = { bytes, seenAt: Date.now() }
    this.#answers.add(answer)
    this.#bytes += bytes
    return {
      seen: () => {
        answer.seenAt = Date.now()
      },
      release: () => this.#end(answer),
    }
  }

  #end(answer: Answer): void {
    if (!this.#answers.delete(answer)) return
    this.#bytes -= answer.bytes
    for (const waiter of this.#waiters) {
      if (!this.#fits(waiter.bytes)) return
      this.#waiters.delete(waiter)
      waiter.begin(this.#begin(waiter.bytes))
    }
  }

  async #wait(bytes: number, held: number): Promise<InFlight> {
    const { promise, resolve, reject } = Promise.withResolvers<InFlight>()
    const waiter: Waiter = { bytes, begin: resolve }
    const timeout = setTimeout(() => {
      this.#forgetLost()
      if (this.#waiters.delete(waiter)) reject(tooManyRequests())
    }, this.#bounds.longestWait)
    this.#waiters.add(waiter)
    this.#waitingBytes += held
    try {
      return await promise
    } finally {
      clearTimeout(timeout)
      this.#waitingBytes -= held
    }
  }

  #forgetLost(): void {
    const oldest = Date.now() - this.#bounds.lost
    for (const answer of this.#answers) if (answer.seenAt < oldest) this.#end(answer)
  }
}
