/** Work that is begun in the order in which it comes, so much at a time. */

interface Waiting {
  readonly isWanted: () => boolean
  readonly begin: (done: () => void) => void
}

/** Turns for work whose end is told, or that has had its time. */
export class Turns {
  readonly #atOnce: number
  readonly #milliseconds: number
  #taken = 0
  /** From `#next` on: what is before has had its turn. */
  #waiting: Waiting[] = []
  #next = 0

  /** @param milliseconds after which the next one begins in any case */
  constructor(atOnce: number, milliseconds: number) {
    this.#atOnce = atOnce
    this.#milliseconds = milliseconds
  }

  /** Begins work when it is its turn, if it is still wanted then. */
  take(isWanted: () => boolean, begin: (done: () => void) => void): void {
    this.#waiting.push({ isWanted, begin })
    this.#beginNext()
  }

  #beginNext(): void {
    while (this.#taken < this.#atOnce && this.#next < this.#waiting.length) {
      const { isWanted, begin } = this.#waiting[this.#next++] as Waiting
      if (isWanted()) this.#begin(begin)
    }
    if (this.#next < 1024 && this.#next < this.#waiting.length) return
    this.#waiting = this.#waiting.slice(this.#next)
    this.#next = 0
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
