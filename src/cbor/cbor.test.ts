import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../go/json.ts'
import type { JsonValue } from '../go/json-value.ts'
import { checkCborMap, jsonOfCbor } from './read.ts'
import { writeCbor } from './write.ts'

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
const read = (hex: string): string => jsonOfCbor(bytes(hex))
/** Returns the encoding in hex without the self-described tag. */
const written = (value: JsonValue): string => Buffer.from(writeCbor(value).subarray(3)).toString('hex')

describe('examples of RFC 8949, appendix A', () => {
  test.each([
    ['00', '0'],
    ['1818', '24'],
    ['1903e8', '1000'],
    ['1b000000e8d4a51000', '1000000000000'],
    ['3863', '-100'],
    ['3b7fffffffffffffff', '-9223372036854775808'],
    ['f90000', '0.0'],
    ['f93e00', '1.5'],
    ['f97bff', '65504.0'],
    ['f90001', '5.960464477539063e-8'],
    ['fa47c35000', '100000.0'],
    ['fb3ff199999999999a', '1.1'],
    ['fb7e37e43c8800759c', '1e+300'],
    ['f4', 'false'],
    ['f6', 'null'],
    ['c074323031332d30332d32315432303a30343a30305a', '"2013-03-21T20:04:00Z"'],
    ['c11a514b67b0', '"2013-03-21T20:04:00Z"'],
    ['d74401020304', '"01020304"'],
    ['60', '""'],
    ['62c3bc', '"ü"'],
    ['83010203', '[1,2,3]'],
    ['a26161016162820203', '{"a":1,"b":[2,3]}'],
    ['5f42010243030405ff', '"\\u0001\\u0002\\u0003\\u0004\\u0005"'],
    ['7f657374726561646d696e67ff', '"streaming"'],
    ['9f018202039f0405ffff', '[1,[2,3],[4,5]]'],
    ['bf6346756ef563416d7421ff', '{"Fun":true,"Amt":-2}'],
    ['d9d9f7a0', '{}'],
  ])('%s is read as %s', (hex, json) => expect(read(hex)).toBe(json))
})

describe("rejected CBOR with kube-apiserver's error", () => {
  test.each([
    ['', 'EOF'],
    ['a1', 'unexpected EOF'],
    ['1b00', 'unexpected EOF'],
    ['5affffffff00', 'unexpected EOF'],
    ['9bffffffffffffffff', 'unexpected EOF'],
    ['ff', 'cbor: unexpected "break" code'],
    ['0000', 'cbor: 1 bytes of extraneous data starting at index 1'],
    ['1c', 'cbor: invalid additional information 28 for type positive integer'],
    ['1f', 'cbor: invalid additional information 31 for type positive integer'],
    ['f97e00', 'cbor: data item of cbor type primitives is not accepted by protocol: floating-point NaN'],
    ['f97c00', 'cbor: data item of cbor type primitives is not accepted by protocol: floating-point infinity'],
    ['f7', 'cbor: data item of cbor type primitives is not accepted by protocol: simple value 23 is not recognized'],
    ['c24101', 'cbor: data item of cbor type tag is not accepted by protocol: bignum'],
    [
      '1b8000000000000000',
      "cbor: cannot unmarshal positive integer into Go value of type int64 (9223372036854775808 overflows Go's int64)",
    ],
    ['a10101', 'cbor: cannot unmarshal positive integer into Go value of type string'],
    ['a2616101616102', 'cbor: found duplicate map key "a" at map element index 1'],
    ['61ff', 'cbor: invalid UTF-8 string'],
    ['5f6161ff', 'cbor: wrong element type UTF-8 text string for indefinite-length byte string'],
  ])('%s: %s', (hex, message) => expect(() => read(hex)).toThrow(message))

  test('exceeded max nested level', () => {
    expect(() => read(`${'81'.repeat(5000)}00`)).toThrow('cbor: exceeded max nested level')
    expect(() => read(`${'c6'.repeat(200_000)}00`)).toThrow('cbor: exceeded max nested level')
  })

  test('checkCborMap rejects any item other than a map', () => {
    expect(() => checkCborMap(bytes('05'), 'map[string]interface {}')).toThrow(
      'cbor: cannot unmarshal positive integer into Go value of type map[string]interface {}',
    )
    expect(() => checkCborMap(bytes('d9d9f7a0'), 'x')).not.toThrow()
  })
})

describe('writeCbor', () => {
  test('strings and keys are byte strings, floats as short as possible', () => {
    expect(written({ a: 'ü', b: [1, -1, null, true] })).toBe('a2416142c3bc4162840120f6f5')
    expect([1.5, 65504.5, 1.1, 2 ** -24, 3.4028234663852886e38].map(written)).toEqual([
      'f93e00',
      'fa477fe080',
      'fb3ff199999999999a',
      'f90001',
      'fa7f7fffff',
    ])
  })

  test('any JSON value is read back', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'medium' }), (value) => {
        // JSON.stringify writes -0 as 0.
        const json = JSON.stringify(value)
        const again = parseJson(jsonOfCbor(writeCbor(parseJson(json))))
        expect(JSON.stringify(again)).toBe(json)
      }),
    )
  })

  test('int64 and uint64 are exact', () => {
    for (const digits of ['9223372036854775807', '-9223372036854775808', '9007199254740993'])
      expect(jsonOfCbor(writeCbor(parseJson(digits)))).toBe(digits)
  })

  test('any bytes are either read or rejected with a CborError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (some) => {
        try {
          parseJson(jsonOfCbor(some))
        } catch (error) {
          expect((error as Error).constructor.name).toBe('CborError')
        }
      }),
      { numRuns: 1000 },
    )
  })
})
