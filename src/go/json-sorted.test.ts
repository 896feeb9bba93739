import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rawNumber } from './json.ts'
import { membersOf } from './json-members.ts'
import { sortedJson, structJson } from './json-sorted.ts'
import type { JsonObject } from './json-value.ts'

test.each([
  [{ b: 1, a: { d: [{ z: 1, y: 2 }], c: null } }, '{"a":{"c":null,"d":[{"y":2,"z":1}]},"b":1}'],
  // Keys that look like array indexes are sorted as texts, not as numbers.
  [{ 9: 1, 10: { 2: 1, 11: 2 }, a: 3, B: 4 }, '{"10":{"11":2,"2":1},"9":1,"B":4,"a":3}'],
  [
    { a: '<&>\u2028\u2029', n: rawNumber('9223372036854775807') },
    '{"a":"\\u003c\\u0026\\u003e\\u2028\\u2029","n":9223372036854775807}',
  ],
  [{ a: '\ud800', b: '\\ud800' }, '{"a":"\ufffd","b":"\\\\ud800"}'],
  // In UTF-8, surrogate pairs sort after all other characters.
  [{ '\ud83d\ude00': 1, '\uffee': 2 }, '{"\uffee":2,"\ud83d\ude00":1}'],
  [[1e21, 1e-7, -0, 1.5e300], '[1e+21,1e-7,0,1.5e+300]'],
])('sortedJson: %j', (value, text) => {
  expect(sortedJson(value)).toBe(text)
})

test('sortedJson keeps own properties of any name and does not change the value', () => {
  const value = JSON.parse('{"z":{"b":1,"a":2},"__proto__":{"y":1,"x":2}}')
  const before = JSON.stringify(value)
  expect(sortedJson(value)).toBe('{"__proto__":{"x":2,"y":1},"z":{"a":2,"b":1}}')
  expect(JSON.stringify(value)).toBe(before)
})

test('sortedJson keeps the value, and endOfValue finds the end of its members', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ noUnicodeString: false })), (value) => {
      const text = sortedJson(JSON.parse(JSON.stringify(value)))
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(
        `{${membersOf(text)
          .map((member) => member.text)
          .join(',')}}`,
      ).toBe(text)
    }),
    { numRuns: 50 },
  )
})

test.each([
  ['struct fields keep their order', { b: { z: 1 }, a: 2 }, '{"b":{"z":1},"a":2}'],
  [
    'maps with index-like keys are sorted by bytes',
    { z: { 9: 'a', 10: 'b', B: 'c', a: 'd' }, b: 1 },
    '{"z":{"10":"b","9":"a","B":"c","a":"d"},"b":1}',
  ],
  [
    'texts that look like index-like keys change nothing',
    { z: '"9":', b: { y: '{"9":1}', x: 1 } },
    '{"z":"\\"9\\":","b":{"y":"{\\"9\\":1}","x":1}}',
  ],
  ['undefined members are omitted', { z: undefined, b: { 1: undefined, 0: '<' } }, '{"b":{"0":"\\u003c"}}'],
])('structJson: %s', (_what, value, text) => {
  expect(structJson(value as unknown as JsonObject)).toBe(text)
})
