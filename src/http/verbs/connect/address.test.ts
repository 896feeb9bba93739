import { expect, test } from 'vitest'
import { hostPort, isProxyable, kubeletAddressOf } from './address.ts'

test.each([
  ['10.0.0.1', true],
  ['fd00::1', true],
  ['', false],
  ['example.com', false],
  ['0.0.0.0', false],
  ['127.0.0.1', false],
  ['169.254.169.254', false],
  ['::1', false],
  ['::ffff:127.0.0.1', false],
  ['fe80::1', false],
  ['255.255.255.255', false],
])('a proxy to %j is allowed: %s', (address, may) => {
  expect(isProxyable(address)).toBe(may)
})

test('the kubelet address of a node is its preferred address with its declared port', () => {
  const addresses = [
    { type: 'ExternalIP', address: '8.8.8.8' },
    { type: 'InternalIP', address: '10.0.0.1' },
  ]
  expect(kubeletAddressOf({ metadata: {}, status: { addresses } })).toEqual({ hostname: '10.0.0.1', port: '10250' })
  const daemonEndpoints = { kubeletEndpoint: { Port: 99 } }
  expect(kubeletAddressOf({ metadata: {}, status: { addresses, daemonEndpoints } }).port).toBe('99')
  const none = { metadata: {}, status: { addresses: [{ type: 'Odd', address: 'x' }] } }
  expect(() => kubeletAddressOf(none)).toThrow('no preferred addresses found; known addresses: [{Odd x}]')
})

test('an IPv6 address is in brackets', () => {
  expect([hostPort('fd00::1', '80'), hostPort('10.0.0.1', '')]).toEqual(['[fd00::1]:80', '10.0.0.1'])
})
