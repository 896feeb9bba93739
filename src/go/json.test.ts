import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isRawNumber, isWholeDouble, mayOverflow, parseJson, setKey, stringify } from './json.ts'
import { JsonSyntaxError, MAX_DEPTH } from './json-syntax.ts'
import type { JsonObject, JsonValue } from './json-value.ts'

describe('numbers in JSON', () => {
  test.each(['9223372036854775807', '-9223372036854775808', '[{"a":9007199254740993}]'])('int64 keeps all digits: %s', (text) => {
    expect(stringify(parseJson(text))).toBe(text)
  })

  test('untyped: a number that is not an int64 becomes a double', () => {
    expect(parseJson('[1.0,1e3,9223372036854775808,0.12345678901234567890]')).toEqual([1, 1000, 2 ** 63, 0.12345678901234568])
  })

  test('verbatim: all digits are kept', () => {
    const text = '{"a":1.0,"b":[1e3,-2E5 ],"c":99999999999999999999,"d":1e999}'
    expect(stringify(parseJson(text, 'verbatim'))).toBe(text.replace(' ', ''))
    expect(parseJson('[1.5,7,-0.25]', 'verbatim')).toEqual([1.5, 7, -0.25])
  })

  test('a number beyond the range of a double does not become Infinity', () => {
    expect(isRawNumber(parseJson('1e400'))).toBe(true)
    expect(stringify(parseJson('[1e400]'))).toBe('[1e400]')
  })

  test('an object with the member rawJSON is not a number', () => {
    expect(isRawNumber(parseJson('{"rawJSON":"1"}'))).toBe(false)
  })
})

test('__proto__ is an ordinary key', () => {
  const parsed = parseJson('{"__proto__":{"a":12345678901234567}}') as JsonObject
  expect(Object.keys(parsed)).toEqual(['__proto__'])
  expect(stringify(parsed)).toBe('{"__proto__":{"a":12345678901234567}}')
  const object: JsonObject = {}
  setKey(object, '__proto__', 'x')
  setKey(object, 'a', 'y')
  expect(stringify(object)).toBe('{"__proto__":"x","a":"y"}')
})

test('parseJson agrees with JSON.parse on the output of JSON.stringify', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ noUnicodeString: false }),
      fc.constantFrom<'untyped' | 'verbatim'>('untyped', 'verbatim'),
      (value, numbers) => {
        const text = JSON.stringify(value)
        expect(stringify(parseJson(text, numbers))).toBe(text)
      },
    ),
  )
})

test('the maximum depth does not count brackets in strings', () => {
  const nested = (depth: number): string => `${'[{"a":'.repeat(depth / 2)}"]}\\"{{[["${'}]'.repeat(depth / 2)}`
  expect(stringify(parseJson(nested(MAX_DEPTH)))).toBe(nested(MAX_DEPTH))
  expect(() => parseJson(nested(MAX_DEPTH + 2))).toThrow(new JsonSyntaxError("invalid character '[' exceeded max depth"))
  const wide = JSON.stringify(Array.from({ length: 5000 }, () => [{}]))
  expect(stringify(parseJson(wide))).toBe(wide)
})

test('every text is either parsed or rejected with a JsonSyntaxError', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '1',
    '-',
    '.',
    'e',
    'true',
    'nul',
    '"a"',
    ' ',
    '\n',
    'é',
    '\u0001',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join('')
      let isJson = true
      try {
        JSON.parse(text)
      } catch {
        isJson = false
      }
      if (isJson) parseJson(text)
      else expect(() => parseJson(text)).toThrow(JsonSyntaxError)
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['1.0', '1', true],
  ['1e18', '1000000000000000000', true],
  ['1', '1', false],
  ['1000000000000000000', '1000000000000000000', false],
  ['1.5', '1.5', false],
  ['1e21', '1e+21', false],
])('unstructured: %s is serialized as %s', (text, written, isWhole) => {
  const value = parseJson(`{"n":${text}}`, 'unstructured') as { n: JsonValue }
  expect(stringify(value)).toBe(`{"n":${written}}`)
  expect(isWholeDouble(value.n)).toBe(isWhole)
})

test.each([
  [`{"a":1${'0'.repeat(400)}}`, true],
  [`{"a":${'9'.repeat(308)}}`, true],
  [`{"a":"${'1'.repeat(307)}x${'1'.repeat(307)}"}`, false],
  ['{"a":1e309}', true],
  ['{"a":1e30}', false],
])('JSON text %#: numbers beyond the range of a double are suspected', (text, isSuspected) => {
  expect(mayOverflow(text)).toBe(isSuspected)
})
