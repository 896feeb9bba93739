import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkSyntax, JsonSyntaxError } from './json-syntax.ts'

test.each([
  ['', 'unexpected end of JSON input'],
  ['{', 'unexpected end of JSON input'],
  ['"a', 'unexpected end of JSON input'],
  ['[1', 'unexpected end of JSON input'],
  ['{"a":\u0001}', "invalid character '\\x01' looking for beginning of value"],
  ['"\u0001"', "invalid character '\\x01' in string literal"],
  ['"\n"', "invalid character '\\n' in string literal"],
  ['{} x', "invalid character 'x' after top-level value"],
  ['é', "invalid character 'Ã' looking for beginning of value"],
  ['\u{1f600}', "invalid character 'ð' looking for beginning of value"],
  ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
  ['{name:1}', "invalid character 'n' looking for beginning of object key string"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
  ["['a']", "invalid character '\\'' looking for beginning of value"],
  ['[1 2]', "invalid character '2' after array element"],
  ['[1}', "invalid character '}' after array element"],
  ['"\\q"', "invalid character 'q' in string escape code"],
  ['"\\', "invalid character ' ' in string escape code"],
  ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['trux', "invalid character 'x' in literal true (expecting 'e')"],
  ['nul', "invalid character ' ' in literal null (expecting 'l')"],
  ['-', "invalid character ' ' in numeric literal"],
  ['-a', "invalid character 'a' in numeric literal"],
  ['01', "invalid character '1' after top-level value"],
  ['1.x', "invalid character 'x' after decimal point in numeric literal"],
  ['1e+', "invalid character ' ' in exponent of numeric literal"],
  ['['.repeat(10_001), "invalid character '[' exceeded max depth"],
])("encoding/json's error for invalid JSON: %j", (text, message) => {
  expect(() => checkSyntax(text)).toThrow(new JsonSyntaxError(message))
})

test('accepts valid JSON', () => {
  fc.assert(fc.property(fc.json(), (text) => checkSyntax(` ${text}\n`)))
})
