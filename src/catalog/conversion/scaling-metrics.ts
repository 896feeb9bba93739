/**
 * Converts metrics of HorizontalPodAutoscalers between autoscaling/v2 and the annotations of autoscaling/v1. Follows
 * k8s.io/kubernetes/pkg/apis/autoscaling/v1/conversion.go.
 */
import type { JsonObject, JsonValue } from '../../go/json-value.ts'

/** Whether the metric is a target or a measured value (current). */
export type MetricRole = 'target' | 'current'

const sources = ['object', 'pods', 'resource', 'containerResource', 'external'] as const
type Source = (typeof sources)[number]

/** The fields of a source other than its values: the v1 name of each v2 field, with dots for nesting. */
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

/** The order of the v1 fields, for targets and current values. */
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

/** The values that v1 always has, as a target and as a current value. */
const always: Readonly<Record<Source, Readonly<Partial<Record<MetricRole, string>>>>> = {
  object: { target: 'targetValue', current: 'currentValue' },
  pods: { target: 'targetAverageValue', current: 'currentAverageValue' },
  resource: { current: 'currentAverageValue' },
  containerResource: { current: 'currentAverageValue' },
  external: { current: 'currentValue' },
}

type ValueName = 'averageUtilization' | 'value' | 'averageValue'

/** The values of a source, with their v1 names as a target and as a current value. */
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

/** The fields of a target or a current value of autoscaling/v2 in their order. */
const valueOrder = ['type', 'value', 'averageValue', 'averageUtilization']

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

/** Converts a metric to its form in autoscaling/v1's annotations. */
export function metricToV1(metric: JsonObject, role: MetricRole): JsonObject {
  const out: JsonObject = { type: metric.type ?? '' }
  for (const source of sources) {
    const sourceFields = asObject(metric[source])
    if (sourceFields === undefined) continue
    const to: JsonObject = {}
    for (const [v2, v1] of plain[source]) {
      const value = valueAt(sourceFields, v2)
      if (value !== undefined) to[v1] = value
    }
    for (const [v2, target, current] of values[source]) {
      const value = valueAt(sourceFields, `${role}.${v2}`)
      if (value !== undefined && value !== null) to[role === 'target' ? target : current] = value
    }
    const requiredField = always[source][role]
    if (requiredField !== undefined) to[requiredField] ??= '0'
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

/** Converts a metric from its form in autoscaling/v1's annotations. */
export function metricFromV1(metric: JsonObject, role: MetricRole): JsonObject {
  const out: JsonObject = { type: metric.type ?? '' }
  for (const source of sources) {
    const sourceFields = asObject(metric[source])
    if (sourceFields === undefined) continue
    const to: JsonObject = {}
    for (const [v2, v1] of plain[source]) {
      const value = valueAt(sourceFields, v1)
      if (value !== undefined) setAt(to, v2, value)
    }
    // If the target is an average, v1 has a value of zero besides.
    const isEmpty = (name: string): boolean =>
      name === 'targetValue' && source === 'object' && sourceFields.averageValue !== undefined && sourceFields[name] === '0'
    const present = values[source].filter(([, target, current]) => {
      const name = role === 'target' ? target : current
      return valueAt(sourceFields, name) !== undefined && !isEmpty(name)
    })
    // The last value determines the target's type, because upstream prefers an average.
    const type = present.at(-1)?.[0]
    const roleValues: JsonObject = role === 'target' ? { type: type === undefined ? '' : targetType[type] } : {}
    for (const [v2, target, current] of present)
      roleValues[v2] = valueAt(sourceFields, role === 'target' ? target : current) ?? null
    to[role] = inOrder(roleValues, valueOrder)
    out[source] = to
  }
  return out
}
