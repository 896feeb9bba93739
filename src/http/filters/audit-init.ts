/** WithAuditInit: gives the request its id and, as the outermost filter, ends its audit record with the response that goes out. */
import { auditHeader } from '../../clusters/operation.ts'
import { newUid } from '../../meta/uid.ts'
import type { AuditLog } from '../audit/log.ts'
import { beginAudit } from '../audit/request-audit.ts'
import { auditedRequest } from './audit.ts'
import { type Filter, type RequestContext, replaceResponse } from './filter.ts'

/** The id that a client has given to its request. Anything else than a short printable text is replaced by a new id. */
const auditIdOf = (request: Request): string => {
  const given = request.headers.get(auditHeader) ?? ''
  return /^[\x21-\x7e]{1,256}$/.test(given) ? given : newUid()
}

/** Records an error; tells whether the record goes on to the stage ResponseComplete. */
function recordError(c: RequestContext, log: AuditLog): boolean {
  const error = c.get('answeredError')
  if (error === undefined) return true
  if (c.get('authenticatedUser') === undefined) {
    // WithFailedAuthenticationAudit: the request ends before the policy could be asked with a user.
    beginAudit(log, auditedRequest(c), undefined, c.get('attributes'))?.unauthenticated(error.status)
    return false
  }
  const audit = c.get('audit')
  if (error.isForeseen) audit?.refused(error.status)
  else audit?.panicked(error.status)
  return error.isForeseen
}

/**
 * Sets `auditId` and `responseHeaders`. After the chain it adds these headers to a response that does not have them yet, and ends
 * the audit record: it must be the outermost filter, because responses of others (a timeout, a refusal) are recorded, too.
 * @param log undefined if nothing is recorded
 */
export function withAuditInit(log: AuditLog | undefined): Filter {
  return async (c, next) => {
    const auditId = auditIdOf(c.req.raw)
    const responseHeaders: Record<string, string> = { [auditHeader]: auditId }
    c.set('auditId', auditId)
    c.set('responseHeaders', responseHeaders)
    await next()
    const response = c.res
    // A collection's answer has them already, and cannot be changed.
    if (!response.headers.has(auditHeader)) {
      for (const name in responseHeaders) response.headers.set(name, responseHeaders[name] ?? '')
    }
    if (log === undefined || !recordError(c, log)) return
    const recorded = c.get('audit')?.respond(response) ?? response
    if (recorded !== response) replaceResponse(c, recorded)
  }
}
