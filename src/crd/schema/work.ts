/**
 * The work limit for validating one object. Alternatives multiply the work of a small body: kube-apiserver lets such a request
 * run until its timeout; here it would block all other requests.
 */
import type { Count } from '../../go/regexp/program.ts'
import { ApiError } from '../../meta/errors.ts'

/** The limit in comparisons of one value with one schema: an object of 3 MB without alternatives takes a tenth of it. */
const mostSteps = 5_000_000

/** The number of steps of matching a pattern that take the time of one comparison. */
const matchingSteps = 8

/** The remaining work for one object. */
export class WorkLimit {
  #left = mostSteps

  /** Counts the comparison of a value with a schema. */
  compare(): void {
    if (--this.#left < 0) this.#end()
  }

  /** Counts steps of matching a pattern. */
  readonly match: Count = (steps) => {
    this.#left -= steps / matchingSteps
    if (this.#left < 0) this.#end()
  }

  #end(): never {
    const text = 'Timeout: request did not complete within requested timeout - context deadline exceeded'
    throw new ApiError(504, 'Timeout', text)
  }
}
