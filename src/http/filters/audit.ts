/** WithAudit: begins the audit record of an authenticated request. */
import type { AuditLog } from '../audit/log.ts'
import { type AuditedRequest, beginAudit } from '../audit/request-audit.ts'
import type { Filter, RequestContext } from './filter.ts'

/** Returns the properties of a request with which its audit record begins. */
export const auditedRequest = (c: RequestContext): AuditedRequest => ({
  request: c.req.raw,
  info: c.get('info'),
  auditId: c.get('auditId'),
  receivedAt: c.get('receivedAt'),
  waitUntil: (work) => c.executionCtx.waitUntil(work),
})

/**
 * Reads `authenticatedUser` and `attributes`; sets `audit`, unless the policy's level for the request is `None`. Emits the stage
 * RequestReceived; withAuditInit emits the stages of the response.
 */
export function withAudit(log: AuditLog): Filter {
  return (c, next) => {
    const audit = beginAudit(log, auditedRequest(c), c.get('authenticatedUser'), c.get('attributes'))
    c.set('audit', audit)
    audit?.received()
    return next()
  }
}
