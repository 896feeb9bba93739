import { expect, test } from 'vitest'
import { nextSlice } from './slices.ts'

test('long tasks take turns by slice, and a new request waits for one slice only', async () => {
  const order: string[] = []
  let turns = 0
  let counting = true
  const count = (): void => {
    turns++
    if (counting) setImmediate(count)
  }
  setImmediate(count)
  const slicesOfTurn = new Map<number, number>()
  const work = async (name: string): Promise<void> => {
    for (let slice = 0; slice < 5; slice++) {
      await nextSlice()
      order.push(name)
      slicesOfTurn.set(turns, (slicesOfTurn.get(turns) ?? 0) + 1)
    }
  }
  await Promise.all([work('a'), work('b'), work('c')])
  counting = false
  expect(order.join('')).toBe('abcabcabcabcabc')
  expect(Math.max(...slicesOfTurn.values())).toBe(1)
})

test('a terminated task in the queue does not block the others', async () => {
  const realTimeout = globalThis.setTimeout
  globalThis.setTimeout = (() => 0) as unknown as typeof setTimeout
  void nextSlice()
  globalThis.setTimeout = realTimeout
  await nextSlice()
  await nextSlice()
})
