/** IP addresses and blocks of them, as Go's net package reads them with its leniency for leading zeros in IPv4 numbers. */

/** An address: its family and its bits. */
export interface IpAddress {
  readonly family: 'IPv4' | 'IPv6'
  readonly bits: bigint
}

/** A block of addresses. */
export interface Cidr {
  readonly address: IpAddress
  readonly prefix: number
}

function parseV4(text: string): bigint | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,10}$/.test(part) && Number(part) < 256)) return undefined
  return parts.reduce((bits, part) => bits * 256n + BigInt(part), 0n)
}

function groupsOf(text: string): string[] | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [left = [], right] = halves.map((half) => (half === '' ? [] : half.split(':')))
  if (right === undefined) return left.length === 8 ? left : undefined
  const missing = 8 - left.length - right.length
  return missing < 1 ? undefined : [...left, ...Array<string>(missing).fill('0'), ...right]
}

/** An IPv4 address at the end becomes two groups. */
function withoutDots(text: string): string | undefined {
  if (!text.includes('.')) return text
  const at = text.lastIndexOf(':') + 1
  const v4 = parseV4(text.slice(at))
  return v4 === undefined ? undefined : `${text.slice(0, at)}${(v4 >> 16n).toString(16)}:${(v4 & 0xffffn).toString(16)}`
}

function parseV6(text: string): bigint | undefined {
  const plain = withoutDots(text)
  const groups = plain === undefined ? undefined : groupsOf(plain)
  if (groups === undefined || !groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined
  return groups.reduce((bits, group) => (bits << 16n) + BigInt(`0x${group}`), 0n)
}

const mapped = 0xffffn << 32n

/** The address that the text is; undefined for anything else. An IPv4 address mapped into IPv6 is an IPv4 one. */
export function parseIp(text: string): IpAddress | undefined {
  if (text.length > 45) return undefined
  const v4 = text.includes(':') ? undefined : parseV4(text)
  if (v4 !== undefined) return { family: 'IPv4', bits: v4 }
  const v6 = text.includes(':') ? parseV6(text) : undefined
  if (v6 === undefined) return undefined
  return v6 >> 32n === 0xffffn ? { family: 'IPv4', bits: v6 - mapped } : { family: 'IPv6', bits: v6 }
}

/** Whether the text is an IPv6 address. */
export const isIpv6 = (text: string): boolean => parseIp(text)?.family === 'IPv6'

const widthOf = (address: IpAddress): number => (address.family === 'IPv4' ? 32 : 128)

/** The block that the text is, its address as written; undefined for anything else. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/')
  const address = slash < 0 ? undefined : parseIp(text.slice(0, slash))
  const digits = text.slice(slash + 1)
  if (address === undefined || !/^\d{1,3}$/.test(digits) || Number(digits) > widthOf(address)) return undefined
  return { address, prefix: Number(digits) }
}

/** How many bits of a block's address stand beyond its prefix: 0 for a good one. */
export function hostBits({ address, prefix }: Cidr): bigint {
  return address.bits & ((1n << BigInt(widthOf(address) - prefix)) - 1n)
}

/** Whether the address is in the block. */
export function contains(block: Cidr, address: IpAddress): boolean {
  const rest = BigInt(widthOf(block.address) - block.prefix)
  return block.address.family === address.family && block.address.bits >> rest === address.bits >> rest
}

/** The text of an IPv4 address. */
export function formatIpv4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 255n)).join('.')
}

/** The text of an address as RFC 5952 writes it. */
export function formatIp({ family, bits }: IpAddress): string {
  if (family === 'IPv4') return formatIpv4(bits)
  const groups = Array.from({ length: 8 }, (_none, index) => ((bits >> BigInt(16 * (7 - index))) & 0xffffn).toString(16))
  const runs = [
    ...groups
      .map((group) => (group === '0' ? '0' : '-'))
      .join('')
      .matchAll(/00+/g),
  ]
  const longest = runs.reduce((best, run) => Math.max(best, run[0].length), 0)
  const run = runs.find(([text]) => text.length === longest)
  if (run === undefined) return groups.join(':')
  return `${groups.slice(0, run.index).join(':')}::${groups.slice(run.index + longest).join(':')}`
}
