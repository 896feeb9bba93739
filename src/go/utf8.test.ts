import { expect, test } from 'vitest'
import { decodeUtf8 } from './utf8.ts'

test.each([
  [[0x61, 0xc3, 0xa9], 'aé'],
  [[0xff, 0xe2, 0x82, 0x61], '\ufffd\ufffd\ufffda'],
  [[0xed, 0xa0, 0x80], '\ufffd\ufffd\ufffd'],
  [[0xf0, 0x9f, 0x98], '\ufffd\ufffd\ufffd'],
  [[0xef, 0xbb, 0xbf, 0x7b], '\ufeff{'],
  [[0xef, 0xbf, 0xbd], '\ufffd'],
])('invalid UTF-8 %j is decoded as %s', (bytes, text) => {
  expect(decodeUtf8(Uint8Array.from(bytes))).toBe(text)
})
