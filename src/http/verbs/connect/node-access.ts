/** The network access of connections to kubelets, Pods and the endpoints of Services. */
import type { Network } from '../../../clusters/webhooks/network.ts'
import type { Connection } from '../../../clusters/webhooks/pinned-fetch.ts'
import type { WebhookAddress } from '../../../clusters/webhooks/transport.ts'

/** The settings about kubelets, by the names of docs/configuration.md. */
export interface KubeletSettings {
  /** The client certificate for kubelets, PEM. */
  readonly KUBELET_CLIENT_CERTIFICATE?: string
  /** Its private key, PEM. A secret. */
  readonly KUBELET_CLIENT_KEY?: string
  /** The authorities of kubelets, PEM. Without one, their certificates are not verified. */
  readonly KUBELET_CERTIFICATE_AUTHORITY?: string
  /** The types of node addresses, separated by commas, the preferred first. */
  readonly KUBELET_PREFERRED_ADDRESS_TYPES?: string
  /** The network of all addresses to which proxies may connect; the runtime resolves names, and refuses other addresses. */
  readonly NODE_NETWORK?: Network
}

/** The other side of a connection. */
export type Peer =
  | 'kubelet'
  /** A kubelet whose certificate the client does not want to be verified. */
  | 'unverified kubelet'
  /** Another port of a node, a Pod, or an endpoint. */
  | 'workload'

/** A server to connect to. */
export interface Place {
  readonly scheme: 'http' | 'https'
  readonly address: WebhookAddress
  readonly peer: Peer
  /** Whether the host is a name that may lead to an address to which proxies must not connect. */
  readonly isName: boolean
}

/** How nodes and Pods are reached. */
export interface NodeAccess {
  /** The types of node addresses, the preferred first. */
  readonly addressTypes: readonly string[]
  /** Whether the runtime refuses a name that leads to an address to which proxies must not connect. */
  readonly checksNames: boolean
  /**
   * Opens a connection.
   * @param signal ends the attempt
   * @throws TlsError with Go's text; the runtime's error if there is no connection
   */
  open(place: Place, signal: AbortSignal): Promise<Connection>
}

/** The default of kube-apiserver. */
export const usualAddressTypes: readonly string[] = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP']

/** Refuses every connection. */
export const noNodes: NodeAccess = {
  addressTypes: usualAddressTypes,
  checksNames: false,
  open: () => Promise.reject(new Error('this cluster may not connect to nodes, Pods and Services')),
}
