/** WithAuditInit: sets the Audit-ID and, as the outermost filter, completes the audit record with the final response. */
import { auditHeader } from '../../clusters/operation.ts'
import { newUid } from '../../meta/uid.ts'
import type { AuditLog } from '../audit/log.ts'
import { beginAudit } from '../audit/request-audit.ts'
import { auditedRequest } from './audit.ts'
import { type Filter, type RequestContext, replaceResponse } from './filter.ts'

/** Returns the client's Audit-ID if it is a short printable text, otherwise a new id. */
const auditIdOf = (request: Request): string => {
  const given = request.headers.get(auditHeader) ?? ''
  return /^[\x21-\x7e]{1,256}$/.test(given) ? given : newUid()
}

/** Records an error. Returns whether the stage ResponseComplete follows. */
function recordError(c: RequestContext, log: AuditLog): boolean {
  const error = c.get('answeredError')
  if (error === undefined) return true
  if (c.get('authenticatedUser') === undefined) {
    // WithFailedAuthenticationAudit: the request ends before withAudit, so the policy is evaluated here, without a user.
    beginAudit(log, auditedRequest(c), undefined, c.get('attributes'))?.unauthenticated(error.status)
    return false
  }
  const audit = c.get('audit')
  if (error.isForeseen) audit?.refused(error.status)
  else audit?.panicked(error.status)
  return error.isForeseen
}

/**
 * Sets `auditId` and `responseHeaders`. After the chain it adds these headers to a response that does not have them yet, and
 * completes the audit record, unless the server of another cluster with the same name will answer. It must be the outermost filter, because it also records the responses of other filters, such as a
 * timeout.
 * @param log undefined if there is no audit log
 */
export function withAuditInit(log: AuditLog | undefined): Filter {
  return async (c, next) => {
    const { attempts } = c.env
    const auditId = attempts?.auditId ?? auditIdOf(c.req.raw)
    if (attempts !== undefined) attempts.auditId = auditId
    const responseHeaders: Record<string, string> = { [auditHeader]: auditId }
    c.set('auditId', auditId)
    c.set('responseHeaders', responseHeaders)
    await next()
    if (attempts?.isRefused === true) return
    const response = c.res
    // A collection's response has the headers already, and is immutable.
    if (!response.headers.has(auditHeader)) {
      for (const name in responseHeaders) response.headers.set(name, responseHeaders[name] ?? '')
    }
    if (log === undefined || !recordError(c, log)) return
    const audit = c.get('audit')
    const recorded = audit?.respond(response) ?? response
    if (recorded !== response) replaceResponse(c, recorded)
    if (audit?.stored !== undefined) await audit.stored
  }
}
