/** The network access of admission and conversion webhooks. */
import type { CollectionClient } from '../clusters/collection-client.ts'
import { defaultCluster } from '../clusters/placement.ts'
import type { Network } from '../clusters/webhooks/network.ts'
import { type ConnectionPool, pinnedFetch } from '../clusters/webhooks/pinned-fetch.ts'
import { addressOf } from '../clusters/webhooks/service.ts'
import type { WebhookAddress, WebhookService, WebhookTransport } from '../clusters/webhooks/transport.ts'
import { parseServiceRoutes, type ServiceRoutes } from '../config/service-routes.ts'

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

/** A cluster whose webhooks are called. */
interface WebhookCluster {
  /** The client of the cluster whose Services are used. */
  readonly objects: CollectionClient
  /** The network in which the servers are. */
  readonly network: Network
  /** Keeps connections between calls; absent in a Worker. */
  readonly pool?: ConnectionPool
}

/**
 * Returns the transport of a cluster. Authorities are checked by a TLS client of its own, and nobody else is trusted then; without
 * them the runtime decides whom to trust.
 * @param bindings of the deployment; their routes are those of the default cluster: they lead to servers of the operator
 */
export function webhookTransport(bindings: WebhookBindings, { objects, network, pool }: WebhookCluster): WebhookTransport {
  let parsed: ServiceRoutes | undefined
  const routeTo = (service: WebhookService): WebhookAddress | undefined => {
    if (objects.cluster !== defaultCluster) return undefined
    parsed ??= parseServiceRoutes(bindings.SERVICE_ROUTES ?? '')
    return routed(parsed, service)
  }
  return {
    network,
    fetch: async (url, init, address, authorities) => {
      if (address.binding !== undefined) return fetchBound(bindings, address.binding, url, init)
      const isPinned = authorities.length > 0 || address.serverName !== address.hostname
      if (!isPinned) return network.fetch(urlAt(url, address), init)
      return pinnedFetch(url, init, { address, authorities, network }, pool)
    },
    resolve: async (service) => routeTo(service) ?? addressOf(objects, service),
    isRouted: (service) => routeTo(service) !== undefined,
  }
}
