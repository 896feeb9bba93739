import { expect, test } from 'vitest'
import { emptyMap } from '../../schema/explicit-empty.ts'
import { isSame } from './checks.ts'

test('an empty list or map equals null in immutability checks, an empty struct does not', () => {
  expect(isSame({ a: [] }, { a: null })).toBe(true)
  expect(isSame({ a: emptyMap }, { a: null })).toBe(true)
  expect(isSame({ a: {} }, { a: null })).toBe(false)
  expect(isSame({ a: ['x'] }, { a: null })).toBe(false)
})
