/**
 * The whole handler chain, in order: what is asked, who asks, as whom, may they, and then the answer.
 * Whatever is thrown on the way becomes a Status in status.ts.
 */
import { auditHeader, isLarge } from '../clusters/operation.ts'
import { ApiError } from '../meta/errors.ts'
import { newUid } from '../meta/uid.ts'
import type { User } from '../meta/user.ts'
import { authenticate, ignoredTokenWarning } from './chain/authentication.ts'
import { attributesOf, requireAuthorization } from './chain/authorization.ts'
import { impersonate } from './chain/impersonation.ts'
import { type NonResourceRequest, type ResourceRequest, requestInfo } from './chain/request-info.ts'
import { encodingHeaders } from './codec/content-encoding.ts'
import { negotiateError } from './codec/negotiate.ts'
import { render } from './codec/render.ts'
import { checkMediaTypes } from './codec/route-media-types.ts'
import type { Server } from './context.ts'
import { routeNotFound } from './discovery/not-found.ts'
import { serveRootPaths } from './discovery/root-paths.ts'
import { serveDiscovery } from './discovery/serve.ts'
import { serveHealth } from './health.ts'
import { serveOpenApi } from './openapi/serve.ts'
import { serveServiceAccountIssuer } from './service-account-issuer.ts'
import { errorStatus } from './status.ts'
import { withDeprecation } from './verbs/deprecation.ts'
import { addWarnings } from './verbs/respond.ts'
import { route } from './verbs/route.ts'
import { serveVersionInfo } from './version.ts'

/** Answers a request, whatever it is. Never throws. */
export async function handle(server: Server, request: Request): Promise<Response> {
  const response = await answer(server, request).catch((thrown: unknown) => {
    const output = negotiateError(request)
    return errorStatus(thrown, (status) => {
      const body = render(status, output)
      return { body, headers: { 'content-type': output.mediaType, ...encodingHeaders(output.encoding, isLarge(body)) } }
    })
  })
  if (!response.headers.has(auditHeader)) response.headers.set(auditHeader, newUid())
  const warning = ignoredTokenWarning(request)
  if (warning === undefined) return response
  const warned = new Response(response.body, response)
  addWarnings(warned.headers, [warning])
  return warned
}

async function answer(server: Server, request: Request): Promise<Response> {
  const { path, query } = splitUrl(request.url)
  const info = requestInfo(request.method, path, query)
  if (info === undefined) throw new ApiError(400, 'BadRequest', 'the path is no valid URL encoding')
  const asked = attributesOf(info, query)
  const asker = await authenticate(request, info.path, server.authentication)
  const user = await impersonate(request, asker, server.authorizer, asked)
  await requireAuthorization(server.authorizer, user, asked)
  const found = info.isResource
    ? await serveResource(server, request, query, info, user)
    : await serveOther(server, request, info)
  return found ?? routeNotFound(info.path, server.discovery)
}

async function serveOther(server: Server, request: Request, info: NonResourceRequest): Promise<Response | undefined> {
  return (
    (await serveHealth(request, info.path, server.health)) ??
    serveVersionInfo(request, info.path, server.build) ??
    (await serveDiscovery(request, info.path, server.discovery, server.serverAddress)) ??
    (await serveOpenApi(request, info.path)) ??
    (await serveServiceAccountIssuer(request, info.path, server.issuer, server.serverAddress)) ??
    serveRootPaths(info.path, server.discovery, server.otherPaths)
  )
}

async function serveResource(
  server: Server,
  request: Request,
  query: URLSearchParams,
  info: ResourceRequest,
  user: User,
): Promise<Response | undefined> {
  const found = route(request.method, info)
  if (found === undefined) return undefined
  checkMediaTypes(found.mediaTypes, request)
  const { group, version, resource, subresource, name } = info
  const namespace = found.kind.namespaced ? info.namespace : ''
  const target = { group, version, resource, subresource, namespace, name }
  const response = await found.handler({ server, request, query, info, user, kind: found.kind, target })
  if (found.kind.storage.prefix === 'serviceaccounts' && request.method !== 'GET') server.accounts.forget()
  return withDeprecation(response, found.kind)
}

/** The path as it was sent and the parameters; the URL class would resolve dots in the path. */
function splitUrl(url: string): { path: string; query: URLSearchParams } {
  const slash = url.indexOf('/', url.indexOf('//') + 2)
  const path = slash < 0 ? '/' : url.slice(slash)
  const mark = path.indexOf('?')
  return mark < 0 ? { path, query: noQuery } : { path: path.slice(0, mark), query: new URLSearchParams(path.slice(mark + 1)) }
}

const noQuery = new URLSearchParams()
