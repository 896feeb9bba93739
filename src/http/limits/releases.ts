/** Things that a request holds while it runs: its seat, its place among the requests in flight. */
import type { Release } from './seats.ts'

/** Gives back once all that a request holds. */
export class Releases {
  readonly #releases: Release[] = []
  #isOver = false

  /** Adds one release. It runs at once if the request is over already, because its deadline has passed. */
  add(release: Release): void {
    if (this.#isOver) release()
    else this.#releases.push(release)
  }

  /** Runs all releases. */
  giveBack(): void {
    this.#isOver = true
    for (const release of this.#releases.splice(0)) release()
  }
}
