/** WithAudit: begins the audit record of an authenticated request. */
import { goQuote } from '../../go/text.ts'
import type { AuditLog } from '../audit/log.ts'
import { type AuditedRequest, beginAudit } from '../audit/request-audit.ts'
import type { Filter, RequestContext } from './filter.ts'

/** Returns the properties of a request with which its audit record begins. */
export function auditedRequest(c: RequestContext): AuditedRequest {
  const { clusterPath, location } = c.get('address')
  return {
    request: c.req.raw,
    uri: clusterPath + location,
    info: c.get('info'),
    auditId: c.get('auditId'),
    receivedAt: c.get('receivedAt'),
    waitUntil: (work) => c.executionCtx.waitUntil(work),
  }
}

/** The response of kube-apiserver's responsewriters.InternalError. */
function notStored(url: string): Response {
  const { pathname, search } = new URL(url)
  const page = `Internal Server Error: ${goQuote(pathname + search)}: failed to store audit event\n`
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
  return new Response(page, { status: 500, headers })
}

/**
 * Reads `authenticatedUser` and `attributes`; sets `audit`, unless the policy's level for the request is `None`. Emits the stage
 * RequestReceived, and responds with 500 if it must be stored and is not; withAuditInit emits the stages of the response.
 */
export function withAudit(log: AuditLog): Filter {
  return (c, next) => {
    const audit = beginAudit(log, auditedRequest(c), c.get('authenticatedUser'), c.get('attributes'))
    c.set('audit', audit)
    c.env.suspension?.begin()
    const { attempts } = c.env
    if (attempts?.isReceived === true) return next()
    const stored = audit?.received()
    if (attempts !== undefined) attempts.isReceived = audit !== undefined
    if (stored === undefined) return next()
    return stored.then(async (isStored) => {
      if (isStored) {
        await next()
        return undefined
      }
      audit?.rejected()
      return notStored(c.req.raw.url)
    })
  }
}
