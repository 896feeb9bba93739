import { expect, test } from 'vitest'
import { utf8Problem } from './utf8.ts'

test.each([
  ['61c3bce282acf09f9880', undefined],
  ['fc', 'invalid leading UTF-8 octet'],
  ['80', 'invalid leading UTF-8 octet'],
  ['f888808080', 'invalid leading UTF-8 octet'],
  ['61c3', 'incomplete UTF-8 octet sequence'],
  ['e282', 'incomplete UTF-8 octet sequence'],
  ['c328', 'invalid trailing UTF-8 octet'],
  ['e228a1', 'invalid trailing UTF-8 octet'],
  ['c0af', 'invalid length of a UTF-8 sequence'],
  ['eda080', 'invalid Unicode character'],
  ['f4908080', 'invalid Unicode character'],
])('bytes %s: %s', (hex, problem) => {
  expect(utf8Problem(Buffer.from(hex, 'hex'))).toBe(problem)
})
