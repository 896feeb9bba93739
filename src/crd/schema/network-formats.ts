/** String formats of network addresses. */
import { parseCidr, parseIp } from '../../net/ip.ts'

/** Whether the text is an IP address with dots, which includes IPv6 with an embedded IPv4 address. */
export const isIpv4 = (text: string): boolean => text.includes('.') && parseIp(text) !== undefined

/** Whether the text is an IP address with colons. */
export const isIpv6 = (text: string): boolean => text.includes(':') && parseIp(text) !== undefined

/** Whether the text is a CIDR. */
export const isCidr = (text: string): boolean => parseCidr(text) !== undefined

/**
 * Whether the text is a hardware address of 6, 8 or 20 bytes: pairs of digits with colons, with hyphens or joined, or groups of
 * four with dots.
 */
export function isMac(text: string): boolean {
  const bytes = (count: number): boolean =>
    new RegExp(
      `^[0-9a-f]{2}(?:(?::[0-9a-f]{2}){${count - 1}}|(?:-[0-9a-f]{2}){${count - 1}}|[0-9a-f]{${2 * count - 2}})$`,
      'i',
    ).test(text) || new RegExp(`^[0-9a-f]{4}(?:\\.[0-9a-f]{4}){${count / 2 - 1}}$`, 'i').test(text)
  return bytes(6) || bytes(8) || bytes(20)
}
