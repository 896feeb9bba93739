import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalBase64, encodeBase64 } from './base64.ts'

test.each([
  ['YW\nJj\r\nYQ=\n=\n', 'YWJjYQ=='],
  ['YR==', 'YQ=='],
  ['YWJ=', 'YWI='],
  ['', ''],
])('canonicalBase64: %j becomes %j', (text, written) => {
  expect(canonicalBase64(text)).toBe(written)
})

test.each([
  ['!!', 0],
  ['YWI', 0],
  ['YWI=x', 4],
  ['Y===', 1],
  ['YWI=YWI=', 4],
  ['YQ=', 3],
  ['YQ=x', 2],
  ['YWJjé', 4],
])('illegal base64 data: %j is rejected at byte %d', (text, at) => {
  expect(() => canonicalBase64(text)).toThrow(`illegal base64 data at input byte ${at}`)
})

test('encodeBase64 writes canonical base64', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = Buffer.from(bytes).toString('base64')
      expect(encodeBase64([...bytes])).toBe(text)
      expect(canonicalBase64(text)).toBe(text)
    }),
  )
})
