/** The addresses of connections to nodes and Pods. */

import { ApiError } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'

interface Node extends KubernetesObject {
  status?: {
    addresses?: { type: string; address: string }[]
    daemonEndpoints?: { kubeletEndpoint?: { Port?: number } }
  }
}

const kubeletPort = 10250

/** The address of a node's kubelet. */
export interface KubeletAddress {
  readonly hostname: string
  readonly port: string
}

/**
 * Returns the kubelet address of a node.
 * @param preferredTypes the types of addresses that may be used, the preferred first
 * @throws ApiError 500 with an empty reason if the node has no address of these types
 */
export function kubeletAddressOf(node: KubernetesObject, preferredTypes: readonly string[]): KubeletAddress {
  const { addresses = [], daemonEndpoints } = (node as Node).status ?? {}
  const port = daemonEndpoints?.kubeletEndpoint?.Port || kubeletPort
  for (const type of preferredTypes) {
    const found = addresses.find((address) => address.type === type)
    if (found !== undefined) return { hostname: found.address, port: String(port) }
  }
  const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ')
  throw new ApiError(500, '', `no preferred addresses found; known addresses: [${known}]`)
}

/** Returns `host:port`, with an IPv6 address in brackets. */
export function hostPort(host: string, port: string): string {
  const bracketed = host.includes(':') ? `[${host}]` : host
  return port === '' ? bracketed : `${bracketed}:${port}`
}
