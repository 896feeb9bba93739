/**
 * How much one object may be compared with its schema. Alternatives multiply what a small body can ask for: kube-apiserver
 * lets such a request run until its time is over; here no other one could be answered meanwhile.
 */
import { ApiError } from '../../meta/errors.ts'

/** Comparisons of one value with one schema: an object of 3 MB that no alternatives multiply takes a tenth. */
const mostSteps = 5_000_000

/** Characters that an expression looks at in the time of a comparison. */
const charactersOfStep = 20

/** What is left for one object. */
export class Work {
  #left = mostSteps

  /** One value is compared with one schema. */
  compare(): void {
    if (--this.#left < 0) this.#end()
  }

  /** An expression looks for a match in a text of this length. */
  search(characters: number): void {
    this.#left -= characters / charactersOfStep
    if (this.#left < 0) this.#end()
  }

  #end(): never {
    const text = 'Timeout: request did not complete within requested timeout - context deadline exceeded'
    throw new ApiError(504, 'Timeout', text)
  }
}
