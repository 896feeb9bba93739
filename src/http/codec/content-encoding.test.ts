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
  expect(negotiateEncoding(request)).toBe(expected)
})

test('gzip is applied only to large responses of clients that accept gzip', () => {
  expect(encodingHeaders('gzip', true)).toEqual({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
  expect(encodingHeaders('gzip', false)).toEqual({})
  expect(encodingHeaders(undefined, true)).toEqual({})
})
