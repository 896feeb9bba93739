/** The part of a Durable Object in /metrics. */
import type { ObjectMetrics } from '../clusters/collection-metrics.ts'
import type { Alarms } from '../controllers/alarms.ts'
import type { StoreMetrics } from '../registry/store-metrics.ts'
import type { Store } from '../storage/store.ts'

/** The parts of the Durable Object that are measured. */
interface MeasuredObject {
  readonly store: Store
  readonly alarms: Alarms
  readonly metrics: StoreMetrics
  /** The collections in the object. */
  readonly prefixes: readonly string[]
  /** The bytes of the database. */
  readonly databaseSize: number
}

/** Returns the counters of a Durable Object, with the gauges of this moment. */
export function measureObject({ store, alarms, metrics, prefixes, databaseSize }: MeasuredObject): ObjectMetrics {
  const { resourceVersion } = store
  const objects = Object.fromEntries(prefixes.map((name) => [name, store.countAfter(`${name}/`, '', resourceVersion)]))
  const failures = alarms.failures()
  alarms.measure()
  metrics.measure(store, objects, databaseSize)
  return { objects, samples: metrics.samples.read(), alarms: failures }
}
