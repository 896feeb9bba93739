/** The network access of connections to kubelets, Pods and the endpoints of Services. */
import type { Connection } from '../../../clusters/webhooks/pinned-fetch.ts'
import type { WebhookAddress } from '../../../clusters/webhooks/transport.ts'
import { list } from '../../../config/settings/readers.ts'
import { settingTable } from '../../../config/settings.ts'

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

/** Refuses every connection. */
export const noNodes: NodeAccess = {
  addressTypes: list(settingTable.kubeletPreferredAddressTypes.default),
  checksNames: false,
  open: () => Promise.reject(new Error('this cluster may not connect to nodes, Pods and Services')),
}
