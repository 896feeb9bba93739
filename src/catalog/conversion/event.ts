/**
 * Converts Events between core/v1, the stored version, and events.k8s.io/v1. Follows
 * k8s.io/kubernetes/pkg/apis/events/v1/conversion.go.
 */
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { Conversion } from '../kind.ts'

/** A field of events.k8s.io/v1 and its name in core/v1, with the zero values that are written. */
interface FieldNames {
  readonly served: string
  readonly stored: string
  /** The zero value in events.k8s.io/v1, if it is written there. */
  readonly servedZero?: unknown
  /** The zero value in core/v1, if it is written there. */
  readonly storedZero?: unknown
}

/** The fields in the order of events.k8s.io/v1. */
const fields: readonly FieldNames[] = [
  { served: 'eventTime', stored: 'eventTime', servedZero: null, storedZero: null },
  { served: 'series', stored: 'series' },
  { served: 'reportingController', stored: 'reportingComponent', storedZero: '' },
  { served: 'reportingInstance', stored: 'reportingInstance', storedZero: '' },
  { served: 'action', stored: 'action' },
  { served: 'reason', stored: 'reason' },
  { served: 'regarding', stored: 'involvedObject', servedZero: {}, storedZero: {} },
  { served: 'related', stored: 'related' },
  { served: 'note', stored: 'message' },
  { served: 'type', stored: 'type' },
  { served: 'deprecatedSource', stored: 'source', servedZero: {}, storedZero: {} },
  { served: 'deprecatedFirstTimestamp', stored: 'firstTimestamp', servedZero: null, storedZero: null },
  { served: 'deprecatedLastTimestamp', stored: 'lastTimestamp', servedZero: null, storedZero: null },
  { served: 'deprecatedCount', stored: 'count' },
]

/** The fields in the order of core/v1. */
const storedOrder = [
  ...['involvedObject', 'reason', 'message', 'source', 'firstTimestamp', 'lastTimestamp', 'count', 'type', 'eventTime', 'series'],
  ...['action', 'related', 'reportingComponent', 'reportingInstance'],
]

const byStored = new Map(fields.map((field) => [field.stored, field]))
const inStoredOrder = storedOrder.flatMap((name) => byStored.get(name) ?? [])

function renamed(
  event: KubernetesObject,
  order: readonly FieldNames[],
  names: (field: FieldNames) => readonly [from: string, to: string, zero: unknown],
): KubernetesObject {
  const out: KubernetesObject = { metadata: event.metadata }
  for (const field of order) {
    const [from, to, zero] = names(field)
    const value = event[from]
    if (value !== undefined && !(value === '' && zero === undefined)) out[to] = value
    else if (zero !== undefined) out[to] = structuredClone(zero)
  }
  return out
}

interface Series {
  readonly count?: number
  readonly lastObservedTime?: string | null
}

/** Writes the series as events.k8s.io does: with its zero values. core/v1 leaves out a count of zero. */
function withSeries(event: KubernetesObject, write: (series: Series) => unknown): KubernetesObject {
  const { series } = event as { readonly series?: Series }
  return series === undefined ? event : { ...event, series: write(series) }
}

const servedSeries = ({ count = 0, lastObservedTime = null }: Series): unknown => ({ count, lastObservedTime })
const storedSeries = ({ count = 0, lastObservedTime = null }: Series): unknown => ({
  ...(count !== 0 && { count }),
  lastObservedTime,
})

/** The conversion between events.k8s.io/v1 and core/v1. */
export const eventConversion: Conversion = {
  toStorage: (event) =>
    renamed(withSeries(event, storedSeries), inStoredOrder, ({ served, stored, storedZero }) => [served, stored, storedZero]),
  fromStorage: (event) =>
    renamed(withSeries(event, servedSeries), fields, ({ served, stored, servedZero }) => [stored, served, servedZero]),
}
