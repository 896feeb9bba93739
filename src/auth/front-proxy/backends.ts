/** Sends requests to the servers behind APIServices: over the network as a front proxy, or through a service binding. */
import type { ApiService } from '../../clusters/api-services.ts'
import { defaultCluster } from '../../clusters/placement.ts'
import { reasonOf } from '../../clusters/webhooks/call.ts'
import { type Connection, open, type PinnedServer, sendPinned } from '../../clusters/webhooks/pinned-fetch.ts'
import type { WebhookAddress, WebhookTransport } from '../../clusters/webhooks/transport.ts'
import type { SettingValues } from '../../config/settings.ts'
import { certificatesIn } from '../../net/certificates.ts'
import type { HttpRequest } from '../../net/http-exchange.ts'
import { type ClientCertificate, readClientCertificate } from '../../net/tls/client-certificate.ts'
import { type Backend, BackendError, type BackendSending, type Backends, hostOf } from './backend.ts'

/** The settings of the front proxy: its client certificate for other API servers, PEM, and the key. */
export type FrontProxySettings = Pick<SettingValues, 'proxyClientCertificate' | 'proxyClientKey'>

/**
 * Returns the settings of a cluster. A named cluster has no certificate: the administrator of such a cluster decides who its users
 * are, and a server that believes the certificate would believe them all.
 */
export const frontProxySettingsOf = (settings: FrontProxySettings, cluster: string): FrontProxySettings =>
  cluster === defaultCluster ? settings : { proxyClientCertificate: '', proxyClientKey: '' }

/** Methods whose requests may be sent twice. */
const repeatable: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Reaches the servers over the network, or through service bindings. */
export class ReachableBackends implements Backends {
  readonly #settings: FrontProxySettings
  readonly #transport: WebhookTransport
  #client: Promise<ClientCertificate> | undefined

  constructor(settings: FrontProxySettings, transport: WebhookTransport) {
    this.#settings = settings
    this.#transport = transport
  }

  isCertified({ address }: Backend): boolean {
    return address.binding === undefined && this.#settings.proxyClientCertificate !== ''
  }

  async find({ service, caBundle, isInsecure }: Pick<ApiService, 'service' | 'caBundle' | 'isInsecure'>): Promise<Backend> {
    const address = await this.#transport.resolve(service)
    const authorities = isInsecure ? 'any' : certificatesIn(Buffer.from(caBundle, 'base64').toString('latin1'))
    return { address, authorities }
  }

  async send(backend: Backend, request: HttpRequest, { signal, pool }: BackendSending): Promise<Response> {
    const { address } = backend
    try {
      if (address.binding !== undefined) return await this.#sendBound(address, request, signal)
      const repeats = repeatable.has(request.method) && request.body === null
      return await sendPinned(await this.#pinned(backend), request, { signal, pool, repeats })
    } catch (error) {
      throw new BackendError(await reasonOf(error, this.#transport.network, address))
    }
  }

  async connect(backend: Backend, signal: AbortSignal): Promise<Connection> {
    try {
      return await open(await this.#pinned(backend), signal)
    } catch (error) {
      throw new BackendError(await reasonOf(error, this.#transport.network, backend.address))
    }
  }

  async #pinned({ address, authorities }: Backend): Promise<PinnedServer> {
    return { address, authorities, client: await this.#certificate(), network: this.#transport.network }
  }

  async #certificate(): Promise<ClientCertificate | undefined> {
    const { proxyClientCertificate: certificate, proxyClientKey: key } = this.#settings
    if (certificate === '') return undefined
    this.#client ??= readClientCertificate(certificate, key)
    return this.#client
  }

  #sendBound(address: WebhookAddress, { method, path, headers, body }: HttpRequest, signal: AbortSignal): Promise<Response> {
    const all = new Headers()
    for (const [name, value] of headers) all.append(name, value)
    const init = { method, headers: all, body, signal, redirect: 'manual' } as RequestInit
    return this.#transport.fetch(`https://${hostOf(address)}${path}`, init, address, [])
  }
}
