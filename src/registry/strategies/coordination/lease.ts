/** The strategy of Leases: fields of coordinated leader election are dropped, because the feature gate is off. */
import { validateLease } from '../../../catalog/validation/coordination/lease.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withValidation } from '../with-validation.ts'

function dropCoordination(object: KubernetesObject): void {
  const { spec } = object as KubernetesObject & { spec: Record<string, unknown> }
  delete spec.strategy
  delete spec.preferredHolder
}

export const leaseHooks: StrategyHooks = {
  ...withValidation(validateLease),
  prepareForCreate: dropCoordination,
  prepareForUpdate: dropCoordination,
}
