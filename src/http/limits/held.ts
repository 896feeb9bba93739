/** What a request holds while it runs: its seat, its place among those that are counted. */
import type { Release } from './seats.ts'

/** Gives everything back once, when the request has been answered. */
export class Held {
  readonly #releases: Release[] = []
  #over = false

  /** Takes what is to be given back; at once where the request has been answered already, because its time was over. */
  add(release: Release): void {
    if (this.#over) release()
    else this.#releases.push(release)
  }

  giveBack(): void {
    this.#over = true
    for (const release of this.#releases.splice(0)) release()
  }
}
