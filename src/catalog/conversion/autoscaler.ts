/**
 * Changes of HorizontalPodAutoscalers of autoscaling/v2beta1, whose metrics have the form that autoscaling/v1 has in annotations.
 * Follows k8s.io/kubernetes/pkg/apis/autoscaling/v2beta1/conversion.go of 1.24.
 */
import type { JsonObject } from '../../go/json-value.ts'
import { behaviorFromText, behaviorText } from './autoscaler-annotations.ts'
import { behaviorKey, roundTripKeys } from './autoscaler-keys.ts'
import { annotationOf, type Changes, objectAt, objectsAt, setAnnotation } from './fields.ts'
import { type MetricRole, metricFromV1, metricToV1 } from './scaling-metrics.ts'

/** The value that decides the type of a target if it is present, with that type and the one of other targets. */
const targetTypes: Readonly<Record<string, readonly [value: string, type: string, otherwise: string]>> = {
  object: ['averageValue', 'AverageValue', 'Value'],
  pods: ['targetAverageValue', 'AverageValue', 'AverageValue'],
  resource: ['targetAverageUtilization', 'Utilization', 'AverageValue'],
  containerResource: ['targetAverageUtilization', 'Utilization', 'AverageValue'],
  external: ['targetValue', 'Value', 'AverageValue'],
}

function targetToStorage(metric: JsonObject): JsonObject {
  const stored = metricFromV1(metric, 'target')
  for (const [source, [value, type, otherwise]] of Object.entries(targetTypes)) {
    const from = objectAt(metric, source)
    const target = objectAt(objectAt(stored, source), 'target')
    if (from === undefined || target === undefined) continue
    target.type = from[value] === undefined ? otherwise : type
    if (source === 'object') target.value = from.targetValue ?? '0'
  }
  return stored
}

function changeMetrics(object: JsonObject, change: (metric: JsonObject, role: MetricRole) => JsonObject): void {
  const [spec, status] = [objectAt(object, 'spec'), objectAt(object, 'status')]
  if (spec?.metrics !== undefined) spec.metrics = objectsAt(spec, 'metrics').map((metric) => change(metric, 'target'))
  if (status?.currentMetrics !== undefined && status.currentMetrics !== null) {
    status.currentMetrics = objectsAt(status, 'currentMetrics').map((metric) => change(metric, 'current'))
  }
}

function dropRoundTripAnnotations(object: JsonObject): void {
  for (const key of roundTripKeys) if (annotationOf(object, key) !== undefined) setAnnotation(object, key, undefined)
}

/** The changes of autoscaling/v2beta1. The behavior is an annotation. */
export const autoscalerChanges: Changes = {
  toStorage: (object) => {
    changeMetrics(object, (metric, role) => (role === 'target' ? targetToStorage(metric) : metricFromV1(metric, role)))
    const behavior = behaviorFromText(annotationOf(object, behaviorKey))
    const spec = objectAt(object, 'spec')
    if (spec !== undefined && behavior !== undefined) spec.behavior = behavior
    dropRoundTripAnnotations(object)
  },
  fromStorage: (object) => {
    changeMetrics(object, metricToV1)
    dropRoundTripAnnotations(object)
    const behavior = objectAt(objectAt(object, 'spec'), 'behavior')
    if (behavior !== undefined) setAnnotation(object, behaviorKey, behaviorText(behavior))
  },
}

/** autoscaling/v2beta2 has all fields of v2 except one, so the annotations of other versions mean nothing in it. */
export const secondAutoscalerChanges: Changes = { toStorage: dropRoundTripAnnotations, fromStorage: dropRoundTripAnnotations }
