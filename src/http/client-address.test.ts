import { describe, expect, test } from 'vitest'
import { clientAddress, sourceAddresses } from './client-address.ts'

/** Returns a request as workerd passes it locally or, without an address, as Cloudflare does. */
function from(clientIp: string | undefined, headers: Record<string, string>): Request {
  const request = new Request('https://k8s.example/', { headers })
  Object.defineProperty(request, 'cf', { value: clientIp === undefined ? { colo: 'FRA' } : { clientIp } })
  return request
}

describe('the client address', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1:4711', '127.0.0.1'],
    ['[::1]:4711', '::1'],
    ['::1', '::1'],
  ])('of cf.clientIp %s', (clientIp, address) => {
    expect(clientAddress(from(clientIp, {}))).toBe(address)
  })

  test('is CF-Connecting-IP at Cloudflare; locally the header is ignored', () => {
    const headers = { 'cf-connecting-ip': '203.0.113.1' }
    expect(clientAddress(from(undefined, headers))).toBe('203.0.113.1')
    expect(clientAddress(from('127.0.0.1', headers))).toBe('127.0.0.1')
  })
})

test('sourceIPs of audit events has only valid addresses, and the address of the connection last', () => {
  const headers = { 'x-forwarded-for': '1.2.3.4, nonsense, 2001:db8::1', 'x-real-ip': '9.9.9.9' }
  expect(sourceAddresses(from('127.0.0.1', headers))).toEqual(['1.2.3.4', '2001:db8::1', '9.9.9.9', '127.0.0.1'])
  expect(sourceAddresses(from('127.0.0.1', { 'x-real-ip': '127.0.0.1' }))).toEqual(['127.0.0.1'])
  const many = Array.from({ length: 500 }, (_, i) => `10.0.${i >> 8}.${i & 255}`).join(', ')
  expect(sourceAddresses(from('127.0.0.1', { 'x-forwarded-for': many })).length).toBeLessThan(40)
})
