/**
 * A background reconcile loop that coalesces triggers: changes that arrive before a run starts share that run, and a change
 * during a run causes one more. A pending run is stored with the change: it is made up for after an eviction, and the object's
 * alarm repeats a failed one.
 */
import type { AlarmPart } from './alarms.ts'

/** The key prefix of pending runs. */
const pendingPrefix = 'workqueue/'

/** The parts of the Durable Object that a workqueue uses. */
export interface WorkqueueHost {
  readonly storage: Pick<DurableObjectStorage, 'kv'>
  /** Whether the controller is enabled here. A change is recorded in any case. */
  readonly isEnabled: boolean
  /** Runs the part. Its failure is recorded, and the alarm repeats it. */
  readonly attempt: (part: AlarmPart) => Promise<void>
  /** Runs the part in the background, after the current turn. */
  readonly runSoon: (part: AlarmPart) => void
}

/**
 * One workqueue of a Durable Object.
 *
 * @example
 * ```ts
 * const aggregation = new Workqueue(host, 'cluster-role-aggregation', () => aggregateClusterRoles(registry))
 * await aggregation.runPending() // once, at the start
 * aggregation.enqueue() // in the turn of each change's commit
 * ```
 */
export class Workqueue implements AlarmPart {
  readonly name: string
  readonly #host: WorkqueueHost
  readonly #reconcile: () => Promise<void>
  #isPending: boolean
  #isOpen = false
  /** Whether a run is triggered or in progress. */
  #runs = false

  /** @param name the name in the log, in metrics and in storage */
  constructor(host: WorkqueueHost, name: string, run: () => Promise<void>) {
    this.name = name
    this.#host = host
    this.#reconcile = run
    this.#isPending = host.storage.kv.get<boolean>(pendingPrefix + name) === true
  }

  /** Lets changes trigger runs from now on. Resolves when a pending run has succeeded or failed. */
  async runPending(): Promise<void> {
    this.#isOpen = true
    if (this.#host.isEnabled && this.#isPending) await this.#host.attempt(this)
  }

  /** Lets changes trigger runs from now on, and triggers a pending one. */
  open(): void {
    this.#isOpen = true
    if (this.#isPending) this.#trigger()
  }

  /** Records that a run is needed, and triggers it. Call it in the turn of the commit. */
  enqueue(): void {
    this.#isPending = true
    this.#host.storage.kv.put(pendingPrefix + this.name, true)
    this.#trigger()
  }

  nextAlarm(): number | undefined {
    return this.#isPending && !this.#runs && this.#isOpen && this.#host.isEnabled ? 0 : undefined
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
    else this.#host.storage.kv.delete(pendingPrefix + this.name)
  }

  #trigger(): void {
    if (!this.#isOpen || !this.#host.isEnabled || this.#runs) return
    this.#runs = true
    this.#host.runSoon(this)
  }
}
