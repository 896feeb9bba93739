/** The resources that a request occupies while it runs: its seat, and its place among the requests in flight. */
import type { Release } from './seats.ts'

/** Collects the releases of one request and runs each of them once. */
export class Releases {
  readonly #releases: Release[] = []
  #isOver = false

  /** Adds a release. It runs immediately if the request has ended already, because its deadline has passed. */
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
