import { expect, test } from 'vitest'
import { encodingHeaders, negotiateEncoding } from './content-encoding.ts'

test.each([
  [undefined, undefined],
  ['', undefined],
  ['gzip', 'gzip'],
  ['br, gzip ,x', 'gzip'],
  ['gzip;q=1.0', undefined],
  ['GZIP, *', undefined],
])('Accept-Encoding %j means %j', (header, expected) => {
  const request = new Request('https://host/', header === undefined ? {} : { headers: { 'accept-encoding': header } })
  expect(negotiateEncoding(request)).toBe(expected)
})

test('only what is long is compressed, and only for those who take it', () => {
  expect(encodingHeaders('gzip', true)).toEqual({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
  expect(encodingHeaders('gzip', false)).toEqual({})
  expect(encodingHeaders(undefined, true)).toEqual({})
})
