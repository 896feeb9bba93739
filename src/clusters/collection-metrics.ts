/** The metrics of a Durable Object for /metrics, and the inner path of them. */

/** The watches of one version of a resource. */
export interface WatchMetrics {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly scope: 'cluster' | 'namespace' | 'resource'
  /** Number of current watches. */
  readonly watches: number
  /** Events sent to these and earlier watches since the Durable Object was loaded. */
  readonly events: number
}

/** The metrics of one Durable Object. */
export interface ObjectMetrics {
  /** The number of objects, by `<resource>[.<group>]`. */
  readonly objects: Readonly<Record<string, number>>
  readonly watches: readonly WatchMetrics[]
  /** The number of consecutive failures of each part of the alarm's work. */
  readonly alarms: Readonly<Record<string, number>>
}

/** The metrics of the control object, with the list of the cluster's collections. */
export interface ControlMetrics extends ObjectMetrics {
  readonly collections: readonly { readonly group: string; readonly resource: string }[]
}

/** The inner path of metrics. */
export const metricsPath = '/metrics'
