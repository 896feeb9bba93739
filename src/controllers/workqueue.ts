/** What is looked at as a whole after changes, in the background; several changes at once are looked at together. */
export class Workqueue {
  readonly #ctx: Pick<DurableObjectState, 'waitUntil'>
  readonly #name: string
  readonly #look: () => Promise<void>
  /** Until the first look, which comes of itself, no other is begun. */
  #begun = true

  /** @param name what the log says of a look that failed */
  constructor(ctx: Pick<DurableObjectState, 'waitUntil'>, name: string, look: () => Promise<void>) {
    this.#ctx = ctx
    this.#name = name
    this.#look = look
  }

  /** The first look, which is waited for. */
  async runFirst(): Promise<void> {
    this.open()
    await this.#look()
  }

  /** From now on changes are looked at. */
  open(): void {
    this.#begun = false
  }

  /** Has the next look come. */
  enqueue(): void {
    if (this.#begun) return
    this.#begun = true
    // What has changed is not told here but when the commit ends: the look comes after it.
    const look = Promise.resolve().then(() => {
      this.#begun = false
      return this.#look()
    })
    this.#ctx.waitUntil(look.catch((error: unknown) => console.error(`${this.#name}:`, error)))
  }
}
