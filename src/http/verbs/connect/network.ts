/** Reaches nodes and Pods over the network. Follows KubeletClientConfig of k8s.io/kubernetes/pkg/kubelet/client. */
import type { Network } from '../../../clusters/webhooks/network.ts'
import { type Connection, open, openPlain } from '../../../clusters/webhooks/pinned-fetch.ts'
import { certificatesIn } from '../../../net/certificates.ts'
import { type ClientCertificate, readClientCertificate } from '../../../net/tls/client-certificate.ts'
import { type KubeletSettings, type NodeAccess, type Place, usualAddressTypes } from './node-access.ts'

const typesOf = ({ KUBELET_PREFERRED_ADDRESS_TYPES: types = '' }: KubeletSettings): readonly string[] =>
  types === '' ? usualAddressTypes : types.split(',').map((type) => type.trim())

/** Connects to nodes and Pods; presents the client certificate, if there is one, to kubelets alone. */
class NodeNetwork implements NodeAccess {
  readonly addressTypes: readonly string[]
  readonly checksNames: boolean
  readonly #settings: KubeletSettings
  readonly #network: Network
  readonly #authorities: readonly string[] | 'any'
  #client: Promise<ClientCertificate> | undefined

  constructor(settings: KubeletSettings, network: Network) {
    const authorities = certificatesIn(settings.KUBELET_CERTIFICATE_AUTHORITY ?? '')
    this.#settings = settings
    this.#network = network
    this.#authorities = authorities.length === 0 ? 'any' : authorities
    this.addressTypes = typesOf(settings)
    this.checksNames = settings.NODE_NETWORK !== undefined
  }

  async open({ scheme, address, peer, isName }: Place, signal: AbortSignal): Promise<Connection> {
    const server = { address, network: (isName ? this.#settings.NODE_NETWORK : undefined) ?? this.#network }
    if (scheme === 'http') return openPlain(server, signal)
    if (peer === 'workload') return open({ ...server, authorities: 'any' }, signal)
    const authorities = peer === 'kubelet' ? this.#authorities : 'any'
    return open({ ...server, authorities, client: await this.#certificate() }, signal)
  }

  async #certificate(): Promise<ClientCertificate | undefined> {
    const { KUBELET_CLIENT_CERTIFICATE: certificate = '', KUBELET_CLIENT_KEY: key = '' } = this.#settings
    if (certificate === '') return undefined
    this.#client ??= readClientCertificate(certificate, key)
    return this.#client
  }
}

/** Returns the access to the nodes and Pods of a network. */
export const nodeNetwork = (settings: KubeletSettings, network: Network): NodeAccess => new NodeNetwork(settings, network)
