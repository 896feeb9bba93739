/**
 * A background reconcile loop that coalesces triggers: changes that arrive before a run starts share that run, and a change
 * during a run causes one more. A pending run is stored with the change: it is made up for after an eviction, and the object's
 * alarm repeats a failed one.
 */

import type { AlarmPart } from './alarms.ts'
import { type Kernel, runSoon } from './kernel.ts'

/** The key prefix of pending runs. */
const pendingPrefix = 'workqueue/'

/** The work of a workqueue. */
export interface QueuedWork {
  /** The name in the log, in metrics and in storage. */
  readonly name: string
  /** Whether the controller is enabled here. A change is recorded in any case. */
  readonly isEnabled: boolean
  readonly run: () => Promise<void>
}

/**
 * One workqueue of a Durable Object.
 *
 * @example
 * ```ts
 * const run = () => aggregateClusterRoles(kernel.registry)
 * const aggregation = new Workqueue(kernel, { name: 'cluster-role-aggregation', isEnabled: true, run })
 * await aggregation.runPending() // once, at the start
 * aggregation.enqueue() // in the turn of each change's commit
 * ```
 */
export class Workqueue implements AlarmPart {
  readonly name: string
  readonly #kernel: Kernel
  readonly #isEnabled: boolean
  readonly #reconcile: () => Promise<void>
  #isPending: boolean
  #isOpen = false
  /** Whether a run is triggered or in progress. */
  #runs = false

  constructor(kernel: Kernel, { name, isEnabled, run }: QueuedWork) {
    this.name = name
    this.#kernel = kernel
    this.#isEnabled = isEnabled
    this.#reconcile = run
    this.#isPending = kernel.ctx.storage.kv.get<boolean>(pendingPrefix + name) === true
  }

  /** Lets changes trigger runs from now on. Resolves when a pending run has succeeded or failed. */
  async runPending(): Promise<void> {
    this.#isOpen = true
    if (this.#isEnabled && this.#isPending) await this.#kernel.alarms.attempt(this)
  }

  /** Lets changes trigger runs from now on, and triggers a pending one. */
  open(): void {
    this.#isOpen = true
    if (this.#isPending) this.#trigger()
  }

  /** Records that a run is needed, and triggers it. Call it in the turn of the commit. */
  enqueue(): void {
    this.#isPending = true
    this.#kernel.ctx.storage.kv.put(pendingPrefix + this.name, true)
    this.#trigger()
  }

  nextAlarm(): number | undefined {
    return this.#isPending && !this.#runs && this.#isOpen && this.#isEnabled ? 0 : undefined
  }

  async work(): Promise<void> {
    this.#runs = true
    this.#isPending = false
    try {
      await this.#reconcile()
    } catch (error) {
      this.#isPending = true
      this.#runs = false
      throw error
    }
    this.#runs = false
    if (this.#isPending) this.#trigger()
    else this.#kernel.ctx.storage.kv.delete(pendingPrefix + this.name)
  }

  #trigger(): void {
    if (!this.#isOpen || !this.#isEnabled || this.#runs) return
    this.#runs = true
    runSoon(this.#kernel, this)
  }
}
