import { contains, parseCidr, parseIp } from '../../../net/ip.ts'
import type { Errors } from '../checks.ts'

const refused: readonly (readonly [block: string, text: string])[] = [
  ['127.0.0.0/8', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  ['::1/128', 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  ['169.254.0.0/16', 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  ['fe80::/10', 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  ['224.0.0.0/24', 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
  ['ff02::/16', 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
]

const unspecified = [parseCidr('0.0.0.0/32'), parseCidr('::/128')]

const blocks = refused.flatMap(([text, why]) => {
  const block = parseCidr(text)
  return block === undefined ? [] : [{ block, why }]
})

/** Checks that other hosts can reach the address. */
export function checkNonSpecialIp(value: string, field: string, errors: Errors): void {
  const address = parseIp(value)
  if (address === undefined) {
    errors.invalid(field, value, 'must be a valid IP address')
    return
  }
  if (unspecified.some((block) => block !== undefined && contains(block, address))) {
    errors.invalid(field, value, `may not be unspecified (${value})`)
  }
  for (const { block, why } of blocks) if (contains(block, address)) errors.invalid(field, value, why)
}
