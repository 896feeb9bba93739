import { expect, test } from 'vitest'
import { jsonDifference, unifiedDiff } from './unified-diff.ts'

const numbered = (count: number): string[] => Array.from({ length: count }, (_none, index) => `line ${index}`)

test('the diff of equal texts is empty', () => {
  expect(unifiedDiff('a\nb', 'a\nb')).toBe('')
})

test('a changed line has three lines of context', () => {
  const from = numbered(9)
  const to = from.with(4, 'other')
  expect(unifiedDiff(from.join('\n'), to.join('\n'))).toBe(
    '@@ -2,7 +2,7 @@\n line 1\n line 2\n line 3\n-line 4\n+other\n line 5\n line 6\n line 7\n',
  )
})

test('distant changes are in separate hunks, close ones in one', () => {
  const from = numbered(20)
  expect(unifiedDiff(from.join('\n'), from.with(1, 'x').with(18, 'y').join('\n')).match(/^@@.*$/gm)).toEqual([
    '@@ -1,5 +1,5 @@',
    '@@ -16,5 +16,5 @@',
  ])
  expect(unifiedDiff(from.join('\n'), from.with(5, 'x').with(12, 'y').join('\n')).match(/^@@.*$/gm)).toEqual([
    '@@ -3,14 +3,14 @@',
  ])
})

test('added and removed lines', () => {
  expect(unifiedDiff('a\nb', 'a\nx\ny\nb')).toBe('@@ -1,2 +1,4 @@\n a\n+x\n+y\n b\n')
  expect(unifiedDiff('a', 'b')).toBe('@@ -1 +1 @@\n-a\n+b\n')
})

test('texts with too many lines give an empty diff', () => {
  const many = Array.from({ length: 400_000 }, () => 'same').join('\n')
  expect(unifiedDiff(many, `${many}\nmore`)).toBe('')
  const twoKinds = (count: number): string => Array.from({ length: count }, (_none, index) => `${index % 40}`).join('\n')
  expect(unifiedDiff(twoKinds(4900), twoKinds(4950))).not.toBe('')
})

test("values are indented as Go's JSON encoder does", () => {
  expect(jsonDifference({ a: [1], b: 'x' }, { a: [1], b: '<' })).toBe(
    '@@ -2,5 +2,5 @@\n  "a": [\n   1\n  ],\n- "b": "x"\n+ "b": "\\u003c"\n }\n',
  )
})

test('the diff of values is empty if their texts have too many lines', () => {
  const list = (length: number): object => ({ a: Array.from({ length }, (_none, index) => `${index}`) })
  expect(jsonDifference({ a: [] }, list(4_995)).split('\n').length).toBeGreaterThan(4_995)
  expect(jsonDifference({ a: [] }, list(4_996))).not.toBe('')
  expect(jsonDifference({ a: [] }, list(4_997))).toBe('')
  expect(jsonDifference(list(100_000), { a: [] })).toBe('')
})
