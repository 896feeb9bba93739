/** WithPolicy: tells the policy cache which request asks, when it arrived, and whether a stranger sent it. */
import { unauthenticatedGroup } from '../../auth/user.ts'
import type { PolicyCache } from '../../clusters/policy.ts'
import type { Filter } from './filter.ts'

/** Sets nothing. Inner filters read `authenticatedUser` through it: before withAuthentication, every client is a stranger. */
export function withPolicy(policy: PolicyCache): Filter {
  return (c, next) => {
    const isStranger = (): boolean => c.get('authenticatedUser')?.groups.includes(unauthenticatedGroup) !== false
    return policy.inRequest(isStranger, next)
  }
}
