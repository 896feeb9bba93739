/** The number of requests that run or wait. The metric has the maximum of the last second. */
export class Running {
  #now = 0
  #most = 0
  #since = 0

  begin(at: number): void {
    this.#now++
    this.#settle(at)
    if (this.#now > this.#most) this.#most = this.#now
  }

  end(at: number): void {
    this.#settle(at)
    this.#now--
  }

  mostAt(at: number): number {
    this.#settle(at)
    return this.#most
  }

  #settle(at: number): void {
    if (at - this.#since < 1000) return
    this.#since = at
    this.#most = this.#now
  }
}
