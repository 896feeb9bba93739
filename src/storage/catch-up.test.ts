import { expect, test } from 'vitest'
import { Budget } from './catch-up.ts'

/** Begins watchers that each take `bytes` as soon as they may, and records their order. */
function begun(budget: Budget, names: readonly string[], bytes: number): string[] {
  const order: string[] = []
  for (const name of names) {
    const run = (): void => {
      if (!budget.isFree(run)) return
      order.push(name)
      budget.change(0, bytes)
    }
    run()
  }
  return order
}

test('watchers that wait for a budget get it in their order, also if two shares are returned at once', async () => {
  const budget = new Budget(10)
  budget.change(0, 8)
  budget.change(0, 8)
  const order = begun(budget, ['a', 'b', 'c', 'd'], 40)
  expect(order).toEqual([])
  budget.change(8, 0)
  budget.change(8, 0)
  await Promise.resolve()
  expect(order).toEqual(['a'])
  for (const expected of [
    ['a', 'b'],
    ['a', 'b', 'c'],
    ['a', 'b', 'c', 'd'],
  ]) {
    budget.change(40, 0)
    await Promise.resolve()
    expect(order).toEqual(expected)
  }
})

test('small shares are given to as many as fit, and one who comes later waits behind the others', async () => {
  const budget = new Budget(10)
  budget.change(0, 10)
  const order = begun(budget, ['a', 'b', 'c'], 4)
  budget.change(10, 0)
  const late = begun(budget, ['late'], 4)
  expect(late).toEqual([])
  await new Promise((resolve) => setImmediate(resolve))
  expect(order).toEqual(['a', 'b', 'c'])
  expect(late).toEqual([])
  budget.change(4, 0)
  await new Promise((resolve) => setImmediate(resolve))
  expect(late).toEqual(['late'])
})
