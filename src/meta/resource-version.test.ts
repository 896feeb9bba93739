import { expect, test } from 'vitest'
import { readListResourceVersion, readObjectResourceVersion, readResourceVersion } from './resource-version.ts'

test('an invalid resourceVersion is 500 on get, 400 on list and 500 in an object', () => {
  const text = 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax'
  expect(readResourceVersion('')).toBe(0n)
  expect(readListResourceVersion('18446744073709551615')).toBe(2n ** 64n - 1n)
  expect(() => readResourceVersion('abc')).toThrow(expect.objectContaining({ code: 500, reason: '', message: text }))
  expect(() => readListResourceVersion('abc')).toThrow(
    expect.objectContaining({ code: 400, message: `invalid resource version: ${text}` }),
  )
  expect(() => readObjectResourceVersion('abc')).toThrow(
    expect.objectContaining({ code: 500, message: 'strconv.ParseUint: parsing "abc": invalid syntax' }),
  )
})
