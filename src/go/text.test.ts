import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareText, goQuote, trimSpace, unprintableCharacters, utf8Length } from './text.ts'

describe('goQuote', () => {
  test.each([
    ['plain', '"plain"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['\x07\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
    ['\0\x1f\x7f', '"\\x00\\x1f\\x7f"'],
    ['é😀', '"é😀"'],
    ['\u00ad\u2028\ufeff', '"\\u00ad\\u2028\\ufeff"'],
    ['\u{10ffff}', '"\\U0010ffff"'],
    ['<&>', '"<&>"'],
    ['\ud800', '"\ufffd"'],
  ])('goQuote(%j)', (text, quoted) => {
    expect(goQuote(text)).toBe(quoted)
  })
})

test('utf8Length and compareText use UTF-8', () => {
  const encoder = new TextEncoder()
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      expect(utf8Length(a)).toBe(encoder.encode(a).length)
      expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(encoder.encode(a), encoder.encode(b)))
    }),
  )
})

test("trimSpace removes Go's white space", () => {
  expect(trimSpace(' \t\u0085\u2028 a b \u3000\n')).toBe('a b')
  expect(trimSpace('\ufeffa')).toBe('\ufeffa')
})

test('unprintable characters are reported with their byte position, up to a limit', () => {
  expect(unprintableCharacters('é\x07😀\u00ad', 9)).toEqual([
    { formatted: 'U+0007', at: 2 },
    { formatted: 'U+00AD', at: 7 },
  ])
  expect(unprintableCharacters('\0\0\0', 2)).toHaveLength(2)
})
