/** Checks of Leases. Follows k8s.io/kubernetes/pkg/apis/coordination/validation. */
import { type FieldError, invalidValue } from '../../../meta/field-error.ts'
import type { Lease } from '../../generated/types/coordination.v1.ts'
import { checkNonNegative, type Errors } from '../checks.ts'

/** What is wrong with a Lease, its metadata left out. */
export function validateLease({ spec }: Lease): FieldError[] {
  const errors: Errors = []
  const { leaseDurationSeconds: duration, leaseTransitions } = spec
  if (duration !== undefined && duration <= 0) {
    errors.push(invalidValue('spec.leaseDurationSeconds', duration, 'must be greater than 0'))
  }
  checkNonNegative(leaseTransitions, 'spec.leaseTransitions', errors)
  return errors
}
