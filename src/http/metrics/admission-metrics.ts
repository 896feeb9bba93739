/** The metrics of admission in this isolate. Collections send their measurements with their responses. */
import type { AdmissionSettings } from '../../config/admission/settings.ts'
import type { Measurement } from '../../meta/findings.ts'
import type { Metrics } from '../../meta/metrics/metrics.ts'
import { pluginsOf } from '../../registry/admission/chain.ts'
import type { AdmissionOperation } from '../../registry/admission/plugin.ts'

/** The operations of verbs. A PUT or an apply that creates is counted as an update. */
const operations: Readonly<Record<string, AdmissionOperation | undefined>> = {
  create: 'CREATE',
  update: 'UPDATE',
  patch: 'UPDATE',
  delete: 'DELETE',
  deletecollection: 'DELETE',
}

/** Returns the time for which a request waited for webhooks: for mutating ones in turn, for validating ones at the same time. */
export function webhookSeconds(measurements: readonly Measurement[]): number {
  let [inTurn, longest] = [0, 0]
  for (const { metric, labels, value } of measurements) {
    if (metric !== 'apiserver_admission_webhook_admission_duration_seconds') continue
    if (labels[1] === 'admit') inTurn += value
    else longest = Math.max(longest, value)
  }
  return inTurn + longest
}

/** The metrics of admission. */
export class AdmissionMetrics {
  readonly #metrics: Metrics
  readonly #settings: AdmissionSettings
  /** The number of allowed writes since the last call of `measure`, by their operations. */
  readonly #allowed = new Map<AdmissionOperation, number>()

  constructor(metrics: Metrics, settings: AdmissionSettings) {
    this.#metrics = metrics
    this.#settings = settings
  }

  /** Adds measurements. */
  add(measurements: readonly Measurement[]): void {
    for (const { metric, labels, value } of measurements) this.#metrics.measure(metric, labels, value)
  }

  /** Counts a write that admission has allowed. */
  allowed(verb: string): void {
    const operation = operations[verb]
    if (operation !== undefined) this.#allowed.set(operation, (this.#allowed.get(operation) ?? 0) + 1)
  }

  /** Brings the histograms of phases and plugins up to date. The clock stands still during a commit: durations are 0. */
  measure(): void {
    const steps = this.#metrics.distributions('apiserver_admission_step_admission_duration_seconds')
    const controllers = this.#metrics.distributions('apiserver_admission_controller_admission_duration_seconds')
    for (const [operation, count] of this.#allowed) {
      for (const type of ['admit', 'validate']) steps.of(type, operation, 'false').observe(0, count)
      for (const { name, phases } of pluginsOf(this.#settings, operation)) {
        for (const phase of phases) controllers.of(name, phase, operation, 'false').observe(0, count)
      }
    }
    this.#allowed.clear()
  }
}
