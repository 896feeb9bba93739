import { expect, test } from 'vitest'
import { boundWarnings } from './warnings.ts'

test('each text once, in the order in which they came', () => {
  expect(boundWarnings(['b', 'a', '', 'b'])).toEqual(['b', 'a'])
})

test('texts that are too long together are cut, and no more than 4096 characters are told', () => {
  const bounded = boundWarnings(Array.from({ length: 100 }, (_none, index) => `${index}`.padEnd(300, 'x')))
  expect(bounded).toHaveLength(16)
  expect(bounded.every((text) => text.length === 256)).toBe(true)
})

test('a long text alone is whole', () => {
  expect(boundWarnings(['x'.repeat(4096)])).toEqual(['x'.repeat(4096)])
})
