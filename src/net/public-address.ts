/** The addresses of the public internet. */
import { contains, type IpAddress, parseCidr } from './ip.ts'

/** The blocks from which public addresses come: all of IPv4, and the global unicast addresses of IPv6 (RFC 4291). */
export const internetBlocks: readonly string[] = ['0.0.0.0/0', '2000::/3']

/**
 * Blocks in them that are no part of the internet, or that lead into another block: IANA's registries of special-purpose
 * addresses (RFC 6890), multicast, and the prefixes of IPv6 that contain an address of IPv4.
 */
export const specialBlocks: readonly string[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
]

const [internet, special] = [internetBlocks, specialBlocks].map((texts) => texts.flatMap((text) => parseCidr(text) ?? []))

/** Whether an address is of the public internet. */
export function isPublic(address: IpAddress): boolean {
  const isIn = (block: Parameters<typeof contains>[0]): boolean => contains(block, address)
  return internet?.some(isIn) === true && special?.some(isIn) === false
}

/** Ends of names that never lead to the public internet (RFC 6761, RFC 6762, RFC 8375; ICANN has reserved `internal`). */
const specialNames = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/

/** Whether a name may lead to the public internet. A name of one label is one of a local network. */
export const isPublicName = (name: string): boolean => name.includes('.') && !specialNames.test(name)

/**
 * Returns a host as the URL parser reads it, without brackets and a dot at the end: an address has one spelling then, and a text
 * that another reader could take for an address is one. Undefined if it is not a host.
 * @example
 * canonicalHost('0x7f.1') // '127.0.0.1'
 */
export function canonicalHost(text: string): string | undefined {
  const bracketed = text.includes(':') && !text.startsWith('[') ? `[${text}]` : text
  if (/[/?#@\\\s]/.test(text) || !URL.canParse(`https://${bracketed}`)) return undefined
  const { hostname } = new URL(`https://${bracketed}`)
  return hostname.replace(/^\[|\]$|\.$/g, '') || undefined
}
