/**
 * The whole handler chain, in order: what is asked, who asks, as whom, is it their turn, may they, and then the answer.
 * Whatever is thrown on the way becomes a Status in status.ts.
 */

import type { Attributes } from '../auth/attributes.ts'
import type { Kind } from '../catalog/kind.ts'
import { auditHeader, isLarge } from '../clusters/operation.ts'
import { tooManyRequestsMessage } from '../meta/errors.ts'
import type { User } from '../meta/user.ts'
import { type AuditedRequest, beginAudit } from './chain/audit.ts'
import { authenticate, ignoredTokenWarning } from './chain/authentication.ts'
import { attributesOf, requireAuthorization } from './chain/authorization.ts'
import { type Aside, beginExchange, type Exchange } from './chain/exchange.ts'
import { impersonate } from './chain/impersonation.ts'
import { addressWait, admit, tooManyRequests } from './chain/limits.ts'
import { inTime, requestTimeout } from './chain/request-deadline.ts'
import type { NonResourceRequest, RequestInfo, ResourceRequest } from './chain/request-info.ts'
import { unreadablePath } from './chain/unreadable-path.ts'
import { encodingHeaders } from './codec/content-encoding.ts'
import { documentRule, negotiateError, noTransform } from './codec/negotiate.ts'
import { render } from './codec/render.ts'
import { checkMediaTypes } from './codec/route-media-types.ts'
import type { Server } from './context.ts'
import { routeNotFound } from './discovery/not-found.ts'
import { serveRootPaths } from './discovery/root-paths.ts'
import { serveDiscovery } from './discovery/serve.ts'
import { serveHealth } from './health.ts'
import type { RequestKind } from './metrics/request-metrics.ts'
import { serveMetrics } from './metrics/serve.ts'
import { serveOpenApi } from './openapi/serve.ts'
import { serveServiceAccountIssuer } from './service-account-issuer.ts'
import { errorStatus, foreseen, requestTimedOut } from './status.ts'
import { serveStatusz } from './statusz.ts'
import { discardBody } from './unread-body.ts'
import { customRoute } from './verbs/custom-route.ts'
import { isDeprecated, withDeprecation } from './verbs/deprecation.ts'
import { addWarnings } from './verbs/respond.ts'
import { route } from './verbs/route.ts'
import { serveVersionInfo } from './version.ts'
import { resolveLookup } from './worker-lookups.ts'

/**
 * Answers a request, whatever it is. Never throws.
 * @param aside takes what goes on when the answer is under way
 */
export function handle(server: Server, request: Request, aside: Aside): Promise<Response> {
  const answered = exchanged(server, request, aside)
  // The runtime drops what it does for a client that has gone, and with it the seat that the request has: unless it is aside.
  aside(answered)
  return answered
}

async function exchanged(server: Server, request: Request, aside: Aside): Promise<Response> {
  const exchange = beginExchange(server, request, aside)
  const response = await answerInTime(server, exchange).catch((thrown: unknown) => refuse(server, exchange, thrown))
  return finish(server, exchange, response)
}

async function answerInTime(server: Server, exchange: Exchange): Promise<Response> {
  const { location, query, info, unreadable, headers, receivedAt } = exchange
  if (unreadable !== undefined) return unreadablePath(unreadable, location)
  if (info === undefined) throw new Error('a path that is neither read nor unreadable')
  const milliseconds = requestTimeout(info, query)
  if (milliseconds === undefined) return answer(server, exchange, info, undefined)
  const work = (): Promise<Response> => answer(server, exchange, info, receivedAt + milliseconds)
  return inTime(milliseconds, work, () => {
    for (const name of flowHeaders) delete headers[name]
    return requestTimedOut()
  })
}

async function answer(server: Server, exchange: Exchange, info: RequestInfo, deadline: number | undefined): Promise<Response> {
  const { request, query, headers } = exchange
  const preflight = server.browserHeaders.preflight(request, headers)
  if (preflight !== undefined) return preflight
  const asked = attributesOf(info, query)
  const asker = await authenticated(server, exchange, info)
  exchange.audit = server.audit && beginAudit(server.audit, auditedOf(exchange, info), asker, asked)
  exchange.audit?.received()
  const user = await impersonate(request, asker, server.authorizer, asked)
  if (user !== asker) exchange.audit?.impersonated(user)
  const refusal = await enter(server, exchange, user, asked)
  if (refusal !== undefined) return refusal
  await requireAuthorization(server.authorizer, user, asked, (decision) => {
    server.metrics.requests.decided(decision)
    exchange.audit?.decided(decision)
  })
  const objects = server.collections.forRequest({
    headers,
    deadline,
    observer: exchange.audit,
    resolve: (lookup, collections) => resolveLookup({ server, user, collections }, lookup),
  })
  const found = info.isResource
    ? await serveResource({ ...server, collections: objects }, exchange, query, info, user)
    : await serveOther(server, request, info)
  return found ?? routeNotFound(info.path, await server.discovery.current())
}

async function authenticated(server: Server, exchange: Exchange, info: RequestInfo): Promise<User> {
  exchange.authentication = 'failed'
  const user = await authenticate(exchange.request, info.path, server.authentication)
  exchange.authentication = 'succeeded'
  server.metrics.requests.authenticated(user.name)
  return user
}

const auditedOf = ({ request, auditId, receivedAt, aside }: Exchange, info: RequestInfo): AuditedRequest => ({
  request,
  info,
  auditId,
  receivedAt,
  aside,
})

/** Waits for the request's turn; gives the answer where it has none. */
async function enter(server: Server, exchange: Exchange, user: User, asked: Attributes): Promise<Response | undefined> {
  const { request, aside, headers, held } = exchange
  const { flow, outcome } = await admit(server, request, user, asked, aside)
  if (flow !== undefined) {
    headers[flowSchemaHeader] = flow.schema.uid
    headers[priorityLevelHeader] = flow.level.uid
    if (outcome instanceof Response) server.metrics.rejected(flow)
    else server.metrics.dispatched(flow)
  }
  if (outcome instanceof Response) return outcome
  const kind: RequestKind = readOnlyVerbs.has(asked.verb) ? 'readOnly' : 'mutating'
  const { requests } = server.metrics
  requests.begin(kind, Date.now())
  held.add(outcome)
  held.add(() => requests.end(kind, Date.now()))
  return undefined
}

/** Under what a request runs. */
const flowHeaders = ['x-kubernetes-pf-flowschema-uid', 'x-kubernetes-pf-prioritylevel-uid'] as const
const [flowSchemaHeader, priorityLevelHeader] = flowHeaders

const readOnlyVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch'])

async function refuse(server: Server, exchange: Exchange, thrown: unknown): Promise<Response> {
  const { request, query, info, authentication } = exchange
  await discardBody(request)
  if (authentication === 'failed') {
    server.metrics.requests.authenticated(undefined)
    const wait = await addressWait(server.limits, request)
    if (wait > 0) return tooManyRequests(wait)
  }
  const output = negotiateError(request, info?.isResource === false ? documentRule : noTransform)
  const known = foreseen(thrown)
  const answer = errorStatus(thrown, (status) => {
    if (authentication !== 'succeeded' && info !== undefined && server.audit !== undefined) {
      beginAudit(server.audit, auditedOf(exchange, info), undefined, attributesOf(info, query))?.unauthenticated(status)
    } else if (known === undefined) {
      exchange.audit?.panicked(status)
      exchange.audit = undefined
    } else exchange.audit?.refused(status)
    const body = render(status, output)
    return { body, headers: { 'content-type': output.mediaType, ...encodingHeaders(output.encoding, isLarge(body)) } }
  })
  return known?.message === tooManyRequestsMessage ? tooManyRequests(known.details?.retryAfterSeconds ?? 1) : answer
}

/** The answer as it goes out, counted and recorded. */
function finish(server: Server, exchange: Exchange, response: Response): Response {
  const { request, query, info, kind, headers, held, receivedAt } = exchange
  held.giveBack()
  // What a collection has answered has them already, and cannot be changed.
  if (!response.headers.has(auditHeader)) for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  if (info !== undefined) {
    const { method } = request
    const isApply = method === 'PATCH' && (request.headers.get('content-type') ?? '').startsWith('application/apply-patch+yaml')
    const seconds = (Date.now() - receivedAt) / 1000
    server.metrics.requests.answered({ method, info, kind, query, isApply, code: response.status, seconds })
  }
  const recorded = exchange.audit?.respond(response) ?? response
  const warning = ignoredTokenWarning(request)
  if (warning === undefined) return recorded
  const warned = new Response(recorded.body, recorded)
  addWarnings(warned.headers, [warning])
  return warned
}

async function serveOther(server: Server, request: Request, info: NonResourceRequest): Promise<Response | undefined> {
  return (
    (await serveHealth(request, info.path, server.health)) ??
    (await serveMetrics(request, info.path, server)) ??
    serveStatusz(request, info.path, server.build, server.metrics.startedAt) ??
    serveVersionInfo(request, info.path, server.build) ??
    (await serveOpenApi(request, info.path, () => server.customVersions.current())) ??
    (await serveServiceAccountIssuer(request, info.path, server.issuer, server.serverAddress)) ??
    (await serveGroups(server, request, info.path))
  )
}

async function serveGroups(server: Server, request: Request, path: string): Promise<Response | undefined> {
  const discovery = await server.discovery.current()
  return (
    (await serveDiscovery(request, path, discovery, server.serverAddress)) ?? serveRootPaths(path, discovery, server.otherPaths)
  )
}

/** Groups whose objects decide, through the policy snapshot, about objects that the same client may write next. */
const decidingGroups: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'scheduling.k8s.io'])

function forgetChanged({ policy, accounts }: Server, { group, storage }: Kind): void {
  if (decidingGroups.has(group)) policy.invalidate()
  if (storage.prefix === 'serviceaccounts') accounts.invalidate()
}

/** Below /api are the kinds of no group, below /apis all others; a path that begins otherwise, with two slashes say, has no routes. */
const isRouted = ({ path, group }: ResourceRequest): boolean => path.startsWith(group === '' ? '/api/' : '/apis/')

async function serveResource(
  server: Server,
  exchange: Exchange,
  query: URLSearchParams,
  info: ResourceRequest,
  user: User,
): Promise<Response | undefined> {
  const { request } = exchange
  if (!isRouted(info)) return undefined
  const found = route(request.method, info) ?? (await customRoute(server.customKinds, info))
  if (found === undefined) return undefined
  exchange.kind = found.kind
  checkMediaTypes(found.mediaTypes, request)
  const { group, version, resource, subresource, name } = info
  const namespace = found.kind.namespaced ? info.namespace : ''
  const target = { group, version, resource, subresource, namespace, name }
  if (isDeprecated(found.kind)) {
    server.metrics.requests.deprecated(found.kind, subresource)
    exchange.audit?.deprecated(found.kind)
  }
  const { kind, isTerminating = false } = found
  const { audit } = exchange
  return withDeprecation(kind, async () => {
    const response = await found.handler({ server, request, query, info, user, kind, isTerminating, target, audit })
    // Who changes what decides about other objects and then writes one of those is to find it as it has become.
    if (request.method !== 'GET') forgetChanged(server, kind)
    return response
  })
}
