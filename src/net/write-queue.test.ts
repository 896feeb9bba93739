import { expect, test } from 'vitest'
import { WriteQueue } from './write-queue.ts'

test('writes one after the other, also if the first is slow', async () => {
  const written: number[] = []
  const { promise: slow, resolve } = Promise.withResolvers<void>()
  const { promise: done, resolve: finish } = Promise.withResolvers<void>()
  const queue = new WriteQueue(
    async ([first = 0]) => {
      if (first === 1) await slow
      written.push(first)
      if (first === 3) finish()
    },
    () => written.push(-1),
  )
  for (const number of [1, 2, 3]) queue.push(Uint8Array.of(number))
  resolve()
  await done
  expect(written).toEqual([1, 2, 3])
})

test('gives up when more than 64 MiB wait', () => {
  let given = 0
  const stuck = new WriteQueue(
    () => new Promise(() => undefined),
    () => given++,
  )
  const part = new Uint8Array(16 * 1024 * 1024)
  for (let i = 0; i < 4; i++) stuck.push(part)
  expect(given).toBe(0)
  stuck.push(part)
  expect(given).toBe(1)
})

test('after a write that fails, writes nothing more and does not give up: what has arrived is still to be read', async () => {
  const seen: string[] = []
  const { promise: failed, resolve } = Promise.withResolvers<void>()
  const queue = new WriteQueue(
    async ([first = 0]) => {
      seen.push(`written ${first}`)
      resolve()
      throw new Error('closed')
    },
    () => seen.push('given up'),
  )
  for (const number of [1, 2]) queue.push(Uint8Array.of(number))
  await failed
  await new Promise(setImmediate)
  queue.push(Uint8Array.of(3))
  await new Promise(setImmediate)
  expect(seen).toEqual(['written 1'])
})
