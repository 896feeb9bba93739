/** The network access of webhook calls. */
import type { Network } from './network.ts'

/** A server to which a call goes. */
export interface WebhookAddress {
  /** The host to connect to: a name or an address, an IPv6 address without brackets. */
  readonly hostname: string
  readonly port: number
  /** The name that the certificate must be valid for. */
  readonly serverName: string
  /** The service binding that leads to the server, instead of the network. */
  readonly binding?: string
}

/** A reference to the Service of a webhook. */
export interface WebhookService {
  readonly namespace: string
  readonly name: string
  readonly path?: string
  readonly port?: number
}

/** The address of a webhook (WebhookClientConfig). */
export interface WebhookClient {
  readonly url?: string
  readonly service?: WebhookService
  /** PEM in base64. */
  readonly caBundle?: string | null
}

/** The network access of webhook calls. */
export interface WebhookTransport {
  /** The network of the cluster. */
  readonly network: Network
  /**
   * Fetches from a webhook.
   * @param url as the client of kube-apiserver shows it; its host names the server
   * @param address the server to connect to
   * @param authorities the authorities to trust, PEM; empty for those that everybody trusts
   * @throws Error with the reason in Go's words if it is known, or the runtime's error
   */
  readonly fetch: (url: string, init: RequestInit, address: WebhookAddress, authorities: readonly string[]) => Promise<Response>
  /**
   * Returns the server of a Service.
   * @throws Error with upstream's reason if it cannot be reached
   */
  readonly resolve: (service: WebhookService) => Promise<WebhookAddress>
  /** Whether a route leads to a Service, so that its endpoints do not matter. */
  readonly isRouted: (service: WebhookService) => boolean
}
