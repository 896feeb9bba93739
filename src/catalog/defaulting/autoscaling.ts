/** Defaults of HorizontalPodAutoscalers. Follows k8s.io/kubernetes/pkg/apis/autoscaling/{v1,v2}/defaults.go. */

import type { JsonObject } from '../../go/json-value.ts'
import { explicitEmpty } from '../../schema/explicit-empty.ts'
import { roundTripKeys } from '../conversion/autoscaler-keys.ts'
import { setAnnotation } from '../conversion/fields.ts'
import { type Rule, type Rules, sequence, whenAbsent } from './rule.ts'

const cpuUtilization = 80
/** The metric of an autoscaler without metrics. */
export const defaultMetric: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: cpuUtilization } },
}

/** An explicitly empty list of policies is not defaulted: validation rejects it. */
const unlessExplicit = (fill: Rule): Rule => {
  return (value) => {
    if (explicitEmpty(value, 'policies') === undefined) fill(value)
  }
}

const scaleUpFields = whenAbsent({ stabilizationWindowSeconds: 0, selectPolicy: 'Max' })
const scaleUpPolicies = unlessExplicit(
  whenAbsent({
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  }),
)
const scaleUp: Rule = (value) => {
  scaleUpFields(value)
  scaleUpPolicies(value)
}

const scaleDownFields = whenAbsent({ selectPolicy: 'Max' })
const scaleDownPolicies = unlessExplicit(whenAbsent({ policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] }))
const scaleDown: Rule = (value) => {
  scaleDownFields(value)
  scaleDownPolicies(value)
}

/** The scaling rules of an explicit behavior. The rule of HPAScalingRules sorts its fields. */
const behavior: Rule = (value) => {
  value.scaleUp ??= {}
  value.scaleDown ??= {}
  scaleUp(value.scaleUp as JsonObject)
  scaleDown(value.scaleDown as JsonObject)
}

const metrics: Rule = (spec) => {
  if (!Array.isArray(spec.metrics) || spec.metrics.length === 0) spec.metrics = [structuredClone(defaultMetric)]
}

/** Drops the annotations in which autoscaling/v1 has fields that it lacks: conversion from autoscaling/v2 does. */
const withoutFieldsOfV1: Rule = (autoscaler) => {
  const { annotations } = (autoscaler.metadata ?? {}) as { annotations?: JsonObject }
  if (annotations === undefined) return
  for (const key of roundTripKeys) if (Object.hasOwn(annotations, key)) setAnnotation(autoscaler, key, undefined)
}

/** Rules of the group autoscaling, for both its versions. */
export const autoscalingRules: Rules = {
  'v1.HorizontalPodAutoscalerSpec': whenAbsent({ minReplicas: 1 }),
  'v2.HorizontalPodAutoscaler': withoutFieldsOfV1,
  'v2.HorizontalPodAutoscalerSpec': sequence(whenAbsent({ minReplicas: 1 }), metrics),
  'v2.HorizontalPodAutoscalerBehavior': behavior,
  'v2.HPAScalingRules': () => {},
}
