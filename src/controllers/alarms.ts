/**
 * The alarm of a Durable Object, which several parts share. The parts run side by side. A part that fails backs off, and a slow
 * part does not delay the others.
 */
import { logError } from '../meta/log.ts'
import { Metrics } from '../meta/metrics/metrics.ts'
import { WorkqueueMetrics } from './workqueue-metrics.ts'

/** A part of the alarm's work. */
export interface AlarmPart {
  /** The name in the log and in metrics. */
  readonly name: string
  /** Returns when the work is due, in milliseconds since the epoch; undefined if no work is due before further changes. */
  nextAlarm(now: number): number | undefined
  /** Does the work that is due, or a bounded part of it. It is repeated if it rejects or throws, and must be idempotent. */
  work(now: number): Promise<void> | void
}

/** The failures of a part since it last succeeded. */
interface Failure {
  readonly failures: number
  /** The part does not run again before this time, in milliseconds since the epoch. */
  readonly retryAt: number
}

/** A run of a part that is in progress. */
interface Run {
  /** When the part is due again, in milliseconds since the epoch. */
  readonly remindAt: number
  readonly ended: Promise<void>
}

/** The key prefix of stored failures. */
export const failurePrefix = 'alarm-failure/'

const shortestPause = 2_000
const longestPause = 900_000
/** How long one alarm waits for its parts, in milliseconds. A part that takes longer continues after it. */
const patience = 10_000
/** When a part that is still running is due again in milliseconds, in case the object is evicted before the part has finished. */
const reminder = 60_000

/** Returns the pause before the next attempt in milliseconds: 2 seconds, doubled with each failure, at most a quarter of an hour. */
export function pauseAfter(failures: number): number {
  return Math.min(shortestPause * 2 ** Math.min(failures - 1, 30), longestPause)
}

/** Whether a failure is logged: the first, second, fourth, eighth and so on. */
const isLogged = (failures: number): boolean => (failures & (failures - 1)) === 0

/**
 * The alarm of one Durable Object.
 *
 * @example
 * ```ts
 * const alarms = new Alarms(ctx.storage)
 * alarms.add([queuePart, compactionPart])
 * await alarms.arm() // after each change
 * await alarms.run() // in alarm()
 * ```
 */
export class Alarms {
  readonly #storage: DurableObjectStorage
  readonly #now: () => number
  readonly #parts: AlarmPart[] = []
  /**
   * Failures are stored too: an object is evicted while a part waits, and otherwise each alarm would begin again with the
   * shortest pause.
   */
  readonly #failures = new Map<string, Failure>()
  readonly #running = new Map<AlarmPart, Run>()
  readonly #metrics: WorkqueueMetrics
  #alarmAt: number | undefined
  /** Whether the runtime is delivering an alarm: it delivers no other meanwhile. */
  #isDelivered = false
  /** New alarms must be later than the last one: the runtime takes an alarm for that same time as already delivered. */
  #firedAt = 0

  /** @param metrics counts the runs of the parts */
  constructor(storage: DurableObjectStorage, now: () => number = Date.now, metrics = new Metrics()) {
    this.#storage = storage
    this.#now = now
    this.#metrics = new WorkqueueMetrics(metrics, now)
    for (const [key, failure] of storage.kv.list<Failure>({ prefix: failurePrefix })) {
      this.#failures.set(key.slice(failurePrefix.length), failure)
    }
  }

  /** Adds parts of the work. Call it while the object is opened. */
  add(parts: readonly AlarmPart[]): void {
    this.#parts.push(...parts)
  }

  /** Sets the alarm unless it is set early enough. Work that is due while an alarm is delivered begins at once. */
  async arm(): Promise<void> {
    const now = this.#now()
    let next: number | undefined
    for (const part of this.parts) {
      const due = this.#dueAt(part, now)
      if (due === undefined) continue
      if (due <= now) this.#metrics.due(part)
      if (due <= now && this.#isDelivered) {
        void this.attempt(part).then(() => this.arm())
        continue
      }
      if (next === undefined || due < next) next = due
    }
    if (next === undefined) return
    const at = Math.max(next, now, this.#firedAt + 1)
    if (this.#alarmAt !== undefined && this.#alarmAt <= at) return
    this.#alarmAt = at
    // The clock of a cluster under test is not that of the runtime.
    await this.#storage.setAlarm(at - now + Date.now())
  }

  /** Runs the parts that are due, and sets the next alarm. */
  async run(): Promise<void> {
    const now = this.#now()
    this.#firedAt = Math.max(this.#alarmAt ?? 0, now)
    this.#alarmAt = undefined
    const due = this.parts.filter((part) => (this.#dueAt(part, now) ?? Number.POSITIVE_INFINITY) <= now)
    const work = Promise.all(due.map((part) => this.attempt(part)))
    this.#isDelivered = true
    const finished = await isFinished(work)
    this.#isDelivered = false
    if (!finished) void work.then(() => this.arm())
    await this.arm()
  }

  /** Runs the parts that are due or running, and waits for their end: a test has moved the clock, or depends on their writes. */
  async settle(): Promise<void> {
    const now = this.#now()
    const due = this.parts.filter((part) => this.#running.has(part) || (part.nextAlarm(now) ?? Number.POSITIVE_INFINITY) <= now)
    await Promise.all(due.map((part) => this.attempt(part)))
    this.#alarmAt = undefined
    await this.arm()
  }

  /** Whether no part is running or due. */
  get isIdle(): boolean {
    const now = this.#now()
    return this.#running.size === 0 && this.parts.every((part) => (part.nextAlarm(now) ?? Number.POSITIVE_INFINITY) > now)
  }

  /** Runs a part now, or after its current run. A failure is logged, and the part runs again after a pause. */
  async attempt(part: AlarmPart): Promise<void> {
    while (this.#running.has(part)) await this.#running.get(part)?.ended
    const run = this.#run(part)
    this.#running.set(part, { remindAt: this.#now() + reminder, ended: run })
    await run
  }

  /** Whether a part has work that is due, or in progress. */
  isBusy(part: AlarmPart): boolean {
    const now = this.#now()
    return this.#running.has(part) || (part.nextAlarm(now) ?? Number.POSITIVE_INFINITY) <= now
  }

  async #run(part: AlarmPart): Promise<void> {
    // The run is registered before the part does anything.
    await undefined
    this.#metrics.begun(part)
    try {
      await part.work(this.#now())
      this.#succeeded(part.name)
      this.#metrics.ended(part, 'done')
    } catch (error) {
      this.#failed(part.name, error)
      this.#metrics.ended(part, 'failed')
    } finally {
      this.#running.delete(part)
    }
  }

  /** Returns the number of failures of each part since it last succeeded; 0 for a part without work. */
  failures(): Readonly<Record<string, number>> {
    const now = this.#now()
    const failuresOf = (part: AlarmPart): number =>
      part.nextAlarm(now) === undefined ? 0 : (this.#failures.get(part.name)?.failures ?? 0)
    return Object.fromEntries(this.parts.map((part) => [part.name, failuresOf(part)]))
  }

  /** Brings the gauges of the parts up to date. */
  measure(): void {
    this.#metrics.measure(this.parts)
  }

  /** The parts of the work. */
  get parts(): readonly AlarmPart[] {
    return this.#parts
  }

  #dueAt(part: AlarmPart, now: number): number | undefined {
    if (this.#running.size > 0) {
      const run = this.#running.get(part)
      if (run !== undefined) return run.remindAt
    }
    if (this.#failures.size === 0) return part.nextAlarm(now)
    const failure = this.#failures.get(part.name)
    const due = part.nextAlarm(now)
    return due === undefined || failure === undefined ? due : Math.max(due, failure.retryAt)
  }

  #succeeded(name: string): void {
    if (this.#failures.delete(name)) this.#storage.kv.delete(failurePrefix + name)
  }

  #failed(name: string, error: unknown): void {
    const failures = (this.#failures.get(name)?.failures ?? 0) + 1
    const failure: Failure = { failures, retryAt: this.#now() + pauseAfter(failures) }
    this.#failures.set(name, failure)
    if (isLogged(failures)) logError(`alarm: ${name} failed (consecutive failures: ${failures})`, error)
    try {
      this.#storage.kv.put(failurePrefix + name, failure)
    } catch (problem) {
      // A full database may be the reason of the failure. It is then known until the object is evicted.
      logError(`alarm: the failure of ${name} could not be stored`, problem)
    }
  }
}

/** Waits for the work, but not for long. Resolves to whether it has finished. */
async function isFinished(work: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), patience)
  })
  const finished = await Promise.race([work.then(() => true), late])
  clearTimeout(timer)
  return finished
}
