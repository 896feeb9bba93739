import fc from 'fast-check'
import { expect, test } from 'vitest'
import { duplicateFields } from './json-duplicates.ts'

test.each([
  ['{"a":1,"b":2,"a":3}', ['a']],
  ['{"metadata":{"name":"x","name":"y","name":"z"}}', ['metadata.name']],
  [
    '{"spec":{"containers":[{"image":"a","image":"b"},{"image":"c"},{"image":"d","image":"e"}]}}',
    ['spec.containers[0].image', 'spec.containers[2].image'],
  ],
  ['[[{"a":1},{"b":{"a":1,"a":2}}]]', ['[0][1].b.a']],
  ['{"a":{"b":1},"a":{"b":2},"c":{"b":{},"b":[]}}', ['a', 'c.b']],
  ['{"a\\"b":1,"a\\u0022b":2}', ['a"b']],
  ['{"a":"a","b":"{\\"a\\":1,\\"a\\":2}"}', []],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['5', []],
])('duplicate fields: %s', (text, paths) => {
  expect(duplicateFields(text)).toEqual(paths)
})

test('at most 100 duplicate fields are reported', () => {
  const fields = Array.from({ length: 300 }, (_, i) => `"f${i}":1,"f${i}":2`)
  expect(duplicateFields(`{${fields.join()}}`)).toHaveLength(100)
})

test('JSON.stringify writes no duplicate fields', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(duplicateFields(JSON.stringify(value))).toEqual([])
    }),
  )
})
