/** The addresses to which proxies of nodes and Pods may connect: the global unicast addresses of Go. */
import { contains, parseCidr, parseIp } from './ip.ts'

/** Addresses that must not be proxied to: unspecified, loopback, link-local, multicast, broadcast. */
export const barredAddresses: readonly string[] = [
  ...['0.0.0.0/32', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '255.255.255.255/32'],
  ...['::/128', '::1/128', 'fe80::/10', 'ff00::/8'],
]

const barred = barredAddresses.flatMap((text) => parseCidr(text) ?? [])

/** Whether the text is an address that may be proxied to. */
export function isProxyable(text: string): boolean {
  const address = parseIp(text)
  return address !== undefined && !barred.some((block) => contains(block, address))
}
