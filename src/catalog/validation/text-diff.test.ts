import { expect, test } from 'vitest'
import { jsonDiff } from './text-diff.ts'

test('nothing has changed', () => {
  expect(jsonDiff({ a: 1 }, { a: 1 })).toBe('')
})

test('a line is shown with three around it', () => {
  const before = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7 }
  expect(jsonDiff(before, { ...before, d: 'new' })).toBe(
    '@@ -2,7 +2,7 @@\n  "a": 1,\n  "b": 2,\n  "c": 3,\n- "d": 4,\n+ "d": "new",\n  "e": 5,\n  "f": 6,\n  "g": 7\n',
  )
})

test('changes far apart stand apart', () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, index]))
  expect(jsonDiff(many, { ...many, k1: 'x', k18: 'y' }).match(/^@@ .* @@$/gm)).toEqual(['@@ -1,6 +1,6 @@', '@@ -17,6 +17,6 @@'])
})

test('texts of any length end in bounded time', () => {
  const long = (length: number): number[] => Array.from({ length }, (_, index) => index)
  expect(jsonDiff(long(20_000), long(10_000)).length).toBeGreaterThan(10_000)
})
