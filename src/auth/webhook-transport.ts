/** The network access of admission and conversion webhooks. */
import type { CollectionClient } from '../clusters/collection-client.ts'
import { defaultCluster } from '../clusters/placement.ts'
import type { Network } from '../clusters/webhooks/network.ts'
import { type ConnectionPool, pinnedFetch } from '../clusters/webhooks/pinned-fetch.ts'
import { addressOf } from '../clusters/webhooks/service.ts'
import type { WebhookAddress, WebhookService, WebhookTransport } from '../clusters/webhooks/transport.ts'
import type { ServiceRoutes } from '../config/service-routes.ts'
import { type SettingTexts, settingValues } from '../config/settings.ts'

/** Returns the URL with the address of the server. */
function urlAt(url: string, { hostname, port }: WebhookAddress): string {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  return url.replace(/^https:\/\/[^/?]*/, `https://${host}:${port}`)
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
export function webhookTransport(bindings: SettingTexts, { objects, network, pool }: WebhookCluster): WebhookTransport {
  const { serviceRoutes } = settingValues(bindings)
  const routeTo = (service: WebhookService): WebhookAddress | undefined => {
    if (objects.cluster !== defaultCluster) return undefined
    return routed(serviceRoutes, service)
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
