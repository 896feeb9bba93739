/** The metrics of priority and fairness in this isolate. Follows k8s.io/apiserver/pkg/util/flowcontrol/metrics. */
import type { Flow } from '../../auth/flow-control/classification.ts'
import type { Cell, Distribution } from '../../meta/metrics/families.ts'
import type { Metrics } from '../../meta/metrics/metrics.ts'
import type { Seats } from '../limits/seats.ts'

/** The reason why a request is rejected: the level has no queue, its queue is full, or no seat became free in time. */
export type RejectionReason = 'concurrency-limit' | 'queue-full' | 'time-out'

const queueMetrics = ['apiserver_flowcontrol_current_inqueue_requests', 'apiserver_flowcontrol_current_inqueue_seats'] as const
const waitMetric = 'apiserver_flowcontrol_request_wait_duration_seconds'

/** The cells of one flow schema and priority level. */
interface FlowCells {
  readonly dispatched: Cell
  readonly executing: readonly Cell[]
  /** Requests of an exempt level never wait. */
  readonly waiting: readonly Cell[]
  readonly waited: Distribution | undefined
  readonly execution: Distribution
  readonly seats: Distribution
}

/**
 * The counters of one isolate.
 * @example
 * const ended = flowControl.dispatched(flow, 0)
 * await handle(request)
 * ended(seconds)
 */
export class FlowControlMetrics {
  readonly #metrics: Metrics
  readonly #seats: Seats
  readonly #flows = new WeakMap<Flow, FlowCells>()

  constructor(metrics: Metrics, seats: Seats) {
    this.#metrics = metrics
    this.#seats = seats
  }

  /**
   * Counts a request that got a seat.
   * @param waited its seconds in a queue
   * @returns the function that counts its end, with the seconds of its execution
   */
  dispatched(flow: Flow, waited: number): (seconds: number) => void {
    const { dispatched, executing, waited: waits, execution, seats } = this.#cellsOf(flow)
    dispatched.value++
    waits?.observe(waited)
    seats.observe(1)
    for (const cell of executing) cell.value++
    return (seconds) => {
      for (const cell of executing) cell.value--
      execution.observe(seconds)
    }
  }

  /** Counts a request that was rejected. */
  rejected({ level, schema }: Flow, reason: RejectionReason, waited: number): void {
    const labels = [level.name, schema.name]
    this.#metrics.measure('apiserver_flowcontrol_rejected_requests_total', [...labels, reason], 1)
    this.#metrics.measure(waitMetric, [...labels, 'false'], waited)
  }

  /** Counts a request in a queue. Returns the function that counts its end. */
  waits(flow: Flow): () => void {
    const { waiting } = this.#cellsOf(flow)
    for (const cell of waiting) cell.value++
    return () => {
      for (const cell of waiting) cell.value--
    }
  }

  /** Brings the gauges of the levels up to date. Seats are never lent: the lower limit is the nominal one. */
  measure(): void {
    for (const { level, nominal, upper } of this.#seats.limits()) {
      this.#metrics.numbers('apiserver_flowcontrol_nominal_limit_seats').of(level).value = nominal
      this.#metrics.numbers('apiserver_flowcontrol_lower_limit_seats').of(level).value = nominal
      this.#metrics.numbers('apiserver_flowcontrol_upper_limit_seats').of(level).value = upper
      this.#metrics.numbers('apiserver_flowcontrol_current_limit_seats').of(level).value = nominal
      this.#metrics.numbers('apiserver_flowcontrol_request_concurrency_limit').of(level).value = nominal
    }
  }

  #cellsOf(flow: Flow): FlowCells {
    let cells = this.#flows.get(flow)
    if (cells === undefined) {
      const labels = [flow.level.name, flow.schema.name]
      const isExempt = flow.level.type === 'Exempt'
      const metrics = this.#metrics
      cells = {
        dispatched: metrics.numbers('apiserver_flowcontrol_dispatched_requests_total').of(...labels),
        executing: [
          metrics.numbers('apiserver_flowcontrol_current_executing_requests').of(...labels),
          metrics.numbers('apiserver_flowcontrol_current_executing_seats').of(...labels),
          metrics.numbers('apiserver_flowcontrol_request_concurrency_in_use').of(...labels),
        ],
        waiting: queueMetrics.flatMap((name) => (isExempt ? [] : metrics.numbers(name).of(...labels))),
        waited: isExempt ? undefined : metrics.distributions(waitMetric).of(...labels, 'true'),
        execution: metrics.distributions('apiserver_flowcontrol_request_execution_seconds').of(...labels, 'regular'),
        seats: metrics.distributions('apiserver_flowcontrol_work_estimated_seats').of(...labels),
      }
      this.#flows.set(flow, cells)
    }
    return cells
  }
}
