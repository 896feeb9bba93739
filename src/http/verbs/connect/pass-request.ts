/** Passes a request on to a Pod, a node or the endpoint of a Service. Follows UpgradeAwareHandler and Transport of k8s.io/apimachinery/pkg/util/proxy. */
import { posix } from 'node:path'
import { auditHeader } from '../../../clusters/operation.ts'
import { escapedPath } from '../../../go/url.ts'
import { ApiError } from '../../../meta/errors.ts'
import { answeredHeaders, passedHeaders } from '../../aggregation/headers.ts'
import type { ResourceContext } from '../../context.ts'
import { hostPort } from './address.ts'
import { causeOf, type Destination, exchangeWith } from './dial.ts'
import { type Rewriting, rewritten, rewrittenLocation } from './rewrite.ts'

/** Returns the query of a URL with its question mark; '' without one. */
export function queryOf({ url }: Request): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark)
}

/** Headers by which a server would speak for this one: it allows pages of other origins, and names the request. */
const ofThisServer = [
  ...['credentials', 'headers', 'methods', 'origin'].map((name) => `access-control-allow-${name}`),
  auditHeader,
]

/** Returns the path of this server that stands for the root of the target. */
function prefixOf({ basePath, info }: ResourceContext, path: string): string {
  const { length } = info.path.endsWith(path) ? path : ''
  return basePath + info.path.slice(0, info.path.length - length)
}

/**
 * Passes the request on, and the response while it arrives.
 * @param path the decoded path at the target
 * @throws ApiError 503 if the target cannot be reached
 */
export async function passRequest(context: ResourceContext, destination: Destination, path: string): Promise<Response> {
  const { request } = context
  const prefix = prefixOf(context, path)
  const host = request.headers.get('host') ?? ''
  const uri = posix.join(prefix, escapedPath(path))
  const headers = [...passedHeaders(request), ['X-Forwarded-Uri', uri] as const]
  const target = `${escapedPath(path === '' ? '/' : path)}${queryOf(request)}`
  let response: Response
  try {
    const { method, body } = request
    response = await exchangeWith(context, destination, { method, path: target, host, headers, body })
  } catch (error) {
    // The transport of proxies does not guess that the other side speaks HTTP.
    const cause = causeOf(error).replace(
      /^http: server gave HTTP response.*/,
      'tls: first record does not look like a TLS handshake',
    )
    throw new ApiError(503, 'ServiceUnavailable', `error trying to reach service: ${cause}`)
  }
  return answered(response, { prefix, hosts: [hostPort(destination.hostname, destination.port), host] })
}

/** Returns the response to the client, with links that lead through this server. */
function answered(response: Response, rewriting: Rewriting): Response {
  const headers = answeredHeaders(response.headers, {})
  for (const name of ofThisServer) headers.delete(name)
  const { status, body } = response
  const location = headers.get('location')
  if (location !== null) headers.set('location', rewrittenLocation(location, rewriting))
  const isPage = location === null && /^text\/html\s*(?:;|$)/.test(headers.get('content-type') ?? '')
  if (isPage && body !== null) return rewritten(new Response(body, { status, headers, encodeBody: 'manual' }), rewriting)
  return new Response(withLength(body, headers.get('content-length')), { status, headers, encodeBody: 'manual' })
}

/** Returns the body with a known length if the server has told it: the runtime drops the header of other bodies. */
function withLength(body: ReadableStream<Uint8Array> | null, length: string | null): ReadableStream<Uint8Array> | null {
  if (body === null || length === null || !/^\d{1,15}$/.test(length)) return body
  return body.pipeThrough(new FixedLengthStream(Number(length)))
}
