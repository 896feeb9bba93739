/** The strategy of HorizontalPodAutoscalers, whose storage version is autoscaling/v2. */
import {
  validateHorizontalPodAutoscaler,
  validateHorizontalPodAutoscalerUpdate,
} from '../../../catalog/validation/autoscaling/horizontal-pod-autoscaler.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withValidation } from '../with-validation.ts'

export const horizontalPodAutoscalerHooks: StrategyHooks = {
  ...withValidation(validateHorizontalPodAutoscaler, validateHorizontalPodAutoscalerUpdate),
  prepareForCreate(object) {
    object.status = { desiredReplicas: 0, currentMetrics: null }
  },
  prepareForUpdate(object, old) {
    object.status = old.status
  },
}
