/**
 * The work limit for validating one object. Alternatives multiply the work of a small body: kube-apiserver lets such a request
 * run until its timeout; here it would block all other requests.
 */
import type { Count } from '../../go/regexp/program.ts'
import { WorkLimit } from '../../meta/work-limit.ts'

/** The limit in comparisons of one value with one schema: an object of 3 MB without alternatives takes a tenth of it. */
const mostSteps = 5_000_000

/** The number of steps of matching a pattern that take the time of one comparison. */
const matchingSteps = 8

/** The steps of a violation that is reported: kube-apiserver, too, answers 504 for 12,000. */
const reportedSteps = mostSteps / 12_000

/** The steps of a violation of an alternative, which nobody may ever see. */
const discardedSteps = 5

/** Counts the work for one object. */
export class SchemaWork {
  readonly #limit: WorkLimit
  readonly #stepsOfViolation: number

  constructor(limit = new WorkLimit(mostSteps), stepsOfViolation = reportedSteps) {
    this.#limit = limit
    this.#stepsOfViolation = stepsOfViolation
  }

  /** Returns a counter for the work of an alternative. */
  ofAlternative(): SchemaWork {
    return this.#stepsOfViolation === discardedSteps ? this : new SchemaWork(this.#limit, discardedSteps)
  }

  /** Counts the comparison of a value with a schema. */
  compare(): void {
    this.#limit.count(1)
  }

  /** Counts violations. */
  report(violations: number): void {
    this.#limit.count(violations * this.#stepsOfViolation)
  }

  /** Counts steps of matching a pattern. */
  readonly match: Count = (steps) => this.#limit.count(steps / matchingSteps)
}
