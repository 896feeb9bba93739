/** The network access of admission and conversion webhooks. */
import type { CollectionClient } from '../clusters/collection-client.ts'
import { canConnect } from '../clusters/webhooks/can-connect.ts'
import { type ConnectionPool, pinnedFetch } from '../clusters/webhooks/pinned-fetch.ts'
import { addressOf } from '../clusters/webhooks/service.ts'
import type { WebhookAddress, WebhookService, WebhookTransport } from '../clusters/webhooks/transport.ts'
import { parseServiceRoutes, type ServiceRoutes } from '../config/service-routes.ts'
import { TlsError } from '../net/tls/bytes.ts'
import { fetchTrusting } from './ca-fetch.ts'

/** Returns the URL with the address of the server. */
function urlAt(url: string, { hostname, port }: WebhookAddress): string {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  return url.replace(/^https:\/\/[^/?]*/, `https://${host}:${port}`)
}

/** The bindings of a deployment that webhooks use. */
interface WebhookBindings {
  /** Routes to Services, in the format of config/service-routes.ts. */
  readonly SERVICE_ROUTES?: string
}

function routed(routes: ServiceRoutes, { namespace, name, port = 443 }: WebhookService): WebhookAddress | undefined {
  const route = routes.get(`${namespace}/${name}:${port}`)
  if (route === undefined) return undefined
  const serverName = `${name}.${namespace}.svc`
  if (route.to === 'binding') return { hostname: serverName, port, serverName, binding: route.name }
  return { hostname: route.hostname, port: route.port, serverName }
}

/** Fetches through a service binding: the runtime itself decides who answers. */
function fetchBound(bindings: object, name: string, url: string, init: RequestInit): Promise<Response> {
  const service = (bindings as Readonly<Record<string, Fetcher | undefined>>)[name]
  if (service === undefined) throw new Error(`there is no service binding ${name}`)
  return service.fetch(url, init)
}

const isTooOld = (error: unknown): boolean =>
  error instanceof TlsError && error.message.includes('protocol version not supported')

/**
 * Returns the transport of a deployment. Authorities are checked by a TLS client of its own; without them the runtime decides whom
 * to trust. Servers without TLS 1.3 are reached only with authorities that the launcher has told the runtime.
 * @param bindings of the deployment
 * @param objects the client of the cluster whose Services are used
 * @param pool keeps connections between calls; absent in a Worker
 */
export function webhookTransport(bindings: WebhookBindings, objects: CollectionClient, pool?: ConnectionPool): WebhookTransport {
  let parsed: ServiceRoutes | undefined
  const routeTo = (service: WebhookService): WebhookAddress | undefined => {
    parsed ??= parseServiceRoutes(bindings.SERVICE_ROUTES ?? '')
    return routed(parsed, service)
  }
  return {
    fetch: async (url, init, address, authorities) => {
      if (address.binding !== undefined) return fetchBound(bindings, address.binding, url, init)
      const isPinned = authorities.length > 0 || address.serverName !== address.hostname
      if (!isPinned) return fetch(urlAt(url, address), init)
      try {
        return await pinnedFetch(url, init, { address, authorities }, pool)
      } catch (error) {
        if (isTooOld(error)) return fetchTrusting(bindings, authorities)(urlAt(url, address), init)
        throw error
      }
    },
    resolve: async (service) => routeTo(service) ?? addressOf(objects, service),
    isRouted: (service) => routeTo(service) !== undefined,
    canConnect,
  }
}
