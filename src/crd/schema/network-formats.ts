/** String formats of network addresses. */
import { parseCidr, parseIp } from '../../net/ip.ts'

/** Whether the text is an IP address with dots, which includes IPv6 with an embedded IPv4 address. */
export const isIpv4 = (text: string): boolean => text.includes('.') && parseIp(text) !== undefined

/** Whether the text is an IP address with colons. */
export const isIpv6 = (text: string): boolean => text.includes(':') && parseIp(text) !== undefined

/** Whether the text is a CIDR. */
export const isCidr = (text: string): boolean => parseCidr(text) !== undefined

/** Pairs of digits with colons, with hyphens or joined, and groups of four with dots. */
const mac = /^(?:[0-9a-f]{2}(?:(?::[0-9a-f]{2})+|(?:-[0-9a-f]{2})+|[0-9a-f]+)|[0-9a-f]{4}(?:\.[0-9a-f]{4})+)$/i
/** The numbers of digits of 6, 8 and 20 bytes. */
const macDigits: readonly number[] = [12, 16, 40]

/** Whether the text is a hardware address of 6, 8 or 20 bytes. */
export const isMac = (text: string): boolean => mac.test(text) && macDigits.includes(text.replace(/[:.-]/g, '').length)
