/** Defaults of HorizontalPodAutoscalers. Follows k8s.io/kubernetes/pkg/apis/autoscaling/{v1,v2}/defaults.go. */

import type { JsonObject } from '../../go/json-value.ts'
import { explicitEmpty } from '../../schema/explicit-empty.ts'
import { inTurn, type Rule, type Rules, whenAbsent } from './rule.ts'

const cpuUtilization = 80
/** By what an autoscaler scales that does not say. */
export const defaultMetric: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: cpuUtilization } },
}

/** An empty list of policies that was given is none of ours to fill: it is refused. */
const unlessGiven = (fill: Rule): Rule => {
  return (value) => {
    if (explicitEmpty(value, 'policies') === undefined) fill(value)
  }
}

const ofScaleUp = whenAbsent({ stabilizationWindowSeconds: 0, selectPolicy: 'Max' })
const upwards = unlessGiven(
  whenAbsent({
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  }),
)
const scaleUp: Rule = (value) => {
  ofScaleUp(value)
  upwards(value)
}

const ofScaleDown = whenAbsent({ selectPolicy: 'Max' })
const downwards = unlessGiven(whenAbsent({ policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] }))
const scaleDown: Rule = (value) => {
  ofScaleDown(value)
  downwards(value)
}

/** The rules of scaling where a behavior is given. Its fields are put in order by the rule of HPAScalingRules. */
const behavior: Rule = (value) => {
  value.scaleUp ??= {}
  value.scaleDown ??= {}
  scaleUp(value.scaleUp as JsonObject)
  scaleDown(value.scaleDown as JsonObject)
}

const metrics: Rule = (spec) => {
  if (!Array.isArray(spec.metrics) || spec.metrics.length === 0) spec.metrics = [structuredClone(defaultMetric)]
}

/** Rules of the group autoscaling, in both its versions. */
export const autoscalingRules: Rules = {
  'v1.HorizontalPodAutoscalerSpec': whenAbsent({ minReplicas: 1 }),
  'v2.HorizontalPodAutoscalerSpec': inTurn(whenAbsent({ minReplicas: 1 }), metrics),
  'v2.HorizontalPodAutoscalerBehavior': behavior,
  'v2.HPAScalingRules': () => {},
}
