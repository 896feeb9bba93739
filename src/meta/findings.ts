/** The findings of a request beside its response: annotations for the audit record, and measurements for metrics. */

import type { AdmissionMetric } from './metrics/definitions/admission.ts'

/** One observation of a metric. */
export interface Measurement {
  readonly metric: AdmissionMetric
  /** The values of its labels, in their order. */
  readonly labels: readonly string[]
  /** The seconds of a histogram; the increment of a counter. */
  readonly value: number
}

/** The findings of a request. */
export interface RequestFindings {
  readonly annotations: Readonly<Record<string, string>>
  readonly measurements: readonly Measurement[]
}
