import type { Lease } from '../../generated/types/coordination.v1.ts'
import { validator } from '../checks.ts'

/** Validates a Lease, except its metadata. */
export const validateLease = validator((errors, { spec }: Lease) => {
  const { leaseDurationSeconds: duration, leaseTransitions } = spec
  if (duration !== undefined && duration <= 0) errors.invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0')
  errors.checkNonNegative(leaseTransitions, 'spec.leaseTransitions')
})
