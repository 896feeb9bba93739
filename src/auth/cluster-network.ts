/**
 * The networks of clusters. The default cluster connects to all that the runtime reaches, as kube-apiserver does. The administrators
 * of a named cluster must not reach what only the server reaches: their cluster connects to the public internet, and to what the
 * operator lists.
 */
import { defaultCluster } from '../clusters/placement.ts'
import type { Network } from '../clusters/webhooks/network.ts'
import { runtimeNetwork } from '../clusters/webhooks/runtime-network.ts'
import type { ClusterEgress } from '../config/cluster-egress.ts'
import type { Environment } from '../config/environment.ts'
import { settingValues } from '../config/settings.ts'
import { contains, type IpAddress, parseIp } from '../net/ip.ts'
import { canonicalHost, isPublic, isPublicName } from '../net/public-address.ts'

/**
 * The bindings of a deployment that determine the networks. The local server's check the address to which a name leads: with the
 * public internet, and without.
 */
export type NetworkBindings = Pick<
  Environment,
  'CLUSTER_EGRESS' | 'SERVER_ADDRESS' | 'CLUSTER_DOMAIN' | 'CLUSTER_NETWORK' | 'LISTED_NETWORK'
>

/** Reports a host to which a cluster may not connect. Says the same of a host that exists as of one that does not. */
class RefusedHost extends Error {
  constructor(hostname: string, port: number | string) {
    super(`dial tcp ${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}: address not allowed`)
  }
}

/** The places in a network. */
interface Places {
  readonly egress: ClusterEgress
  /** Whether an address that is not listed is one of them. */
  readonly hasAddress: (address: IpAddress) => boolean
  /** Whether a name that is not listed may be tried. */
  readonly hasName: (name: string) => boolean
  /** Reaches all but the names that are listed. */
  readonly network: Network
}

/** A network in which only some places exist. */
class ClusterNetwork implements Network {
  readonly #places: Places

  constructor(places: Places) {
    this.#places = places
  }

  connect({ hostname, port }: SocketAddress, options: SocketOptions): Socket {
    const { network, host } = this.#way(hostname, port)
    return network.connect({ hostname: host.includes(':') ? `[${host}]` : host, port }, options)
  }

  async fetch(url: string, init: RequestInit): Promise<Response> {
    const { hostname, port } = new URL(url)
    return this.#way(hostname, port || 443).network.fetch(url, init)
  }

  /** Returns the network in which a host is, and its canonical form. @throws RefusedHost */
  #way(hostname: string, port: number | string): { readonly network: Network; readonly host: string } {
    const { egress, hasAddress, hasName, network } = this.#places
    const bare = hostname.replace(/^\[|\]$/g, '')
    const host = canonicalHost(bare)
    if (host === undefined) throw new RefusedHost(bare, port)
    if (egress.names.has(host)) return { network: runtimeNetwork, host }
    const address = parseIp(host)
    const isPlace =
      address === undefined ? hasName(host) : hasAddress(address) || egress.blocks.some((block) => contains(block, address))
    if (!isPlace) throw new RefusedHost(bare, port)
    return { network, host }
  }
}

/** Whether a host is one of the deployment's own: its name leads to the server itself, or to what is behind it. */
function isOwn(host: string, bindings: NetworkBindings): boolean {
  const { serverAddress, clusterDomain } = settingValues(bindings)
  const isOfCluster = clusterDomain !== '' && `.${host}`.endsWith(`.${clusterDomain}`)
  return isOfCluster || host === canonicalHost(serverAddress.replace(/:\d+$/, ''))
}

/**
 * Returns the network of the webhooks and extension servers of a cluster. The local server's checks the address to which a name
 * leads; elsewhere the name decides.
 */
export function networkOf(bindings: NetworkBindings, cluster: string): Network {
  if (cluster === defaultCluster) return runtimeNetwork
  const { CLUSTER_NETWORK } = bindings
  return new ClusterNetwork({
    egress: settingValues(bindings).clusterEgress,
    hasAddress: isPublic,
    hasName: (name) => CLUSTER_NETWORK !== undefined || (isPublicName(name) && !isOwn(name, bindings)),
    network: CLUSTER_NETWORK ?? runtimeNetwork,
  })
}

/**
 * Returns the network of the nodes and Pods of a cluster; undefined if they cannot be reached, as in a named cluster without listed
 * places.
 */
export function nodeNetworkOf(bindings: NetworkBindings, cluster: string): Network | undefined {
  if (cluster === defaultCluster) return runtimeNetwork
  const { LISTED_NETWORK } = bindings
  const { clusterEgress: egress } = settingValues(bindings)
  if (egress.names.size + egress.blocks.length === 0) return undefined
  return new ClusterNetwork({
    egress,
    hasAddress: () => false,
    hasName: () => LISTED_NETWORK !== undefined,
    network: LISTED_NETWORK ?? runtimeNetwork,
  })
}
