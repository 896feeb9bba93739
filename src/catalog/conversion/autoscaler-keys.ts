/** The names of the annotations in which versions of HorizontalPodAutoscalers have fields that they lack. */

export const metricsKey = 'autoscaling.alpha.kubernetes.io/metrics'
export const currentMetricsKey = 'autoscaling.alpha.kubernetes.io/current-metrics'
export const conditionsKey = 'autoscaling.alpha.kubernetes.io/conditions'
/** The annotation with the behavior. */
export const behaviorKey = 'autoscaling.alpha.kubernetes.io/behavior'
/** The annotations with fields that a version does not have, and those of tolerances, which have no meaning any more. */
export const roundTripKeys: readonly string[] = [
  ...[metricsKey, currentMetricsKey, conditionsKey, behaviorKey],
  ...['autoscaling.alpha.kubernetes.io/scale-down-tolerance', 'autoscaling.alpha.kubernetes.io/scale-up-tolerance'],
]
