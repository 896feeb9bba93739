import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from './json.ts'
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
  ['{"a":[1.0,1e3,{"b":12345678901234567890}]}', []],
  ['{"a":1.0,"a":1.0}', ['a']],
  ['{"a":":","b":"{\\":","c":{}}', []],
])('duplicate fields: %s', (text, paths) => {
  expect(duplicateFields(text)).toEqual(paths)
  expect(duplicateFields(text, parseJson(text, 'verbatim'))).toEqual(paths)
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

test('counting keys finds the same as comparing them', () => {
  const key = fc.constantFrom('a', 'b', '\\u0061', '__proto__', ':')
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('1', '1.0', '1e5', 'null', '"x:"', '12345678901234567890'),
      fc.array(tie('value')).map((elements) => `[${elements.join()}]`),
      fc.array(fc.tuple(key, tie('value'))).map((entries) => `{${entries.map(([k, v]) => `"${k}":${v}`).join()}}`),
    ),
  }))
  fc.assert(
    fc.property(value, (text) => {
      for (const numbers of ['untyped', 'verbatim', 'unstructured'] as const)
        expect(duplicateFields(text, parseJson(text, numbers))).toEqual(duplicateFields(text))
    }),
  )
})
