/**
 * WithCrossOriginProtection: pages of other origins cannot act with the credentials that a browser adds by itself. It has no
 * counterpart in kube-apiserver, which takes no such credentials; the rules are those of CrossOriginProtection of Go's net/http, and
 * stricter if a body has no Content-Type, or if the request was not made by a page.
 */
import { ApiError } from '../../meta/errors.ts'
import type { RequestInfo } from '../request-info.ts'
import { isWebSocketRequest } from '../websocket.ts'
import type { Filter } from './filter.ts'

/** Subresources that open a connection: a GET of them acts. */
const connections: ReadonlySet<string> = new Set(['attach', 'exec', 'portforward', 'proxy'])

/** Whether a request only reads. The handshake of a WebSocket does not: what follows it may be anything. */
function isRead(request: Request, info: RequestInfo): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false
  if (isWebSocketRequest(request)) return false
  return !info.isResource || (info.verbPrefix !== 'proxy' && !connections.has(info.subresource))
}

/** Whether an Origin is that of a URL. `null`, the origin of sandboxed pages and local files, is that of none. */
const isOriginOf = (origin: string, url: string): boolean => origin === new URL(url).origin

/** Whether a body was sent without its type. Pages of all origins can send such a body without asking the server first. */
function hasUntypedBody({ body, headers }: Request): boolean {
  return body !== null && headers.get('content-length') !== '0' && !headers.has('content-type')
}

/**
 * Returns the reason why a request must not act with credentials that a browser adds; undefined if it may. A client that sends
 * neither Sec-Fetch-Site nor Origin is no browser: browsers send at least one of them with all requests but reads.
 */
function refusalOf(request: Request): string | undefined {
  const { headers, url } = request
  const [site, origin] = [headers.get('sec-fetch-site'), headers.get('origin')]
  if (site === 'none') return 'it was not made by a page'
  if (site !== null && site !== 'same-origin') return `it was made by a page of another origin (Sec-Fetch-Site: ${site})`
  if (origin !== null && !isOriginOf(origin, url)) return `it was made by a page of another origin (${origin})`
  return hasUntypedBody(request) ? 'its body has no Content-Type' : undefined
}

/**
 * Reads `credential` and `info`. Users whose browser adds their credentials may only read, except from pages of this server. Adds
 * to `responseHeaders` that a browser runs no script in a response as a page of this server: other servers may have written it.
 * @throws ApiError 403 Forbidden
 */
export const withCrossOriginProtection: Filter = (c, next) => {
  if (c.get('credential') !== 'ambient') return next()
  const request = c.req.raw
  const refusal = isRead(request, c.get('info')) ? undefined : refusalOf(request)
  if (refusal !== undefined) {
    const message = `forbidden: the credentials of this request are added by a browser, and ${refusal}: it may only read`
    throw new ApiError(403, 'Forbidden', message)
  }
  c.get('responseHeaders')['content-security-policy'] = 'sandbox'
  return next()
}
