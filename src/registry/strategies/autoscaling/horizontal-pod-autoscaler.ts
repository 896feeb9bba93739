/** HorizontalPodAutoscalers, in the version in which they are stored: autoscaling/v2. */
import {
  validateHorizontalPodAutoscaler,
  validateHorizontalPodAutoscalerUpdate,
} from '../../../catalog/validation/autoscaling/horizontal-pod-autoscaler.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { checked } from '../checked.ts'

export const horizontalPodAutoscalerHooks: StrategyHooks = {
  ...checked(validateHorizontalPodAutoscaler, validateHorizontalPodAutoscalerUpdate),
  prepareForCreate(object) {
    object.status = { desiredReplicas: 0, currentMetrics: null }
  },
  prepareForUpdate(object, old) {
    object.status = old.status
  },
}
