import { expect, test } from 'vitest'
import { hostPort, kubeletAddressOf } from './address.ts'

const types = ['Hostname', 'InternalIP', 'ExternalIP']

test('the kubelet address of a node is its preferred address with its declared port', () => {
  const addresses = [
    { type: 'ExternalIP', address: '8.8.8.8' },
    { type: 'InternalIP', address: '10.0.0.1' },
  ]
  expect(kubeletAddressOf({ metadata: {}, status: { addresses } }, types)).toEqual({ hostname: '10.0.0.1', port: '10250' })
  const daemonEndpoints = { kubeletEndpoint: { Port: 99 } }
  expect(kubeletAddressOf({ metadata: {}, status: { addresses, daemonEndpoints } }, types).port).toBe('99')
  const none = { metadata: {}, status: { addresses: [{ type: 'Odd', address: 'x' }] } }
  expect(() => kubeletAddressOf(none, types)).toThrow('no preferred addresses found; known addresses: [{Odd x}]')
})

test('the order of the types decides, and others are not used', () => {
  const addresses = [
    { type: 'InternalIP', address: '10.0.0.1' },
    { type: 'ExternalIP', address: '8.8.8.8' },
  ]
  const node = { metadata: {}, status: { addresses } }
  expect(kubeletAddressOf(node, ['ExternalIP', 'InternalIP']).hostname).toBe('8.8.8.8')
  expect(() => kubeletAddressOf(node, ['Hostname'])).toThrow('known addresses: [{InternalIP 10.0.0.1} {ExternalIP 8.8.8.8}]')
})

test('an IPv6 address is in brackets', () => {
  expect([hostPort('fd00::1', '80'), hostPort('10.0.0.1', '')]).toEqual(['[fd00::1]:80', '10.0.0.1'])
})
