import { expect, test } from 'vitest'
import { rawNumber } from '../../meta/json.ts'
import { indented, renderJson } from './json.ts'

test('one line has a newline behind it, indented JSON has none', () => {
  expect(renderJson({ a: [1, {}], b: [] }, false)).toBe('{"a":[1,{}],"b":[]}\n')
  expect(renderJson({ a: [1, {}], b: [] }, true)).toBe('{\n  "a": [\n    1,\n    {}\n  ],\n  "b": []\n}')
})

test('what HTML reads is escaped, numbers keep their digits', () => {
  expect(renderJson({ '<k>': '<a>&\u2028\u2029\u007f', n: rawNumber('9223372036854775807') }, false)).toBe(
    '{"\\u003ck\\u003e":"\\u003ca\\u003e\\u0026\\u2028\\u2029\u007f","n":9223372036854775807}\n',
  )
})

test('text is indented as it stands: its keys, numbers and escapes stay', () => {
  const text = '{"b":{"10":1.0,"9":[]},"a":[{"\\"}{":"\\u003c,:"},-1e3,true,null],"e":{}}'
  expect(indented(text)).toBe(
    '{\n  "b": {\n    "10": 1.0,\n    "9": []\n  },\n  "a": [\n    {\n      "\\"}{": "\\u003c,:"\n    },\n    -1e3,\n    true,\n    null\n  ],\n  "e": {}\n}',
  )
  expect(JSON.parse(indented(text))).toEqual(JSON.parse(text))
})
