/**
 * The work limit for validating one object. Alternatives multiply the work of a small body: kube-apiserver lets such a request
 * run until its timeout; here it would block all other requests.
 */
import { ApiError } from '../../meta/errors.ts'

/** The limit in comparisons of one value with one schema: an object of 3 MB without alternatives takes a tenth of it. */
const mostSteps = 5_000_000

/** The number of characters that a pattern search scans in the time of one comparison. */
const charactersOfStep = 20

/** The remaining work for one object. */
export class WorkLimit {
  #left = mostSteps

  /** Counts the comparison of a value with a schema. */
  compare(): void {
    if (--this.#left < 0) this.#end()
  }

  /** Counts a pattern search in a text of this length. */
  search(characters: number): void {
    this.#left -= characters / charactersOfStep
    if (this.#left < 0) this.#end()
  }

  #end(): never {
    const text = 'Timeout: request did not complete within requested timeout - context deadline exceeded'
    throw new ApiError(504, 'Timeout', text)
  }
}
