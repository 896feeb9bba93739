/**
 * The work limit for validating one object. Alternatives multiply the work of a small body: kube-apiserver lets such a request
 * run until its timeout; here it would block all other requests.
 */
import type { Count } from '../../go/regexp/program.ts'
import { WorkLimit } from '../../meta/work-limit.ts'

/** The limit in comparisons of one value with one schema: an object of 3 MB without alternatives takes a tenth of it. */
const mostSteps = 5_000_000

/** The number of steps of matching a pattern that count as one comparison. */
const matchingSteps = 4

/**
 * The steps of a violation that is reported, and of a character of its text: kube-apiserver, too, answers 504 for 12,000
 * violations. The text may contain all values of an enum.
 */
const reported = { violation: mostSteps / 12_000, character: 1 }

/** The steps of a violation of an alternative, which nobody may ever see. */
const discarded = { violation: 5, character: 0.05 }

/** Counts the work for one object. */
export class SchemaWork {
  readonly #limit: WorkLimit
  readonly #steps: typeof reported
  #ofAlternatives: SchemaWork | undefined

  constructor(limit = new WorkLimit(mostSteps), steps = reported) {
    this.#limit = limit
    this.#steps = steps
  }

  /** Returns the counter for the work of alternatives. */
  ofAlternative(): SchemaWork {
    if (this.#steps === discarded) return this
    this.#ofAlternatives ??= new SchemaWork(this.#limit, discarded)
    return this.#ofAlternatives
  }

  /** Counts the comparison of a value with a schema. */
  compare(): void {
    this.#limit.count(1)
  }

  /** Counts a violation with a text of this length. */
  report(characters: number): void {
    this.#limit.count(this.#steps.violation + characters * this.#steps.character)
  }

  /** Counts steps of matching a pattern. */
  readonly match: Count = (steps) => this.#limit.count(steps / matchingSteps)
}
