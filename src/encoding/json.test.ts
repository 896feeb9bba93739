import { expect, test } from 'vitest'
import { rawNumber } from '../go/json.ts'
import { renderJson } from './json.ts'

test('compact JSON ends with a newline, indented JSON does not', () => {
  expect(renderJson({ a: [1, {}], b: [] }, false)).toBe('{"a":[1,{}],"b":[]}\n')
  expect(renderJson({ a: [1, {}], b: [] }, true)).toBe('{\n  "a": [\n    1,\n    {}\n  ],\n  "b": []\n}')
})

test('characters with a meaning in HTML are escaped, numbers keep their digits', () => {
  expect(renderJson({ '<k>': '<a>&\u2028\u2029\u007f', n: rawNumber('9223372036854775807') }, false)).toBe(
    '{"\\u003ck\\u003e":"\\u003ca\\u003e\\u0026\\u2028\\u2029\u007f","n":9223372036854775807}\n',
  )
})
