/** The metrics of a Durable Object for /metrics. */

import type { MetricSamples } from '../meta/metrics/metrics.ts'

/** The metrics of one Durable Object. */
export interface ObjectMetrics {
  /** The number of objects, by `<resource>[.<group>]`. */
  readonly objects: Readonly<Record<string, number>>
  /** The values of its metrics since it was loaded, and the sizes of its data. */
  readonly samples: MetricSamples
  /** The number of consecutive failures of each part of the alarm's work. */
  readonly alarms: Readonly<Record<string, number>>
}

/** The metrics of the control object, with the list of the cluster's collections. */
export interface ControlMetrics extends ObjectMetrics {
  readonly collections: readonly { readonly group: string; readonly resource: string }[]
}
