/** WithClusterLimits: bounds the requests of a named cluster. It has no counterpart in kube-apiserver, which serves one cluster. */
import type { Next } from 'hono'
import type { Attributes } from '../../auth/attributes.ts'
import type { ClusterLimits } from '../../clusters/cluster-terms.ts'
import type { PolicyCache } from '../../clusters/policy.ts'
import { TokenBuckets } from '../../meta/token-buckets.ts'
import { tooManyRequests } from '../status.ts'
import type { Filter, RequestContext } from './filter.ts'
import { askerOf } from './policy.ts'

/** Requests that may come at once, in seconds of the rate. */
const burstSeconds = 2

/** The paths that strangers may read in every cluster: those of the role system:public-info-viewer. */
const publicPaths: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/'])

/** The two places in the chain at which requests of a cluster count. They share the limit. */
export interface ClusterLimitFilters {
  /** Counts the requests of authenticated clients, whomever they impersonate, before their authorization. */
  readonly ofClients: Filter
  /**
   * Counts the requests of strangers that the rules of the cluster have allowed. Others do not count, nor do the paths that are public
   * in every cluster: nobody could otherwise use a cluster whose address is known. They have limits of their own.
   */
  readonly ofStrangers: Filter
}

/** Returns the filters of one cluster. They read `authenticatedUser`, `attributes`, and respond with 429 beyond the limit. */
export function withClusterLimits(policy: PolicyCache): ClusterLimitFilters {
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
  const count = (c: RequestContext, next: Next): ReturnType<Filter> => {
    const cached = policy.cached((work) => c.executionCtx.waitUntil(work), askerOf(c))
    if (cached instanceof Promise) return cached.then(({ cluster }) => proceed(cluster.limits, next))
    return proceed(cached.cluster.limits, next)
  }
  const isPublic = (attributes: Attributes): boolean => !attributes.isResource && publicPaths.has(attributes.path)
  return {
    ofClients: (c, next) => (askerOf(c).isStranger ? next() : count(c, next)),
    ofStrangers: (c, next) => (!askerOf(c).isStranger || isPublic(c.get('attributes')) ? next() : count(c, next)),
  }
}
