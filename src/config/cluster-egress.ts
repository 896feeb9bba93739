/** The places to which named clusters may connect, beside the public internet: the setting CLUSTER_EGRESS. */
import { type Cidr, contains, formatIp, parseCidr, parseIp } from '../net/ip.ts'
import { canonicalHost } from '../net/public-address.ts'

/** The listed places. */
export interface ClusterEgress {
  /** Hosts by name, wherever their names lead. */
  readonly names: ReadonlySet<string>
  /** Blocks of addresses. */
  readonly blocks: readonly Cidr[]
}

/** The addresses of this machine, which servers for tests list: their webhooks are there. */
export const loopback = '127.0.0.0/8,::1'

function blockOf(text: string): Cidr | undefined {
  const address = parseIp(text)
  return address === undefined ? parseCidr(text) : { address, prefix: address.family === 'IPv4' ? 32 : 128 }
}

/**
 * Parses a comma-separated list of host names, addresses and CIDRs.
 * @throws Error that shows any other entry
 * @example
 * readClusterEgress('127.0.0.0/8,fd00::/8,hooks.example.com')
 */
export function readClusterEgress(list: string): ClusterEgress {
  const names = new Set<string>()
  const blocks: Cidr[] = []
  for (const text of list.split(',').map((each) => each.trim())) {
    if (text === '') continue
    const [block, name] = [blockOf(text), canonicalHost(text)]
    if (block !== undefined) blocks.push(block)
    // The URL parser reads other spellings of addresses, for which there is no reason here.
    else if (name !== undefined && parseIp(name) === undefined && !text.includes(':')) names.add(name)
    else throw new Error(`${JSON.stringify(text)} is no host name, address or CIDR`)
  }
  return { names, blocks }
}

/** Whether all addresses of a block are in another one. */
const isWithin = (inner: Cidr, outer: Cidr): boolean => inner.prefix >= outer.prefix && contains(outer, inner.address)

/** Formats a CIDR. */
const cidrText = ({ address, prefix }: Cidr): string => `${formatIp(address)}/${prefix}`

/** Returns the CIDRs of addresses and blocks that are not part of a listed one. */
export const unlisted = (texts: readonly string[], { blocks: listed }: ClusterEgress): string[] =>
  texts
    .flatMap((text) => blockOf(text) ?? [])
    .filter((block) => !listed.some((one) => isWithin(block, one)))
    .map(cidrText)

/** Returns the CIDRs of the listed blocks. */
export const listedBlocks = ({ blocks }: ClusterEgress): string[] => blocks.map(cidrText)
