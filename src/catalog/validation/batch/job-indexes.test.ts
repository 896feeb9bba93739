import { expect, test } from 'vitest'
import { commonIndex, indexesError } from './job-indexes.ts'

test.each([
  ['', undefined],
  ['0,2-3', undefined],
  ['a', 'cannot convert string to integer for index: "a"'],
  ['5', 'too large index: "5"'],
  ['0-9', 'too large index: "9"'],
  ['3-2', 'non-increasing order, previous: 3, current: 2'],
  ['2,1', 'non-increasing order, previous: 2, current: 1'],
])('completedIndexes %j of a Job with 5 completions', (text, wrong) => {
  expect(indexesError(text, 5)).toBe(wrong)
})

test.each([
  ['0,2-3', '1,4', undefined],
  ['0,2-3', '1,3', 3],
  ['0-4', '2', 2],
  ['', '1', undefined],
  ['bad,2', '2', 2],
])('the first common index of %j and %j is %s', (left, right, common) => {
  expect(commonIndex(left, right, 5)).toBe(common)
})
