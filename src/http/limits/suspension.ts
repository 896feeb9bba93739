/** The moment at which a request first waits for something outside of the isolate. */

/**
 * Many reads are answered from the memory of the isolate. A timer and a place in the runtime's list of work cost them a tenth of
 * their time, so a request gets these only when it is about to wait.
 * @example
 * const suspension = new Suspension()
 * suspension.whenBegun(() => context.waitUntil(response))
 * suspension.begin()
 */
export class Suspension {
  #preparations: (() => void)[] | undefined = []

  /** Runs a preparation before the request waits; at once if it waits already. */
  whenBegun(prepare: () => void): void {
    if (this.#preparations === undefined) prepare()
    else this.#preparations.push(prepare)
  }

  /** Called before the request waits: for a Durable Object, another server, a seat, or its own body. */
  readonly begin = (): void => {
    const preparations = this.#preparations
    this.#preparations = undefined
    if (preparations !== undefined) for (const prepare of preparations) prepare()
  }
}
