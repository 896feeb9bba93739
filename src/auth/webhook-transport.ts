/** The network access of admission and conversion webhooks. */
import type { CollectionClient } from '../clusters/collection-client.ts'
import { canConnect } from '../clusters/webhooks/can-connect.ts'
import { addressOf } from '../clusters/webhooks/service.ts'
import type { WebhookAddress, WebhookTransport } from '../clusters/webhooks/transport.ts'
import { fetchTrusting } from './ca-fetch.ts'

/** Returns the URL with the address of the server. */
function urlAt(url: string, { hostname, port }: WebhookAddress): string {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  return url.replace(/^https:\/\/[^/?]*/, `https://${host}:${port}`)
}

/**
 * Returns the transport of a deployment.
 * @param bindings of the deployment
 * @param objects the client of the cluster whose Services are used
 */
export function webhookTransport(bindings: object, objects: CollectionClient): WebhookTransport {
  return {
    fetch: (url, init, address, authorities) => fetchTrusting(bindings, authorities)(urlAt(url, address), init),
    resolve: (service) => addressOf(objects, service),
    canConnect,
  }
}
