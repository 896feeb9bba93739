/** The metrics of admission in this isolate. Collections send their measurements with their responses. */
import type { Measurement } from '../../meta/findings.ts'
import { type AdmissionMetric, admissionMetrics, admissionStep, type MetricDefinition } from '../../registry/admission/metrics.ts'
import type { AdmissionOperation } from '../../registry/admission/plugin.ts'
import { Distributions, type Family, Numbers } from './families.ts'

const definitions: Readonly<Record<AdmissionMetric, MetricDefinition>> = admissionMetrics

/** The operations of verbs. A PUT or an apply that creates is counted as an update. */
const operations: Readonly<Record<string, AdmissionOperation | undefined>> = {
  create: 'CREATE',
  update: 'UPDATE',
  patch: 'UPDATE',
  delete: 'DELETE',
  deletecollection: 'DELETE',
}

/** The metrics of admission, each made at its first measurement. */
export class AdmissionMetrics {
  readonly #families = new Map<AdmissionMetric, Numbers | Distributions>()

  /** Adds measurements. */
  add(measurements: readonly Measurement[]): void {
    for (const { metric, labels, value } of measurements) {
      const family = this.#familyOf(metric as AdmissionMetric)
      if (family instanceof Distributions) family.of(...labels).observe(value)
      else family.of(...labels).value += value
    }
  }

  /** Counts a write that admission has allowed. */
  allowed(verb: string): void {
    const operation = operations[verb]
    if (operation === undefined) return
    const steps = this.#familyOf(admissionStep)
    for (const type of ['admit', 'validate']) if (steps instanceof Distributions) steps.of(type, operation, 'false').observe(0)
  }

  families(): readonly Family[] {
    return [...this.#families.values()]
  }

  #familyOf(name: AdmissionMetric): Numbers | Distributions {
    let family = this.#families.get(name)
    if (family === undefined) {
      const { help, labels, buckets } = definitions[name]
      family = buckets === undefined ? new Numbers('counter', name, help, labels) : new Distributions(name, help, labels, buckets)
      this.#families.set(name, family)
    }
    return family
  }
}
