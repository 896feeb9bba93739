/** IP addresses and CIDRs with the rules of Go's net package, including its tolerance for leading zeros in IPv4 numbers. */

import { type Address, formatAddress, isMapped, parseAddress } from './address.ts'

/** An IP address: its family and its bits. */
export interface IpAddress {
  readonly family: 'IPv4' | 'IPv6'
  readonly bits: bigint
}

/** A CIDR: an address with the length of its prefix. */
export interface Cidr {
  readonly address: IpAddress
  readonly prefix: number
}

/** The length of the longest address: longer texts are rejected without parsing. */
const maximumLength = 45
/** The characters of addresses without a zone. To reject others by the parser's exception would cost ten times as much. */
const plausible = /^[\da-fA-F]*[.:][\da-fA-F.:]*$/

function readAddress(text: string): Address | undefined {
  if (text.length > maximumLength || !plausible.test(text)) return undefined
  try {
    return parseAddress(text, 'ignored')
  } catch {
    return undefined
  }
}

/**
 * Parses an address; undefined if the text is not one. An IPv4-mapped IPv6 address becomes an IPv4 address. Follows
 * ParseIPSloppy.
 */
export function parseIp(text: string): IpAddress | undefined {
  const address = readAddress(text)
  if (address === undefined || address.zone !== '') return undefined
  const bytes = isMapped(address) ? address.bytes.slice(12) : address.bytes
  return { family: bytes.length === 4 ? 'IPv4' : 'IPv6', bits: bytes.reduce((bits, byte) => (bits << 8n) + BigInt(byte), 0n) }
}

/** Whether the text is an IPv6 address. */
export const isIpv6 = (text: string): boolean => parseIp(text)?.family === 'IPv6'

const widthOf = (address: IpAddress): number => (address.family === 'IPv4' ? 32 : 128)

/** The bits before the address of IPv4 in an IPv4-mapped IPv6 address. */
const mappedBits = 96
const mappedPrefix = 0xffffn << 32n

/**
 * Parses a CIDR and keeps its address as written; undefined if the text is not one. The prefix of an IPv4-mapped IPv6 address
 * counts the bits of IPv6: it is a block of IPv4 addresses if it contains all bits before them.
 */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/')
  const address = slash < 0 ? undefined : parseIp(text.slice(0, slash))
  const digits = text.slice(slash + 1)
  if (address === undefined || !/^\d{1,3}$/.test(digits)) return undefined
  const prefix = Number(digits)
  if (address.family === 'IPv6' || !text.includes(':')) return prefix > widthOf(address) ? undefined : { address, prefix }
  if (prefix > 128) return undefined
  if (prefix >= mappedBits) return { address, prefix: prefix - mappedBits }
  return { address: { family: 'IPv6', bits: mappedPrefix | address.bits }, prefix }
}

/** Returns the bits of a CIDR's address after its prefix: 0 for a canonical CIDR. */
export function hostBits({ address, prefix }: Cidr): bigint {
  return address.bits & ((1n << BigInt(widthOf(address) - prefix)) - 1n)
}

/** Whether the address is in the CIDR. */
export function contains(block: Cidr, address: IpAddress): boolean {
  const rest = BigInt(widthOf(block.address) - block.prefix)
  return block.address.family === address.family && block.address.bits >> rest === address.bits >> rest
}

/** Formats an IPv4 address. */
export const formatIpv4 = (bits: bigint): string => formatIp({ family: 'IPv4', bits })

/** Formats an address with the rules of RFC 5952. */
export function formatIp(address: IpAddress): string {
  const length = widthOf(address) / 8
  const bytes = Array.from({ length }, (_, index) => Number((address.bits >> BigInt(8 * (length - 1 - index))) & 0xffn))
  return formatAddress({ bytes, zone: '' })
}
