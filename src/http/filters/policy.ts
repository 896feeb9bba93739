/** WithPolicy: tells the policy cache for which request its questions are, and whether a stranger sent it. */
import { unauthenticatedGroup } from '../../auth/user.ts'
import type { PolicyCache } from '../../clusters/policy.ts'
import type { Filter } from './filter.ts'

/** Reads `authenticatedUser`; sets nothing. */
export function withPolicy(policy: PolicyCache): Filter {
  return (c, next) => {
    const isStranger = c.get('authenticatedUser')?.groups.includes(unauthenticatedGroup) !== false
    return policy.inRequest(isStranger, next)
  }
}
