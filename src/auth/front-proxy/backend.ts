/** The servers behind APIServices, as the code that sends requests to them sees them. */
import type { ApiService } from '../../clusters/api-services.ts'
import type { Connection, ConnectionPool } from '../../clusters/webhooks/pinned-fetch.ts'
import type { WebhookAddress } from '../../clusters/webhooks/transport.ts'
import type { HttpRequest } from '../../net/http-exchange.ts'

/** The way to a server. */
export interface Backend {
  readonly address: WebhookAddress
  /** PEM; 'any': the certificate of the server is not verified. */
  readonly authorities: readonly string[] | 'any'
}

/** Reports a server that has not answered; the text is that of kube-apiserver. */
export class BackendError extends Error {}

/** Returns `host:port`, which requests name. */
export const hostOf = ({ hostname, port }: WebhookAddress): string =>
  hostname.includes(':') ? `[${hostname}]:${port}` : `${hostname}:${port}`

/** How a request is sent. */
export interface BackendSending {
  readonly signal: AbortSignal
  readonly pool?: ConnectionPool | undefined
}

/** The servers behind the APIServices of one cluster. */
export interface Backends {
  /** Whether a client certificate proves to the server that this is the front proxy. */
  readonly isCertified: (backend: Backend) => boolean
  /**
   * Finds the server of an APIService.
   * @throws Error with kube-apiserver's reason if its Service leads nowhere
   */
  readonly find: (service: Pick<ApiService, 'service' | 'caBundle' | 'isInsecure'>) => Promise<Backend>
  /**
   * Sends a request.
   * @throws BackendError
   */
  readonly send: (backend: Backend, request: HttpRequest, sending: BackendSending) => Promise<Response>
  /** Opens a connection for a request that changes the protocol. @throws BackendError */
  readonly connect: (backend: Backend, signal: AbortSignal) => Promise<Connection>
}
