/** Validates addresses of network interfaces: an IP address with a prefix length. */
import { goQuote } from '../../go/text.ts'
import { formatIp, parseCidr, parseIp } from '../../net/ip.ts'
import type { Errors } from './checks.ts'

/** Checks that the text is in Go's canonical form (IsValidInterfaceAddress). */
export function checkInterfaceAddress(value: string, field: string, errors: Errors): void {
  const slash = value.indexOf('/')
  const address = parseIp(value.slice(0, Math.max(slash, 0)))
  const block = parseCidr(value)
  if (block === undefined || address === undefined) {
    errors.invalid(field, value, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)')
    return
  }
  const canonical = `${formatIp(address)}/${block.prefix}`
  if (value !== canonical) errors.invalid(field, value, `must be in canonical form (${goQuote(canonical)})`)
}
