import { expect, test } from 'vitest'
import { parseJson, stringify } from '../go/json.ts'
import { conversionError, wrapIntegers } from './convert.ts'
import type { ScalarType, Type } from './type.ts'

const cut = (kind: ScalarType, text: string): string => stringify(wrapIntegers({ kind, go: kind }, parseJson(text)))

test.each([
  ['int32', '2147483648', '-2147483648'],
  ['int32', '9007199254740993', '1'],
  ['int32', '1e10', '1410065408'],
  ['int32', '1e19', '0'],
  ['int64', '1e19', '-9223372036854775808'],
  ['int64', '9223372036854775807', '9223372036854775807'],
  ['uint8', '257', '1'],
] as const)('converting to %s: %s becomes %s', (kind, text, left) => {
  expect(conversionError({ kind, go: kind }, parseJson(text))).toBeUndefined()
  expect(cut(kind, text)).toBe(left)
})

test.each([
  ['[]', '[]'],
  ['[104,105]', '[104,105]'],
  ['[256,-1,null]', '[0,255,null]'],
])('a list of integers stands for bytes: %s', (text, left) => {
  const bytes: Type = { kind: 'bytes', go: '[]uint8' }
  expect(conversionError(bytes, parseJson(text))).toBeUndefined()
  expect(stringify(wrapIntegers(bytes, parseJson(text)))).toBe(left)
})
