/** WithAuthorization: rejects a request that its user may not make, before a Durable Object is called. */
import type { Attributes } from '../../auth/attributes.ts'
import { type Authorizer, forbiddenMessage } from '../../auth/authorizer.ts'
import { ApiError, forbidden, internalError } from '../../meta/errors.ts'
import type { User } from '../../meta/user.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import type { Filter } from './filter.ts'
import { askerOf } from './policy.ts'

/** Headers with which filters refuse a request. Admission plugins set none. */
export const refusalHeaders = { 'x-content-type-options': 'nosniff' }

/** Returns the 403 error with kube-apiserver's message. */
function refusalError(user: User, attributes: Attributes, reason: string): ApiError {
  const why = forbiddenMessage(user, attributes, reason)
  if (!attributes.isResource) return new ApiError(403, 'Forbidden', `forbidden: ${why}`, {})
  return forbidden({ group: attributes.group, resource: attributes.resource }, attributes.name, why)
}

/**
 * Reads `user` and `attributes`; sets nothing. Counts and audits the decision.
 * @throws ApiError 403 if the request is not allowed, 500 if an authorizer failed
 */
export function withAuthorization(authorizer: Authorizer, metrics: ServerMetrics): Filter {
  const duration = metrics.requests.filter('authorization')
  return async (c, next) => {
    const [user, attributes] = [c.get('user'), c.get('attributes')]
    const began = Date.now()
    const decision = await authorizer.authorize(user, attributes, askerOf(c))
    const seconds = (Date.now() - began) / 1000
    duration.observe(seconds)
    metrics.access.decided(decision, seconds)
    c.get('audit')?.decided(decision)
    if (decision.error !== undefined && !decision.allowed) throw internalError(decision.error)
    if (!decision.allowed) {
      Object.assign(c.get('responseHeaders'), refusalHeaders)
      throw refusalError(user, attributes, decision.reason)
    }
    await next()
  }
}
