/** The strategy of APIServices: an APIService without a service is served locally and available at once. */
import type { APIService } from '../../../catalog/generated/types/apiregistration.v1.ts'
import {
  apiServiceName,
  validateApiService,
  validateApiServiceStatus,
} from '../../../catalog/validation/apiregistration/api-service.ts'
import { rfc3339Seconds } from '../../../go/time.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withSubresourceValidation, withValidation } from '../with-validation.ts'

export const apiServiceHooks: StrategyHooks = {
  ...withValidation(validateApiService),
  validateNameOf: (object) => apiServiceName(object as APIService),
  prepareForCreate(object, { now }) {
    if ((object as APIService).spec.service !== undefined) return
    const message = 'Local APIServices are always available'
    const lastTransitionTime = rfc3339Seconds(now)
    object.status = { conditions: [{ type: 'Available', status: 'True', lastTransitionTime, reason: 'Local', message }] }
  },
  subresources: { status: withSubresourceValidation(validateApiServiceStatus) },
}
