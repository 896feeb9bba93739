import { expect, test } from 'vitest'
import { stringify } from './json.ts'
import { parseMerged } from './json-merge.ts'

test.each([
  ['objects become one', '{"a":{"x":1},"a":{"y":2}}', '{"a":{"x":1,"y":2}}'],
  ['the last text counts', '{"a":"1","a":"2"}', '{"a":"2"}'],
  ['the last list counts', '{"a":[1],"a":[2]}', '{"a":[2]}'],
  ['an object replaces a text, and a null an object', '{"a":"1","a":{"x":1},"b":{"x":1},"b":null}', '{"a":{"x":1},"b":null}'],
  ['deep below', '{"a":[{"b":{"x":1},"b":{"x":2,"y":3}}]}', '{"a":[{"b":{"x":2,"y":3}}]}'],
  ['digits stay as they are', '{"a":1.0,"b":99999999999999999999}', '{"a":1.0,"b":99999999999999999999}'],
  ['__proto__ is a key', '{"__proto__":{"x":1},"__proto__":{"y":2}}', '{"__proto__":{"x":1,"y":2}}'],
  ['quotes and brackets in texts', '{ "a" : "}\\"]," , "b\\"" : [ ] }', '{"a":"}\\"],","b\\"":[]}'],
])('%s', (_what, text, expected) => {
  expect(stringify(parseMerged(text))).toBe(expected)
})
