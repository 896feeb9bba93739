import { expect, test } from 'vitest'
import { decodeUtf8, utf8Fault } from './utf8.ts'

test.each([
  [[0x61, 0xc3, 0xa9], 'aé'],
  [[0xff, 0xe2, 0x82, 0x61], '\ufffd\ufffd\ufffda'],
  [[0xed, 0xa0, 0x80], '\ufffd\ufffd\ufffd'],
  [[0xf0, 0x9f, 0x98], '\ufffd\ufffd\ufffd'],
  [[0xef, 0xbb, 0xbf, 0x7b], '\ufeff{'],
  [[0xef, 0xbf, 0xbd], '\ufffd'],
])('%j is read as %s', (bytes, text) => {
  expect(decodeUtf8(Uint8Array.from(bytes))).toBe(text)
})

test.each([
  [[0x61, 0xc3, 0xa9, 0xf0, 0x9f, 0x98, 0x80], undefined],
  [[0x61, 0xff], 'invalid leading UTF-8 octet'],
  [[0x80], 'invalid leading UTF-8 octet'],
  [[0xe2, 0x82], 'incomplete UTF-8 octet sequence'],
  [[0xc3, 0x28], 'invalid trailing UTF-8 octet'],
  [[0xc0, 0x80], 'invalid length of a UTF-8 sequence'],
  [[0xed, 0xa0, 0x80], 'invalid Unicode character'],
  [[0xf4, 0x90, 0x80, 0x80], 'invalid Unicode character'],
])('YAML says of %j: %s', (bytes, fault) => {
  expect(utf8Fault(Uint8Array.from(bytes))).toBe(fault)
})
