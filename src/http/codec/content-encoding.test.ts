import { expect, test } from 'vitest'
import { encodingHeaders, negotiateEncoding } from './content-encoding.ts'

test.each([
  [undefined, undefined],
  ['', undefined],
  ['gzip', 'gzip'],
  ['br, gzip ,x', 'gzip'],
  ['gzip;q=1.0', undefined],
  ['GZIP, *', undefined],
])('Accept-Encoding %j negotiates %j', (header, expected) => {
  const request = new Request('https://host/', header === undefined ? {} : { headers: { 'accept-encoding': header } })
  expect(negotiateEncoding(request, 'application/json')).toBe(expected)
})

test.each([
  ['application/json', 'gzip', undefined],
  ['application/vnd.kubernetes.protobuf', 'gzip', 'gzip'],
  ['application/vnd.kubernetes.protobuf', 'br', undefined],
  ['application/yaml', 'gzip', 'gzip'],
])('on Cloudflare, which compresses JSON itself, %s for a client that accepts %s gets %j', (mediaType, accepted, expected) => {
  const request = new Request('https://host/', { headers: { 'accept-encoding': 'gzip, br' } })
  Object.defineProperty(request, 'cf', { value: { clientAcceptEncoding: accepted } })
  expect(negotiateEncoding(request, mediaType)).toBe(expected)
})

test('gzip is applied only to large responses of clients that accept gzip', () => {
  expect(encodingHeaders('gzip', true)).toEqual({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
  expect(encodingHeaders('gzip', false)).toEqual({})
  expect(encodingHeaders(undefined, true)).toEqual({})
})
