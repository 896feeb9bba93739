import { describe, expect, test } from 'vitest'
import { contains, hostBits, parseCidr, parseIp } from './ip.ts'

describe('parseIp', () => {
  test.each([
    ['10.0.0.1', { family: 'IPv4', bits: 0x0a000001n }],
    ['010.0.0.1', { family: 'IPv4', bits: 0x0a000001n }],
    ['::ffff:10.0.0.1', { family: 'IPv4', bits: 0x0a000001n }],
    ['::1', { family: 'IPv6', bits: 1n }],
    ['2001:db8::', { family: 'IPv6', bits: 0x20010db8n << 96n }],
  ])('parses %s', (text, address) => {
    expect(parseIp(text)).toEqual(address)
  })

  test.each(['', '10.0.0', '10.0.0.256', '1:2:3', '::1::', ':::', '1:2:3:4:5:6:7:8:9', '12345::', 'x', '10.0.0.1 '])(
    'rejects %j',
    (text) => {
      expect(parseIp(text)).toBeUndefined()
    },
  )
})

test('a CIDR contains its addresses, and hostBits returns the bits after its prefix', () => {
  const block = parseCidr('10.1.2.3/16')
  const inside = parseIp('10.1.255.255')
  const outside = parseIp('10.2.0.0')
  if (block === undefined || inside === undefined || outside === undefined) throw new Error('not parsed')
  expect([contains(block, inside), contains(block, outside), hostBits(block)]).toEqual([true, false, 0x203n])
  expect(parseCidr('10.0.0.0/33')).toBeUndefined()
})

test('the prefix of a CIDR with an IPv4-mapped IPv6 address counts the bits of IPv6', () => {
  expect(parseCidr('::ffff:10.0.0.0/120')).toEqual({ address: parseIp('10.0.0.0'), prefix: 24 })
  expect(parseCidr('::ffff:10.0.0.0/24')).toEqual({ address: { family: 'IPv6', bits: 0xffff0a000000n }, prefix: 24 })
  expect(parseCidr('::ffff:10.0.0.0/129')).toBeUndefined()
})
