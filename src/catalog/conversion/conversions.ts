/** How objects change between the version in which they are served and the one in which they are stored. */
import type { Conversion } from '../kind.ts'
import { eventConversion } from './event.ts'
import { horizontalPodAutoscalerConversion } from './horizontal-pod-autoscaler.ts'

/** By `<group>/<version>/<resource>`: only resources that are stored in another version than this one. */
export const conversions: Readonly<Record<string, Conversion>> = {
  'events.k8s.io/v1/events': eventConversion,
  'autoscaling/v1/horizontalpodautoscalers': horizontalPodAutoscalerConversion,
}
