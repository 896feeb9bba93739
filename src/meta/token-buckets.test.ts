import { expect, test } from 'vitest'
import { TokenBuckets } from './token-buckets.ts'

test('a burst is accepted, then as many requests as the rate allows', () => {
  const buckets = new TokenBuckets({ perSecond: 2, burst: 3 })
  expect([0, 0, 0, 0].map((at) => buckets.take('a', at))).toEqual([0, 0, 0, 1])
  expect(buckets.take('a', 500)).toBe(0)
  expect(buckets.take('a', 600)).toBe(1)
  expect(buckets.take('a', 10_000)).toBe(0)
})

test('the buckets of two keys are independent', () => {
  const buckets = new TokenBuckets({ perSecond: 1, burst: 1 })
  expect(buckets.take('a', 0)).toBe(0)
  expect(buckets.take('a', 0)).toBe(1)
  expect(buckets.take('b', 0)).toBe(0)
})

test('the wait of a slow bucket is rounded up to whole seconds', () => {
  const buckets = new TokenBuckets({ perSecond: 0.1, burst: 1 })
  buckets.take('a', 0)
  expect(buckets.take('a', 0)).toBe(10)
  expect(buckets.take('a', 2500)).toBe(8)
})

test('above the maximum number of keys, the least recently used bucket is dropped', () => {
  const buckets = new TokenBuckets({ perSecond: 0.001, burst: 1 })
  buckets.take('first', 0)
  for (let i = 0; i < 9_999; i++) buckets.take(`key ${i}`, 0)
  expect(buckets.take('first', 0)).toBeGreaterThan(0)
  for (let i = 0; i < 10_000; i++) buckets.take(`other ${i}`, 0)
  expect(buckets.take('first', 0)).toBe(0)
})

test('a clock that is set back does not empty a bucket', () => {
  const buckets = new TokenBuckets({ perSecond: 1, burst: 2 })
  expect(buckets.take('a', 5000)).toBe(0)
  expect(buckets.take('a', 1000)).toBe(0)
})
