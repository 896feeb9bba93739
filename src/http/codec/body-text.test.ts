import { expect, test } from 'vitest'
import { readYaml } from '../../yaml/parse.ts'
import { bodyText } from './body-text.ts'

const around = (bytes: readonly number[]): Uint8Array =>
  Uint8Array.from([...Buffer.from('a: "'), ...bytes, ...Buffer.from('"\n')])
const readAsYaml = (bytes: Uint8Array): unknown => readYaml(bodyText(bytes, 'application/yaml')).value

// The errors of kube-apiserver for the same bytes.
test.each<[string, readonly number[]]>([
  ['invalid leading UTF-8 octet', [0xff]],
  ['invalid leading UTF-8 octet', [0xf8]],
  ['invalid trailing UTF-8 octet', [0xc3, 0x28]],
  ['invalid trailing UTF-8 octet', [0xe4]],
  ['invalid length of a UTF-8 sequence', [0xc0, 0x80]],
  ['invalid Unicode character', [0xed, 0xa0, 0x80]],
  ['invalid Unicode character', [0xf4, 0x90, 0x80, 0x80]],
])('a YAML body with an %s is refused: %j', (message, bytes) => {
  expect(() => readAsYaml(around(bytes))).toThrow(`yaml: ${message}`)
})

test('a YAML body that ends within a UTF-8 character is refused', () => {
  expect(() => readAsYaml(Uint8Array.of(0x61, 0xe2))).toThrow('yaml: incomplete UTF-8 octet sequence')
})

test('a YAML body may contain U+FFFD itself', () => {
  expect(readAsYaml(around([0xef, 0xbf, 0xbd]))).toEqual({ a: '\ufffd' })
})

test('a JSON body reads invalid UTF-8 as U+FFFD and keeps a byte order mark', () => {
  expect(bodyText(Uint8Array.of(0xef, 0xbb, 0xbf, 0x22, 0xff, 0x22), 'application/json')).toBe('\ufeff"\ufffd"')
})
