/** Passes requests on to the API servers behind APIServices. Follows proxyHandler of k8s.io/kube-aggregator. */
import type { Next } from 'hono'
import { type Backend, BackendError, type Backends, hostOf } from '../../auth/front-proxy/backend.ts'
import { sendThrough } from '../../auth/front-proxy/forwarding.ts'
import { identityHeaders } from '../../auth/front-proxy/identity-headers.ts'
import type { UserTokenIssuer } from '../../auth/front-proxy/user-tokens.ts'
import { type ApiService, apiServiceOf } from '../../clusters/api-services.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import type { PolicyCache } from '../../clusters/policy.ts'
import type { ReadCache } from '../../clusters/read-cache.ts'
import type { HttpRequest } from '../../net/http-exchange.ts'
import { isProxiedSpdy, statusOfClient } from '../../net/proxied-spdy.ts'
import { noCache } from '../codec/headers.ts'
import type { Filter, RequestContext } from '../filters/filter.ts'
import { onlyRead } from '../filters/past.ts'
import { askerOf } from '../filters/policy.ts'
import type { RequestInfo } from '../request-info.ts'
import { isWebSocketRequest } from '../websocket.ts'
import { aggregationHeaders, answeredHeaders } from './headers.ts'
import { withHeartbeats } from './heartbeat.ts'
import { joinSpdy } from './spdy-bytes.ts'
import { joinWebSockets } from './web-socket.ts'

/** The services that the proxy uses. */
export interface AggregationServices {
  readonly client: CollectionClient
  readonly policy: PolicyCache
  readonly reads: ReadCache
  readonly backends: Backends
  readonly userTokens: UserTokenIssuer
  /** Headers that forbid proxies to compress a watch. */
  readonly watchHeaders: Readonly<Record<string, string>>
}

/** Returns a page of Go's http.Error. */
const page = (code: number, text: string): Response =>
  new Response(`${text}\n`, {
    status: code,
    headers: { ...noCache, 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  })

const unavailable = (): Response => page(503, 'service unavailable')

/** Returns the response to a redirect, which could lead a client's credentials anywhere. */
const redirected = (): Response =>
  new Response('the backend attempted to redirect this request, which is not permitted', {
    status: 502,
    headers: { ...noCache, 'content-type': 'text/plain; charset=utf-8' },
  })

const isRedirect = ({ status, headers }: Response): boolean => status >= 300 && status <= 399 && headers.has('location')

/** Returns group and version of a path below /apis; undefined for a path without both. */
function groupVersionOf(info: RequestInfo): readonly [group: string, version: string] | undefined {
  if (info.isResource) return info.group === '' ? undefined : [info.group, info.version]
  const [, root, group = '', version = ''] = info.path.split('/')
  return root === 'apis' && group !== '' && version !== '' ? [group, version] : undefined
}

/** How long connecting for a WebSocket may take, in milliseconds. */
const handshakePatience = 10_000
/** The request has been answered with 504 before its connection is closed, so long after the deadline in milliseconds. */
const grace = 500

const endOf = (deadline: number | undefined): number | undefined => (deadline === undefined ? undefined : deadline + grace)

/** A response of another server. */
interface Sent {
  readonly response: Response
  /** 'manual' if its body is as the server has encoded it; the runtime decodes what it receives itself. */
  readonly encodeBody: 'automatic' | 'manual'
}

/** Passes on a WebSocket, or SPDY. */
type Join = typeof joinWebSockets

/** The proxy to the API servers of one cluster. */
export class Aggregation {
  readonly #services: AggregationServices

  constructor(services: AggregationServices) {
    this.#services = services
  }

  /**
   * Passes a request for a group version of another server on, before the built-in kinds are tried: an APIService that names a
   * Service wins. An outdated snapshot may only miss such an APIService; `late` finds it.
   */
  readonly early: Filter = (c, next) => {
    const known = this.#services.policy.known
    const place = known === undefined ? undefined : groupVersionOf(c.get('info'))
    if (known === undefined || place === undefined || apiServiceOf(known.apiServices, ...place) === undefined) return next()
    return this.#confirmed(c, next)
  }

  /** Passes a request for a document of OpenAPI 3 on that another server has. The other server sees who reads it. */
  readonly openApi = async (c: RequestContext, next: Next): Promise<Response | undefined> => {
    const part = c.get('info').path.slice('/openapi/v3/'.length)
    const known = this.#services.policy.known?.apiServices ?? {}
    const service = Object.values(known).find(({ openApi = {}, isAvailable }) => isAvailable && Object.hasOwn(openApi, part))
    if (service !== undefined) return this.#proxy(c, service)
    await next()
    return undefined
  }

  async #confirmed(c: RequestContext, next: Next): Promise<Response | undefined> {
    const response = await this.late(c)
    if (response === undefined) await next()
    return response
  }

  /** Passes a request on that nobody else serves; resolves to undefined if no APIService exists for it now. */
  async late(c: RequestContext): Promise<Response | undefined> {
    const place = groupVersionOf(c.get('info'))
    if (place === undefined) return undefined
    const service = await this.#services.policy.answer(
      ({ apiServices }) => apiServiceOf(apiServices, ...place),
      (found) => found?.isAvailable === true,
      askerOf(c),
    )
    return service && this.#proxy(c, service)
  }

  /** @throws ApiError 405 for the past, which the other server does not have */
  async #proxy(c: RequestContext, service: ApiService): Promise<Response> {
    if (c.get('time') !== undefined) throw onlyRead()
    c.env.suspension?.begin()
    // The other server limits its own requests.
    c.get('releases').giveBack()
    if (!service.isAvailable) return unavailable()
    let backend: Backend
    try {
      backend = await this.#backendOf(service)
    } catch {
      return unavailable()
    }
    try {
      const response = await this.#answer(c, service, backend)
      if (!isRedirect(response)) return response
      await response.body?.cancel()
      return redirected()
    } catch (error) {
      if (!(error instanceof BackendError)) throw error
      return page(503, `error trying to reach service: ${error.message}`)
    }
  }

  /** Finds the server; a server that was found may be one second old. */
  async #backendOf(service: ApiService): Promise<Backend> {
    const { backends, reads } = this.#services
    const { namespace, name, port } = service.service
    const key = `backend/${namespace}/${name}:${port}/${service.isInsecure}/${service.caBundle}`
    return (await reads.find('services', key, () => backends.find(service))) as Backend
  }

  async #answer(c: RequestContext, service: ApiService, backend: Backend): Promise<Response> {
    const request = await this.#requestOf(c, service, backend)
    if (isWebSocketRequest(c.req.raw)) return this.#join(joinWebSockets, backend, request, c.req.raw)
    if (isProxiedSpdy(c.req.raw)) return this.#join(joinSpdy, backend, request, c.req.raw)
    const { response, encodeBody } = await this.#send(c, service, backend, request)
    const { status, body } = response
    const isWatch = c.get('attributes').verb === 'watch'
    const own = { ...c.get('responseHeaders'), ...(isWatch && this.#services.watchHeaders) }
    const headers = answeredHeaders(response.headers, own)
    const isText = isWatch && status === 200 && /^application\/json\b/.test(headers.get('content-type') ?? '')
    return new Response(isText && body !== null ? withHeartbeats(body) : body, { status, headers, encodeBody })
  }

  /** Passes another protocol on. @throws BackendError */
  async #join(join: Join, backend: Backend, request: HttpRequest, received: Request): Promise<Response> {
    const connection = await this.#services.backends.connect(backend, AbortSignal.timeout(handshakePatience))
    const response = await join(connection, request, received).catch((error: unknown) => {
      throw new BackendError(error instanceof Error ? error.message : 'EOF')
    })
    if (statusOfClient(response) === 101) return response
    const { status, body, headers } = response
    return new Response(body, { status, headers: answeredHeaders(headers, {}), encodeBody: 'manual' })
  }

  async #requestOf(c: RequestContext, { service }: ApiService, backend: Backend): Promise<HttpRequest> {
    const { backends, userTokens } = this.#services
    const [received, user] = [c.req.raw, c.get('user')]
    const host = hostOf(backend.address)
    const { location } = c.get('address')
    const headers = [...aggregationHeaders(received, { host, location, auditId: c.get('auditId') }), ...identityHeaders(user)]
    if (!backends.isCertified(backend)) headers.push(['Authorization', `Bearer ${await userTokens.tokenFor(user, service)}`])
    return { method: received.method, path: location, host, headers, body: received.body }
  }

  async #send(c: RequestContext, service: ApiService, backend: Backend, request: HttpRequest): Promise<Sent> {
    const { client, backends } = this.#services
    const deadline = endOf(c.get('deadline'))
    const isBound = backend.address.binding !== undefined
    if (deadline !== undefined && !isBound) {
      const stub = client.backend(service.group, service.version)
      const response = await sendThrough(stub, backend, request, deadline)
      if (response !== undefined) return { response, encodeBody: 'automatic' }
    }
    const signal = deadline === undefined ? c.req.raw.signal : AbortSignal.timeout(Math.max(1, deadline - Date.now()))
    return { response: await backends.send(backend, request, { signal }), encodeBody: isBound ? 'automatic' : 'manual' }
  }
}
