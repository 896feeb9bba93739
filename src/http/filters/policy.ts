/** WithPolicy: notes when a request arrived, for the questions to the policy cache. */
import { unauthenticatedGroup } from '../../auth/user.ts'
import type { Asker, PolicyCache } from '../../clusters/policy.ts'
import { ReadAhead } from '../../clusters/read-ahead.ts'
import { operationOfGet } from '../verbs/read-ahead.ts'
import type { Filter, RequestContext } from './filter.ts'

/** Sets `arrivedAfter` and `readAhead`. */
export function withPolicy(policy: PolicyCache): Filter {
  return (c, next) => {
    c.set('arrivedAfter', policy.begun)
    if (c.req.raw.method !== 'GET' || c.get('address').time !== undefined || !policy.bringsReads) return next()
    const readAhead = new ReadAhead(() => operationOfGet(c.req.raw, c.get('query'), c.get('info')))
    c.set('readAhead', readAhead)
    return next().finally(() => readAhead.end())
  }
}

/** Returns the request as the policy cache sees it. Reads `arrivedAfter`, `readAhead` and `authenticatedUser`. */
export function askerOf(c: RequestContext): Asker {
  const isStranger = c.get('authenticatedUser')?.groups.includes(unauthenticatedGroup) !== false
  return {
    isStranger,
    arrivedAfter: c.get('arrivedAfter') ?? Number.POSITIVE_INFINITY,
    readAhead: c.get('readAhead'),
    waits: c.env.suspension?.begin,
  }
}
