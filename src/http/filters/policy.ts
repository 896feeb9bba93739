/** WithPolicy: notes when a request arrived, for the questions to the policy cache. */
import { unauthenticatedGroup } from '../../auth/user.ts'
import type { Asker, PolicyCache } from '../../clusters/policy.ts'
import type { Filter, RequestContext } from './filter.ts'

/** Sets `arrivedAfter`. */
export function withPolicy(policy: PolicyCache): Filter {
  return (c, next) => {
    c.set('arrivedAfter', policy.begun)
    return next()
  }
}

/** Returns the request as the policy cache sees it. Reads `arrivedAfter` and `authenticatedUser`. */
export function askerOf(c: RequestContext): Asker {
  const isStranger = c.get('authenticatedUser')?.groups.includes(unauthenticatedGroup) !== false
  return { isStranger, arrivedAfter: c.get('arrivedAfter') ?? Number.POSITIVE_INFINITY }
}
