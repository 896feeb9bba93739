/**
 * Warnings about IP addresses and CIDRs in non-standard formats. Follows GetWarningsForIP and GetWarningsForCIDR of
 * k8s.io/apimachinery/pkg/util/validation.
 */

import type { WarningRecorder } from '../../meta/warnings.ts'
import { type Cidr, formatIp, hostBits, type IpAddress, parseCidr, parseIp } from '../../net/ip.ts'

/** Whether Go's strict parsers reject the address: one with leading zeros, or an IPv4-mapped IPv6 address. */
const isOdd = (text: string, { family }: IpAddress): boolean =>
  family === 'IPv4' && (text.includes(':') || /(?:^|\.)0\d/.test(text))

/** Warns of a valid IP address in a non-standard format. */
export function warnOfIp(value: string, field: string, warnings: WarningRecorder): void {
  const address = parseIp(value)
  if (address === undefined) return
  const canonical = formatIp(address)
  if (isOdd(value, address)) {
    warnings.add(`${field}: non-standard IP address "${value}" is invalid: use "${canonical}"`)
  } else if (canonical !== value) {
    warnings.add(`${field}: IPv6 address "${value}" should be in RFC 5952 canonical format ("${canonical}")`)
  }
}

const withoutHostBits = (block: Cidr): IpAddress => ({
  family: block.address.family,
  bits: block.address.bits - hostBits(block),
})

/** Warns of a valid CIDR in a non-standard format. */
export function warnOfCidr(value: string, field: string, warnings: WarningRecorder): void {
  const block = parseCidr(value)
  if (block === undefined) return
  const { address, prefix } = block
  const canonical = `${formatIp(withoutHostBits(block))}/${prefix}`
  const isAmbiguous = hostBits(block) !== 0n
  if (isAmbiguous) {
    const single = `${formatIp(address)}/${address.family === 'IPv4' ? 32 : 128}`
    warnings.add(`${field}: CIDR value "${value}" is ambiguous in this context (should be "${canonical}" or "${single}"?)`)
  }
  if (isOdd(value.slice(0, value.indexOf('/')), address) || /\/0\d/.test(value)) {
    warnings.add(`${field}: non-standard CIDR value "${value}" is invalid: use "${canonical}"`)
  } else if (!isAmbiguous && canonical !== value) {
    warnings.add(`${field}: IPv6 CIDR value "${value}" should be in RFC 5952 canonical format ("${canonical}")`)
  }
}
