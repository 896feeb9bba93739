/** WithClusterLimits: bounds the requests of a named cluster. It has no counterpart in kube-apiserver, which serves one cluster. */
import type { Next } from 'hono'
import { unauthenticatedGroup } from '../../auth/user.ts'
import type { ClusterLimits } from '../../clusters/cluster-terms.ts'
import type { PolicyCache } from '../../clusters/policy.ts'
import { TokenBuckets } from '../../meta/token-buckets.ts'
import { tooManyRequests } from '../status.ts'
import type { Filter } from './filter.ts'
import { askerOf } from './policy.ts'

/** Requests that may come at once, in seconds of the rate. */
const burstSeconds = 2

/**
 * Reads `user`. Responds with 429 if the cluster has more requests than its limit. Strangers do not count: nobody could
 * otherwise use a cluster whose address is known. They have limits of their own.
 */
export function withClusterLimits(policy: PolicyCache): Filter {
  let known: ClusterLimits | undefined
  let buckets: TokenBuckets | undefined
  const secondsToWait = (limits: ClusterLimits | undefined): number => {
    if (limits !== known) {
      const { requestsPerSecond: perSecond } = limits ?? {}
      if (perSecond !== known?.requestsPerSecond) {
        buckets = perSecond === undefined ? undefined : new TokenBuckets({ perSecond, burst: perSecond * burstSeconds }, 1)
      }
      known = limits
    }
    return buckets?.take('', Date.now()) ?? 0
  }
  const proceed = (limits: ClusterLimits | undefined, next: Next): ReturnType<Filter> => {
    const wait = secondsToWait(limits)
    return wait > 0 ? Promise.resolve(tooManyRequests(wait)) : next()
  }
  return (c, next) => {
    if (c.get('user').groups.includes(unauthenticatedGroup)) return next()
    const cached = policy.cached((work) => c.executionCtx.waitUntil(work), askerOf(c))
    if (cached instanceof Promise) return cached.then(({ cluster }) => proceed(cluster.limits, next))
    return proceed(cached.cluster.limits, next)
  }
}
