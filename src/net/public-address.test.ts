import { describe, expect, test } from 'vitest'
import { parseIp } from './ip.ts'
import { canonicalHost, isPublic, isPublicName } from './public-address.ts'

/** Whether a host, as it is written, is an address of the public internet. */
const leadsOut = (text: string): boolean | undefined => {
  const address = parseIp(canonicalHost(text) ?? '')
  return address && isPublic(address)
}

describe('isPublic', () => {
  test.each([
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.254', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.168.1.1', '198.18.0.1', '198.19.255.255', '198.51.100.7'],
    ...['203.0.113.9', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:a00:1', '64:ff9b::7f00:1', '64:ff9b:1::a00:1', '100::1'],
    ...['2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fec0::1', 'ff02::1'],
  ])('refuses %s', (text) => {
    expect(leadsOut(text)).toBe(false)
  })

  test.each([
    ...['1.1.1.1', '9.255.255.255', '11.0.0.1', '100.63.0.1', '100.128.0.1', '172.15.0.1', '172.32.0.1', '198.20.0.1'],
    ...['223.255.255.255', '2001:4860:4860::8888', '2606:4700::1111', '2a00::1'],
  ])('accepts %s', (text) => {
    expect(leadsOut(text)).toBe(true)
  })
})

describe('a host in another spelling', () => {
  test.each([
    ...['2130706433', '0x7f000001', '0x7f.1', '127.1', '127.0.1', '0177.0.0.1', '017700000001', '127.0.0.1.', '127.0x0.0.1'],
    ...['[::1]', '0:0:0:0:0:0:0:1', '[::ffff:7f00:1]', '１２７.0.0.1', '127。0。0。1', '%31%32%37.0.0.1'],
  ])('is the loopback address: %s', (text) => {
    expect(leadsOut(text)).toBe(false)
  })

  test.each(['fe80::1%eth0', '127.0.0.1:80', '127.0.0.256', '1.2.3.4.5', 'unix:/run/socket', 'a/b', 'a@b', 'a b', '', '.'])(
    'is not a host: %j',
    (text) => {
      expect(canonicalHost(text)).toBeUndefined()
    },
  )

  test('is a name in lower case, without a dot at the end', () => {
    expect(canonicalHost('Hooks.Example.COM.')).toBe('hooks.example.com')
  })
})

test.each(['localhost', 'a.localhost', 'metadata', 'metadata.google.internal', 'printer.local', 'nas.home.arpa'])(
  'isPublicName refuses %s',
  (name) => {
    expect(isPublicName(name)).toBe(false)
  },
)
test.each(['example.com', 'internal.example.com', 'notlocalhost.example'])('isPublicName accepts %s', (name) => {
  expect(isPublicName(name)).toBe(true)
})
