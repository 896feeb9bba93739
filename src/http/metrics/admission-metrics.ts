/** The metrics of admission in this isolate. Collections send their measurements with their responses. */
import type { Measurement } from '../../meta/findings.ts'
import { type AdmissionMetric, admissionMetrics, type MetricDefinition } from '../../registry/admission/metrics.ts'
import { Distributions, type Family, Numbers } from './families.ts'

const definitions: Readonly<Record<AdmissionMetric, MetricDefinition>> = admissionMetrics

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
