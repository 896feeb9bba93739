import { expect, test } from 'vitest'
import { boundWarnings } from './warnings.ts'

test('duplicate warnings are dropped, and their order is kept', () => {
  expect(boundWarnings(['b', 'a', '', 'b'])).toEqual(['b', 'a'])
})

test('long warnings are truncated, and no more than 4096 characters are sent', () => {
  const bounded = boundWarnings(Array.from({ length: 100 }, (_none, index) => `${index}`.padEnd(300, 'x')))
  expect(bounded).toHaveLength(16)
  expect(bounded.every((text) => text.length === 256)).toBe(true)
})

test('a single long warning is not truncated', () => {
  expect(boundWarnings(['x'.repeat(4096)])).toEqual(['x'.repeat(4096)])
})
