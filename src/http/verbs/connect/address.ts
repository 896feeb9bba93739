/** The addresses of connections to nodes and Pods. */

import { ApiError } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { contains, parseCidr, parseIp } from '../../../net/ip.ts'

interface Node extends KubernetesObject {
  status?: {
    addresses?: { type: string; address: string }[]
    daemonEndpoints?: { kubeletEndpoint?: { Port?: number } }
  }
}

/** The types of node addresses, in the order of preference. */
const preferredTypes = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP']
const kubeletPort = 10250

/** The address of a node's kubelet. */
export interface KubeletAddress {
  readonly hostname: string
  readonly port: string
}

/** Returns the kubelet address of a node. @throws ApiError 500 with an empty reason if the node has no address */
export function kubeletAddressOf(node: KubernetesObject): KubeletAddress {
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

/** Addresses that must not be proxied to: unspecified, loopback, link-local, multicast, broadcast. */
const barred = [
  ...['0.0.0.0/32', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '255.255.255.255/32'],
  ...['::/128', '::1/128', 'fe80::/10', 'ff00::/8'],
].flatMap((text) => parseCidr(text) ?? [])

/** Whether the text is an address that may be proxied to (a global unicast address). */
export function isProxyable(text: string): boolean {
  const address = parseIp(text)
  return address !== undefined && !barred.some((block) => contains(block, address))
}
