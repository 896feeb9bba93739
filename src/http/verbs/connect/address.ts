/** Where connections would go. No node or Pod can be reached from here: what is there to be told is why, in Go's words. */

import { ApiError } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { contains, parseCidr, parseIp } from '../../../net/ip.ts'

interface Node extends KubernetesObject {
  status?: {
    addresses?: { type: string; address: string }[]
    daemonEndpoints?: { kubeletEndpoint?: { Port?: number } }
  }
}

/** By which of its addresses a node is reached: the first type of which it has one. */
const preferredTypes = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP']
const kubeletPort = 10250

/** Where a node's kubelet listens. */
export interface KubeletAddress {
  readonly hostname: string
  readonly port: string
}

/** @throws ApiError 500 without a reason for a node that tells no address */
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

/** `host:port`, an IPv6 address in brackets. */
export function hostPort(host: string, port: string): string {
  const bracketed = host.includes(':') ? `[${host}]` : host
  return port === '' ? bracketed : `${bracketed}:${port}`
}

/** Why nothing answers there. */
export const unreachable = (address: string): string => `dial tcp ${address}: connect: no route to host`

/** Addresses that no proxy leads to: unspecified, loopback, link-local, multicast, broadcast. */
const barred = [
  ...['0.0.0.0/32', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '255.255.255.255/32'],
  ...['::/128', '::1/128', 'fe80::/10', 'ff00::/8'],
].flatMap((text) => parseCidr(text) ?? [])

/** Whether the text is an address to which a proxy may lead (a global unicast one). */
export function isProxyable(text: string): boolean {
  const address = parseIp(text)
  return address !== undefined && !barred.some((block) => contains(block, address))
}
