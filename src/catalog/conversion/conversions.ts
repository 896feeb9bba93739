/** The conversions between served and stored versions. */
import type { Conversion } from '../kind.ts'
import { eventConversion } from './event.ts'
import { horizontalPodAutoscalerConversion, storedAutoscalerConversion } from './horizontal-pod-autoscaler.ts'

/** The conversions by `<group>/<version>/<resource>`, only where a stored object may differ from what a client sends. */
export const conversions: Readonly<Record<string, Conversion>> = {
  'events.k8s.io/v1/events': eventConversion,
  'events.k8s.io/v1beta1/events': eventConversion,
  'autoscaling/v1/horizontalpodautoscalers': horizontalPodAutoscalerConversion,
  'autoscaling/v2/horizontalpodautoscalers': storedAutoscalerConversion,
}
