/** The strategy of ResourceClaims: the status of devices is dropped when they are no longer allocated. */
import type { ResourceClaim } from '../../../catalog/generated/types/resource.v1.ts'
import { validateResourceClaim, validateResourceClaimUpdate } from '../../../catalog/validation/resource/claim.ts'
import { identityOf, validateResourceClaimStatus } from '../../../catalog/validation/resource/claim-status.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withValidation } from '../with-validation.ts'
import { permitRequests, permitStatus } from './permissions.ts'

const allocatedBy = ({ status }: ResourceClaim): ReadonlySet<string> =>
  new Set((status?.allocation?.devices?.results ?? []).map(identityOf))

function dropDeallocated(claim: ResourceClaim, old: ResourceClaim): void {
  const { status } = claim
  if (status?.devices === undefined) return
  const [now, before] = [allocatedBy(claim), allocatedBy(old)]
  const kept = status.devices.filter((device) => now.has(identityOf(device)) || !before.has(identityOf(device)))
  if (kept.length > 0) status.devices = kept
  else delete status.devices
}

export const resourceClaimHooks: StrategyHooks = {
  ...withValidation(validateResourceClaim, validateResourceClaimUpdate),
  permit: permitRequests(({ spec }: ResourceClaim) => spec.devices.requests ?? []),
  subresources: {
    status: {
      prepareForUpdate: (object, old) => dropDeallocated(object as ResourceClaim, old as ResourceClaim),
      permit: permitStatus,
      validateUpdate: (object, old) => validateResourceClaimStatus(object as ResourceClaim, old as ResourceClaim),
    },
  },
}
