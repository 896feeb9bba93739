/**
 * Converts HorizontalPodAutoscalers between autoscaling/v2, the stored version, and autoscaling/v1, which has the fields of v2 in
 * annotations. Follows k8s.io/kubernetes/pkg/apis/autoscaling/v1/conversion.go.
 */
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import type { KubernetesObject, ObjectMeta } from '../../meta/object-meta.ts'
import { defaultMetric } from '../defaulting/autoscaling.ts'
import type { Conversion } from '../kind.ts'
import { behaviorFromText, behaviorText, listFromText } from './autoscaler-annotations.ts'
import { behaviorKey, conditionsKey, currentMetricsKey, metricsKey, roundTripKeys } from './autoscaler-keys.ts'
import { metricFromV1, metricToV1 } from './scaling-metrics.ts'

const objectOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? (value as JsonObject[]) : [])

/** Returns the metadata with the annotations of the round trip replaced. */
function withAnnotations(metadata: ObjectMeta, added: Readonly<Record<string, string>>): ObjectMeta {
  const { annotations = {}, ownerReferences, finalizers, managedFields, ...rest } = metadata
  const kept = Object.entries(annotations).filter(([key]) => !roundTripKeys.includes(key))
  const all = [...kept, ...Object.entries(added)].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    ...rest,
    ...(all.length > 0 && { annotations: Object.fromEntries(all) }),
    ...(ownerReferences !== undefined && { ownerReferences }),
    ...(finalizers !== undefined && { finalizers }),
    ...(managedFields !== undefined && { managedFields }),
  }
}

/** Returns only the fields that are defined. */
function present(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject
}

const cpuUtilization = (metric: JsonObject | undefined, role: 'target' | 'current'): JsonValue | undefined => {
  const resource = objectOf(metric?.resource)
  return metric?.type === 'Resource' && resource.name === 'cpu' ? objectOf(resource[role]).averageUtilization : undefined
}

function fromStorage(object: KubernetesObject): KubernetesObject {
  const spec = objectOf(object.spec)
  const status = objectOf(object.status)
  const metrics = listOf(spec.metrics)
  const cpu = metrics.findIndex((metric) => cpuUtilization(metric, 'target') !== undefined)
  const others = metrics.filter((_metric, index) => index !== cpu)
  const current = listOf(status.currentMetrics)
  const conditions = listOf(status.conditions)
  const currentCpu = current.map((metric) => cpuUtilization(metric, 'current')).find((value) => value !== undefined)
  const added: Record<string, string> = {}
  if (others.length > 0) added[metricsKey] = JSON.stringify(others.map((metric) => metricToV1(metric, 'target')))
  if (current.length > 0) added[currentMetricsKey] = JSON.stringify(current.map((metric) => metricToV1(metric, 'current')))
  if (conditions.length > 0) added[conditionsKey] = JSON.stringify(conditions)
  if (spec.behavior !== undefined) added[behaviorKey] = behaviorText(objectOf(spec.behavior))
  return {
    metadata: withAnnotations(object.metadata, added),
    spec: present({
      scaleTargetRef: spec.scaleTargetRef,
      minReplicas: spec.minReplicas,
      maxReplicas: spec.maxReplicas,
      targetCPUUtilizationPercentage: cpuUtilization(metrics[cpu], 'target'),
    }),
    status: present({
      observedGeneration: status.observedGeneration,
      lastScaleTime: status.lastScaleTime,
      currentReplicas: status.currentReplicas ?? 0,
      desiredReplicas: status.desiredReplicas ?? 0,
      currentCPUUtilizationPercentage: currentCpu,
    }),
  }
}

function targetMetrics(spec: JsonObject, annotations: Readonly<Record<string, string>>): JsonObject[] {
  const percentage = spec.targetCPUUtilizationPercentage
  const target: JsonObject = { type: 'Utilization', averageUtilization: percentage ?? 0 }
  const cpu: JsonObject[] = percentage === undefined ? [] : [{ type: 'Resource', resource: { name: 'cpu', target } }]
  const kept = listFromText(annotations[metricsKey], 'MetricSpec') ?? []
  const others = kept.map((metric) => metricFromV1(metric, 'target'))
  return [...others, ...cpu]
}

function currentMetrics(status: JsonObject, annotations: Readonly<Record<string, string>>): JsonObject[] {
  const kept = listFromText(annotations[currentMetricsKey], 'MetricStatus')
  if (kept !== undefined) return kept.map((metric) => metricFromV1(metric, 'current'))
  const percentage = status.currentCPUUtilizationPercentage
  if (percentage === undefined) return []
  return [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: percentage } } }]
}

function toStorage(object: KubernetesObject): KubernetesObject {
  const { annotations = {} } = object.metadata
  const spec = objectOf(object.spec)
  const status = objectOf(object.status)
  const metrics = targetMetrics(spec, annotations)
  const measured = currentMetrics(status, annotations)
  const conditions = listFromText(annotations[conditionsKey], 'HorizontalPodAutoscalerCondition') ?? []
  return {
    metadata: withAnnotations(object.metadata, {}),
    spec: present({
      scaleTargetRef: spec.scaleTargetRef,
      minReplicas: spec.minReplicas,
      maxReplicas: spec.maxReplicas,
      metrics: metrics.length > 0 ? metrics : [structuredClone(defaultMetric)],
      behavior: behaviorFromText(annotations[behaviorKey]),
    }),
    status: present({
      observedGeneration: status.observedGeneration,
      lastScaleTime: status.lastScaleTime,
      currentReplicas: status.currentReplicas === 0 ? undefined : status.currentReplicas,
      desiredReplicas: status.desiredReplicas ?? 0,
      currentMetrics: measured.length > 0 ? measured : null,
      conditions: conditions.length > 0 ? [...conditions] : undefined,
    }),
  }
}

/** The conversion between autoscaling/v1 and autoscaling/v2. */
export const horizontalPodAutoscalerConversion: Conversion = { toStorage, fromStorage }
