/** The conversions between served and stored versions. */
import type { Conversion } from '../kind.ts'
import { eventConversion } from './event.ts'
import { horizontalPodAutoscalerConversion } from './horizontal-pod-autoscaler.ts'

/** The conversions by `<group>/<version>/<resource>`, only for resources that are stored in another version. */
export const conversions: Readonly<Record<string, Conversion>> = {
  'events.k8s.io/v1/events': eventConversion,
  'events.k8s.io/v1beta1/events': eventConversion,
  'autoscaling/v1/horizontalpodautoscalers': horizontalPodAutoscalerConversion,
}
