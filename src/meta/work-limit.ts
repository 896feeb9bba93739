/** A limit for work that multiplies with the parts of a request: kube-apiserver lets such a request run until its timeout. */
import { timeout } from './errors.ts'

/** The work that is left for one request. */
export class WorkLimit {
  #left: number

  /** @param steps of any size, which the caller chooses so that all of them take some hundred milliseconds */
  constructor(steps: number) {
    this.#left = steps
  }

  /**
   * Counts steps.
   * @throws ApiError 504 if the limit is exceeded
   */
  count(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw timeout('request did not complete within requested timeout - context deadline exceeded')
  }
}
