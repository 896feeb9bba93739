/** The metrics of APIServices that are not available. Follows the availability controllers of kube-aggregator. */
import type { APIService } from '../../catalog/generated/types/apiregistration.v1.ts'
import type { Metrics } from '../../meta/metrics/metrics.ts'
import { listUnder } from '../../registry/list/all.ts'
import { apiServicePrefix, isAvailable } from '../../registry/policy/api-services.ts'
import type { Store, Stored, StoreEvent } from '../../storage/store.ts'

const conditionOf = (stored: Stored | undefined) =>
  stored === undefined
    ? undefined
    : (JSON.parse(stored.value) as APIService).status?.conditions?.find(({ type }) => type === 'Available')

/** Counts an APIService that becomes unavailable, by the reason of its condition. Other changes count nothing. */
export function countUnavailable(metrics: Metrics, { object, previous }: StoreEvent): void {
  if (!object.key.startsWith(apiServicePrefix)) return
  const [before, now] = [conditionOf(previous), conditionOf(object)]
  if (now?.status !== 'False' || (before?.status === 'False' && before.reason === now.reason)) return
  const name = object.key.slice(apiServicePrefix.length)
  metrics.measure('aggregator_unavailable_apiservice_total', [name, now.reason ?? ''], 1)
}

/** Brings the gauges of all APIServices up to date. */
export function measureAvailability(metrics: Metrics, store: Store): void {
  const unavailable = metrics.numbers('aggregator_unavailable_apiservice')
  unavailable.clear()
  for (const object of listUnder(store, apiServicePrefix)) {
    unavailable.of(object.metadata.name ?? '').value = isAvailable(object as unknown as APIService) ? 0 : 1
  }
}
