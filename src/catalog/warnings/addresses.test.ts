import { expect, test } from 'vitest'
import { WarningRecorder } from '../../meta/warnings.ts'
import { warnOfCidr, warnOfIp } from './addresses.ts'

const ip = (value: string): readonly string[] => {
  const warnings = new WarningRecorder()
  warnOfIp(value, 'f', warnings)
  return warnings.texts
}
const cidr = (value: string): readonly string[] => {
  const warnings = new WarningRecorder()
  warnOfCidr(value, 'f', warnings)
  return warnings.texts
}

test.each([
  ['1.2.3.4', []],
  ['01.2.3.4', ['f: non-standard IP address "01.2.3.4" is invalid: use "1.2.3.4"']],
  ['::ffff:1.2.3.4', ['f: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"']],
  ['2001:db8::1', []],
  ['2001:DB8:0:0::1', ['f: IPv6 address "2001:DB8:0:0::1" should be in RFC 5952 canonical format ("2001:db8::1")']],
  ['1:0:2:3:4:5:6:7', []],
  ['::', []],
  ['nothing', []],
])('warnings for the IP address %s', (value, expected) => {
  expect(ip(value)).toEqual(expected)
})

test.each([
  ['10.0.0.0/8', []],
  ['10.0.0.1/8', ['f: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)']],
  ['10.00.0.0/8', ['f: non-standard CIDR value "10.00.0.0/8" is invalid: use "10.0.0.0/8"']],
  ['2001:DB8::/32', ['f: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")']],
])('warnings for the CIDR %s', (value, expected) => {
  expect(cidr(value)).toEqual(expected)
})
