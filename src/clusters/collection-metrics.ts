/** What a Durable Object tells of itself when /metrics is asked for, and how it is asked. */

/** Watches of one version of a resource. */
export interface WatchMetrics {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly scope: 'cluster' | 'namespace' | 'resource'
  /** Those that go on. */
  readonly watches: number
  /** Events that they, and those before them, were sent since the object was loaded. */
  readonly events: number
}

/** One Durable Object. */
export interface ObjectMetrics {
  /** How many objects there are, by `<resource>[.<group>]`. */
  readonly objects: Readonly<Record<string, number>>
  readonly watches: readonly WatchMetrics[]
}

/** What the control object tells besides: which collections there are. */
export interface ControlMetrics extends ObjectMetrics {
  readonly collections: readonly { readonly group: string; readonly resource: string }[]
}

/** Where a Durable Object is asked for them. */
export const metricsUrl = 'http://collection/metrics'
