/**
 * The metrics of the parts of an alarm, with the names of client-go's workqueues: a part is a queue, and an item of it is one run of
 * the part.
 */
import type { Metrics } from '../meta/metrics/metrics.ts'

/** A part of an alarm: its name is that of the queue. */
interface Queue {
  readonly name: string
}

/** The times of an item in milliseconds since the epoch. */
interface Item {
  readonly at: number
}

/** The metrics of the work of one Durable Object. */
export class WorkqueueMetrics {
  readonly #metrics: Metrics
  readonly #now: () => number
  /** Items that wait, and items that run. */
  readonly #waiting = new Map<Queue, Item>()
  readonly #running = new Map<Queue, Item>()

  constructor(metrics: Metrics, now: () => number) {
    this.#metrics = metrics
    this.#now = now
  }

  /** Counts a part whose work is due, unless it waits already. */
  due(part: Queue): void {
    if (this.#waiting.has(part)) return
    this.#waiting.set(part, { at: this.#now() })
    this.#metrics.measure('workqueue_adds_total', [part.name], 1)
  }

  /** Counts the beginning of a run. */
  begun(part: Queue): void {
    this.due(part)
    const now = this.#now()
    const waited = now - (this.#waiting.get(part)?.at ?? now)
    this.#waiting.delete(part)
    this.#running.set(part, { at: now })
    this.#metrics.measure('workqueue_queue_duration_seconds', [part.name], waited / 1000)
  }

  /** Counts the end of a run. */
  ended(part: Queue, outcome: 'done' | 'failed'): void {
    const now = this.#now()
    const worked = now - (this.#running.get(part)?.at ?? now)
    this.#running.delete(part)
    this.#metrics.measure('workqueue_work_duration_seconds', [part.name], worked / 1000)
    if (outcome === 'failed') this.#metrics.measure('workqueue_retries_total', [part.name], 1)
  }

  /** Brings the gauges of these parts up to date. */
  measure(parts: readonly Queue[]): void {
    const now = this.#now()
    for (const part of parts) {
      const running = this.#running.get(part)
      const seconds = running === undefined ? 0 : (now - running.at) / 1000
      this.#metrics.numbers('workqueue_depth').of(part.name).value = this.#waiting.has(part) ? 1 : 0
      this.#metrics.numbers('workqueue_unfinished_work_seconds').of(part.name).value = seconds
      this.#metrics.numbers('workqueue_longest_running_processor_seconds').of(part.name).value = seconds
      for (const name of ['workqueue_adds_total', 'workqueue_retries_total'] as const) this.#metrics.measure(name, [part.name], 0)
    }
  }
}
