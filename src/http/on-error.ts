/** The error handler of the API server. It renders every error that a filter or handler throws. */
import { isLarge } from '../encoding/body.ts'
import { ClusterReplaced, tooManyRequestsMessage } from '../meta/errors.ts'
import { encodingHeaders } from './codec/content-encoding.ts'
import { documentRule, negotiateError, noView } from './codec/negotiate.ts'
import type { RequestContext } from './filters/filter.ts'
import { errorStatus, foreseen, tooManyRequests } from './status.ts'
import { discardBody } from './unread-body.ts'

/** Responds with a Status in a media type that the client accepts, and sets `answeredError` for the audit record and `isRefused` of the attempts. */
export async function onError(error: Error, c: RequestContext): Promise<Response> {
  const request = c.req.raw
  if (!(error instanceof ClusterReplaced)) await discardBody(request)
  else if (c.env.attempts !== undefined) c.env.attempts.isRefused = !request.bodyUsed
  const info: { readonly isResource: boolean } | undefined = c.get('info')
  const output = negotiateError(request, info?.isResource === false ? documentRule : noView)
  const known = foreseen(error)
  const response = errorStatus(error, (status) => {
    c.set('answeredError', { status, isForeseen: known !== undefined })
    const body = output.encoding.value(status)
    return { body, headers: { 'content-type': output.encoding.mediaType, ...encodingHeaders(output.compression, isLarge(body)) } }
  })
  return known?.message === tooManyRequestsMessage ? tooManyRequests(known.details?.retryAfterSeconds ?? 1) : response
}
