/** Addresses as formats of texts. */
import { parseCidr, parseIp } from '../../net/ip.ts'

/** An address with dots: also one of IPv6 that ends in one of IPv4. */
export const isIpv4 = (text: string): boolean => text.includes('.') && parseIp(text) !== undefined

/** An address with colons. */
export const isIpv6 = (text: string): boolean => text.includes(':') && parseIp(text) !== undefined

/** An address and the length of its prefix. */
export const isCidr = (text: string): boolean => parseCidr(text) !== undefined

/** A hardware address of 6, 8 or 20 bytes: pairs with colons or hyphens between them, or fours with dots. */
export function isMac(text: string): boolean {
  const bytes = (count: number): boolean =>
    new RegExp(`^[0-9a-f]{2}(?:(?::[0-9a-f]{2}){${count - 1}}|(?:-[0-9a-f]{2}){${count - 1}})$`, 'i').test(text) ||
    new RegExp(`^[0-9a-f]{4}(?:\\.[0-9a-f]{4}){${count / 2 - 1}}$`, 'i').test(text)
  return bytes(6) || bytes(8) || bytes(20)
}
