/** Work of which only so much is begun at a time. */

interface Waiting {
  readonly isWanted: () => boolean
  readonly begin: (done: () => void) => void
}

/** So many may wait before those that are not wanted any more are looked for. */
const leastWaiting = 1024

/**
 * Turns for work whose end is told, or that has had its time. The newest has the next turn: if more comes than can be done, some is
 * done in time, where in the order of coming all would be done too late.
 */
export class Turns {
  readonly #atOnce: number
  readonly #milliseconds: number
  #taken = 0
  #waiting: Waiting[] = []
  #mostWaiting = leastWaiting

  /** @param milliseconds after which the next one begins in any case */
  constructor(atOnce: number, milliseconds: number) {
    this.#atOnce = atOnce
    this.#milliseconds = milliseconds
  }

  /** Begins work when it is its turn, if it is still wanted then. */
  take(isWanted: () => boolean, begin: (done: () => void) => void): void {
    this.#waiting.push({ isWanted, begin })
    if (this.#waiting.length > this.#mostWaiting) {
      this.#waiting = this.#waiting.filter((one) => one.isWanted())
      this.#mostWaiting = Math.max(leastWaiting, 2 * this.#waiting.length)
    }
    this.#beginNext()
  }

  #beginNext(): void {
    while (this.#taken < this.#atOnce) {
      const next = this.#waiting.pop()
      if (next === undefined) return
      if (next.isWanted()) this.#begin(next.begin)
    }
  }

  #begin(begin: Waiting['begin']): void {
    this.#taken++
    let isDone = false
    const done = (): void => {
      if (isDone) return
      isDone = true
      clearTimeout(timer)
      this.#taken--
      this.#beginNext()
    }
    const timer = setTimeout(done, this.#milliseconds).unref()
    begin(done)
  }
}
