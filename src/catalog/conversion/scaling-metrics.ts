/**
 * Metrics of HorizontalPodAutoscalers between the forms of autoscaling/v2 and of autoscaling/v1's annotations.
 * Follows k8s.io/kubernetes/pkg/apis/autoscaling/v1/conversion.go.
 */
import type { JsonObject, JsonValue } from '../../go/json-value.ts'

/** Whether the metric is what is asked for (a target) or what was measured (current). */
export type MetricRole = 'target' | 'current'

const sources = ['object', 'pods', 'resource', 'containerResource', 'external'] as const
type Source = (typeof sources)[number]

/** The fields of a source besides its values: the name in v1 of each field in v2, dots standing for nesting. */
const plain: Readonly<Record<Source, readonly (readonly [v2: string, v1: string])[]>> = {
  object: [
    ['describedObject', 'target'],
    ['metric.name', 'metricName'],
    ['metric.selector', 'selector'],
  ],
  pods: [
    ['metric.name', 'metricName'],
    ['metric.selector', 'selector'],
  ],
  resource: [['name', 'name']],
  containerResource: [
    ['name', 'name'],
    ['container', 'container'],
  ],
  external: [
    ['metric.name', 'metricName'],
    ['metric.selector', 'metricSelector'],
  ],
}

/** The order of v1's fields, as a target and as measured. */
const order: Readonly<Record<Source, readonly string[]>> = {
  object: ['target', 'metricName', 'targetValue', 'currentValue', 'selector', 'averageValue'],
  pods: ['metricName', 'targetAverageValue', 'currentAverageValue', 'selector'],
  resource: ['name', 'targetAverageUtilization', 'currentAverageUtilization', 'targetAverageValue', 'currentAverageValue'],
  containerResource: [
    ...['name', 'targetAverageUtilization', 'currentAverageUtilization', 'targetAverageValue', 'currentAverageValue'],
    'container',
  ],
  external: ['metricName', 'metricSelector', 'targetValue', 'currentValue', 'targetAverageValue', 'currentAverageValue'],
}

/** What v1 always writes, as a target and as measured. */
const always: Readonly<Record<Source, Readonly<Partial<Record<MetricRole, string>>>>> = {
  object: { target: 'targetValue', current: 'currentValue' },
  pods: { target: 'targetAverageValue', current: 'currentAverageValue' },
  resource: { current: 'currentAverageValue' },
  containerResource: { current: 'currentAverageValue' },
  external: { current: 'currentValue' },
}

type ValueName = 'averageUtilization' | 'value' | 'averageValue'

/** The values of a source: their names in v1, as a target and as measured. */
const values: Readonly<Record<Source, readonly (readonly [v2: ValueName, target: string, current: string])[]>> = {
  object: [
    ['value', 'targetValue', 'currentValue'],
    ['averageValue', 'averageValue', 'averageValue'],
  ],
  pods: [['averageValue', 'targetAverageValue', 'currentAverageValue']],
  resource: [
    ['averageUtilization', 'targetAverageUtilization', 'currentAverageUtilization'],
    ['averageValue', 'targetAverageValue', 'currentAverageValue'],
  ],
  containerResource: [
    ['averageUtilization', 'targetAverageUtilization', 'currentAverageUtilization'],
    ['averageValue', 'targetAverageValue', 'currentAverageValue'],
  ],
  external: [
    ['value', 'targetValue', 'currentValue'],
    ['averageValue', 'targetAverageValue', 'currentAverageValue'],
  ],
}

const targetType: Readonly<Record<ValueName, string>> = {
  averageUtilization: 'Utilization',
  averageValue: 'AverageValue',
  value: 'Value',
}

const asObject = (value: JsonValue | undefined): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined

function valueAt(object: JsonObject, path: string): JsonValue | undefined {
  let at: JsonValue | undefined = object
  for (const name of path.split('.')) {
    const inside = asObject(at)
    at = inside !== undefined && Object.hasOwn(inside, name) ? inside[name] : undefined
  }
  return at
}

function setAt(object: JsonObject, path: string, value: JsonValue): void {
  const [first = '', second] = path.split('.')
  if (second === undefined) object[first] = value
  else object[first] = { ...asObject(object[first]), [second]: value }
}

/** A metric as autoscaling/v1's annotations hold it. */
export function metricToV1(metric: JsonObject, role: MetricRole): JsonObject {
  const out: JsonObject = { type: metric.type ?? '' }
  for (const source of sources) {
    const of = asObject(metric[source])
    if (of === undefined) continue
    const to: JsonObject = {}
    for (const [v2, v1] of plain[source]) {
      const value = valueAt(of, v2)
      if (value !== undefined) to[v1] = value
    }
    for (const [v2, target, current] of values[source]) {
      const value = valueAt(of, `${role}.${v2}`)
      if (value !== undefined && value !== null) to[role === 'target' ? target : current] = value
    }
    const written = always[source][role]
    if (written !== undefined) to[written] ??= '0'
    out[source] = inOrder(to, order[source])
  }
  return out
}

function inOrder(object: JsonObject, names: readonly string[]): JsonObject {
  const out: JsonObject = {}
  for (const name of names) {
    const value = object[name]
    if (value !== undefined) out[name] = value
  }
  return out
}

/** A metric of autoscaling/v1's annotations as autoscaling/v2 has it. */
export function metricFromV1(metric: JsonObject, role: MetricRole): JsonObject {
  const out: JsonObject = { type: metric.type ?? '' }
  for (const source of sources) {
    const of = asObject(metric[source])
    if (of === undefined) continue
    const to: JsonObject = {}
    for (const [v2, v1] of plain[source]) {
      const value = valueAt(of, v1)
      if (value !== undefined) setAt(to, v2, value)
    }
    // Where an average is asked for, v1 has a value of zero all the same.
    const isEmpty = (name: string): boolean =>
      name === 'targetValue' && source === 'object' && of.averageValue !== undefined && of[name] === '0'
    const given = values[source].filter(([, target, current]) => {
      const name = role === 'target' ? target : current
      return valueAt(of, name) !== undefined && !isEmpty(name)
    })
    // The last of the values says of what type the target is, as upstream prefers an average.
    const type = given.at(-1)?.[0]
    const held: JsonObject = role === 'target' ? { type: type === undefined ? '' : targetType[type] } : {}
    for (const [v2, target, current] of given) held[v2] = valueAt(of, role === 'target' ? target : current) ?? null
    to[role] = held
    out[source] = to
  }
  return out
}
