import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'

const wildcards: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/** The names and addresses that every server certificate covers, whatever the server listens on. */
export const baseNames: readonly string[] = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  '127.0.0.1',
  '::1',
  '10.0.0.1',
]

/** Writes `host:port`, with an IPv6 address in brackets. */
export function authority(host: string, port: number): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

/** Tells whether only clients on this machine can reach a server that listens on `host`. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** Gives the address that clients of a server on the loopback interface have. */
export const loopbackAddress = (host: string): string => (isIP(host) === 6 ? '::1' : '127.0.0.1')

/** Gives the host under which clients on this machine reach a server that listens on `host`: a wildcard becomes the loopback address. */
export function reachableHost(host: string): string {
  if (!wildcards.has(host)) return host
  return host === '::' ? '::1' : '127.0.0.1'
}

/**
 * Lists the names that the certificate of a server on `host` must cover; for a wildcard this machine's own addresses too.
 * @param domain of the hosts of clusters, if they have any
 */
export function certificateNames(host: string, domain?: string): string[] {
  const own = wildcards.has(host) ? [hostname(), ...interfaceAddresses()] : [host]
  return [...new Set([...baseNames, ...own, ...(domain === undefined ? [] : [`*.${domain}`, domain])])]
}

/**
 * Chooses `address:port` for workloads in the cluster, as kube-apiserver does --advertise-address: the address that the server
 * listens on, and for a wildcard, a name or a loopback address the first of this machine; '' if it has no other.
 */
export function advertisedAddress(host: string, port: number): string {
  const isOwn = isIP(host) !== 0 && !wildcards.has(host) && !isLoopback(host)
  const [address] = isOwn ? [host] : interfaceAddresses().toSorted((a, b) => isIP(a) - isIP(b))
  return address === undefined ? '' : authority(address, port)
}

/** Lists the addresses of this machine at which others may reach it. */
export function interfaceAddresses(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return addresses.filter((address) => !address.internal && !address.address.includes('%')).map((address) => address.address)
}
