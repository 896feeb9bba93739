import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDuration, parseDuration } from './duration.ts'

test.each([
  ['1h', '1h0m0s'],
  ['90s', '1m30s'],
  ['1.5s', '1.5s'],
  ['100ms', '100ms'],
  ['0.5us', '500ns'],
  ['1µs', '1µs'],
  ['-1m', '-1m0s'],
  ['0', '0s'],
  ['+1h1h', '2h0m0s'],
  ['.5h', '30m0s'],
  ['9223372036854775807ns', '2562047h47m16.854775807s'],
])('parseDuration: %s is %s', (text, canonical) => {
  expect(formatDuration(parseDuration(text))).toBe(canonical)
})

test.each([
  ['', 'time: invalid duration ""'],
  ['5', 'time: missing unit in duration "5"'],
  ['5d', 'time: unknown unit "d" in duration "5d"'],
  ['.s', 'time: invalid duration ".s"'],
  ['é', 'time: invalid duration "\\xc3\\xa9"'],
  ['1 s', 'time: unknown unit " s" in duration "1 s"'],
  ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
  ['1h-1h', 'time: unknown unit "h-" in duration "1h-1h"'],
])('parseDuration rejects %j', (text, message) => {
  expect(() => parseDuration(text)).toThrow(new Error(message))
})

test('parseDuration reads every text of formatDuration', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }), (nanoseconds) => {
      expect(parseDuration(formatDuration(nanoseconds))).toBe(nanoseconds)
    }),
  )
})
