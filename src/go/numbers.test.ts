import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatFixed, parseInt64, parseUint64 } from './numbers.ts'

test('parseInt64 and parseUint64 keep all digits', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (number) => {
      expect(parseInt64(number.toString())).toBe(number)
    }),
  )
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (number) => {
      expect(parseUint64(`000${number}`)).toBe(number)
    }),
  )
})

test.each([
  ['', 'strconv.ParseInt: parsing "": invalid syntax'],
  ['-', 'strconv.ParseInt: parsing "-": invalid syntax'],
  ['1.5', 'strconv.ParseInt: parsing "1.5": invalid syntax'],
  ['_1', 'strconv.ParseInt: parsing "_1": invalid syntax'],
  ['"\x07', 'strconv.ParseInt: parsing "\\"\\a": invalid syntax'],
  ['9223372036854775808', 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
  ['99999999999999999999x', 'strconv.ParseInt: parsing "99999999999999999999x": value out of range'],
])('parseInt64 rejects %j', (text, message) => {
  expect(() => parseInt64(text)).toThrow(new Error(message))
})

test('parseUint64 rejects a sign', () => {
  expect(parseInt64('+7')).toBe(7n)
  expect(() => parseUint64('+7')).toThrow('strconv.ParseUint: parsing "+7": invalid syntax')
  expect(() => parseUint64('-1')).toThrow('strconv.ParseUint: parsing "-1": invalid syntax')
  expect(() => parseUint64('18446744073709551616')).toThrow('value out of range')
})

test.each([
  [1.5, '1.500000'],
  [10 / 3, '3.333333'],
  // Exactly between two decimals: the even one, in which JavaScript differs.
  [1 + 1 / 128, '1.007812'],
  [1 + 3 / 128, '1.023438'],
  [9e18, '9000000000000000000.000000'],
])('%f of %d', (value, text) => {
  expect(formatFixed(value, 6)).toBe(text)
})
