/** Reaches nodes and Pods over the network. Follows KubeletClientConfig of k8s.io/kubernetes/pkg/kubelet/client. */
import type { Network } from '../../../clusters/webhooks/network.ts'
import { type Connection, open, openPlain } from '../../../clusters/webhooks/pinned-fetch.ts'
import type { SettingValues } from '../../../config/settings.ts'
import { certificatesIn } from '../../../net/certificates.ts'
import { type ClientCertificate, readClientCertificate } from '../../../net/tls/client-certificate.ts'
import type { NodeAccess, Place } from './node-access.ts'

/** The settings about kubelets. Without an authority, their certificates are not verified. */
type KubeletSettings = Pick<
  SettingValues,
  'kubeletClientCertificate' | 'kubeletClientKey' | 'kubeletCertificateAuthority' | 'kubeletPreferredAddressTypes'
>

/** The networks of nodes and Pods. */
interface NodeNetworks {
  readonly network: Network
  /** The network of all addresses to which proxies may connect; the runtime resolves names, and refuses other addresses. */
  readonly names?: Network | undefined
}

/** Connects to nodes and Pods; presents the client certificate, if there is one, to kubelets alone. */
class NodeNetwork implements NodeAccess {
  readonly addressTypes: readonly string[]
  readonly checksNames: boolean
  readonly #settings: KubeletSettings
  readonly #networks: NodeNetworks
  readonly #authorities: readonly string[] | 'any'
  #client: Promise<ClientCertificate> | undefined

  constructor(settings: KubeletSettings, networks: NodeNetworks) {
    const authorities = certificatesIn(settings.kubeletCertificateAuthority)
    this.#settings = settings
    this.#networks = networks
    this.#authorities = authorities.length === 0 ? 'any' : authorities
    this.addressTypes = settings.kubeletPreferredAddressTypes
    this.checksNames = networks.names !== undefined
  }

  async open({ scheme, address, peer, isName }: Place, signal: AbortSignal): Promise<Connection> {
    const { names, network } = this.#networks
    const server = { address, network: (isName ? names : undefined) ?? network }
    if (scheme === 'http') return openPlain(server, signal)
    if (peer === 'workload') return open({ ...server, authorities: 'any' }, signal)
    const authorities = peer === 'kubelet' ? this.#authorities : 'any'
    return open({ ...server, authorities, client: await this.#certificate() }, signal)
  }

  async #certificate(): Promise<ClientCertificate | undefined> {
    const { kubeletClientCertificate: certificate, kubeletClientKey: key } = this.#settings
    if (certificate === '') return undefined
    this.#client ??= readClientCertificate(certificate, key)
    return this.#client
  }
}

/** Returns the access to the nodes and Pods of a network. */
export const nodeNetwork = (settings: KubeletSettings, networks: NodeNetworks): NodeAccess => new NodeNetwork(settings, networks)
