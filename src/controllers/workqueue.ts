/**
 * A background reconcile loop that coalesces triggers: changes that arrive before a run starts share that run, and a change
 * during a run causes one more.
 *
 * @example
 * ```ts
 * const aggregation = new Workqueue(ctx, 'ClusterRole aggregation', () => aggregateClusterRoles(registry))
 * await aggregation.runFirst() // once, at the start
 * aggregation.enqueue() // after each change
 * ```
 */
export class Workqueue {
  readonly #ctx: Pick<DurableObjectState, 'waitUntil'>
  readonly #name: string
  readonly #reconcile: () => Promise<void>
  /** Whether a run is already pending. True until open(), so that changes before the first run trigger none. */
  #isPending = true

  /** @param name the name in the log if a run fails */
  constructor(ctx: Pick<DurableObjectState, 'waitUntil'>, name: string, run: () => Promise<void>) {
    this.#ctx = ctx
    this.#name = name
    this.#reconcile = run
  }

  /** Runs once and waits for it; changes trigger runs from then on. */
  async runFirst(): Promise<void> {
    this.open()
    await this.#reconcile()
  }

  /** Lets changes trigger runs from now on. */
  open(): void {
    this.#isPending = false
  }

  /** Triggers a run, unless one is pending. */
  enqueue(): void {
    if (this.#isPending) return
    this.#isPending = true
    // Changes are reported before their commit ends: the run starts after it.
    const run = Promise.resolve().then(() => {
      this.#isPending = false
      return this.#reconcile()
    })
    this.#ctx.waitUntil(run.catch((error: unknown) => console.error(`${this.#name}:`, error)))
  }
}
