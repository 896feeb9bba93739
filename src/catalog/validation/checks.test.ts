import { expect, test } from 'vitest'
import { emptyMap } from '../../schema/explicit-empty.ts'
import { isSame } from './checks.ts'

test('a list or map that holds nothing is as good as none, an empty struct is not', () => {
  expect(isSame({ a: [] }, { a: null })).toBe(true)
  expect(isSame({ a: emptyMap }, { a: null })).toBe(true)
  expect(isSame({ a: {} }, { a: null })).toBe(false)
  expect(isSame({ a: ['x'] }, { a: null })).toBe(false)
})
