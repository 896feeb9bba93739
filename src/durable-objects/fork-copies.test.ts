import { expect, test } from 'vitest'
import type { PastObject } from '../clusters/fork-messages.ts'
import { batchesOf } from './fork-copies.ts'

async function* objectsOf(lengths: readonly number[]): AsyncGenerator<PastObject> {
  for (const [index, length] of lengths.entries()) {
    yield { key: `pods/${index}`, version: index + 1, at: 0, labels: '{}', value: 'x'.repeat(length) }
  }
}

async function batchLengths(lengths: readonly number[]): Promise<number[]> {
  const batches: number[] = []
  for await (const batch of batchesOf(objectsOf(lengths))) batches.push(batch.length)
  return batches
}

test('small objects are written 500 at once', async () => {
  expect(await batchLengths(Array.from({ length: 1001 }, () => 10))).toEqual([500, 500, 1])
})

test('large objects are written a few at once', async () => {
  expect(await batchLengths(Array.from({ length: 10 }, () => 1_400_000))).toEqual([3, 3, 3, 1])
})

test('nothing is written for a collection without objects', async () => {
  expect(await batchLengths([])).toEqual([])
})
