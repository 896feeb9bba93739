import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LruCache } from './lru-cache.ts'
import { MemoryBudget } from './memory-budget.ts'

const mebibyte = 1024 * 1024
const cacheOf = (budget: MemoryBudget): LruCache<string, string> =>
  new LruCache<string, string>(64 * mebibyte, (_key, text) => text.length, budget)
const text = 'x'.repeat(100_000)

function fill(cache: LruCache<string, string>, count: number): void {
  for (let index = 0; index < count; index++) cache.set(String(index), text)
}

const kept = (cache: LruCache<string, string>, count: number): number =>
  Array.from({ length: count }, (_, index) => cache.get(String(index))).filter((found) => found !== undefined).length

test('the caches of one budget together have at most its bytes', () => {
  const budget = new MemoryBudget(4 * mebibyte)
  const caches = Array.from({ length: 40 }, () => cacheOf(budget))
  for (const cache of caches) fill(cache, 20)
  expect(budget.used).toBeLessThanOrEqual(4 * mebibyte)
  const left = caches.reduce((count, cache) => count + kept(cache, 20), 0)
  expect(left * text.length).toBe(budget.used)
  expect(left * text.length).toBeGreaterThan(2 * mebibyte)
})

test('the cache that has not been used for the longest becomes smaller first', () => {
  const budget = new MemoryBudget(4 * mebibyte)
  const [cold, hot, growing] = [cacheOf(budget), cacheOf(budget), cacheOf(budget)]
  fill(cold, 10)
  fill(hot, 10)
  for (let index = 0; index < 35; index++) {
    hot.get('9')
    growing.set(String(index), text)
  }
  expect(kept(cold, 10)).toBe(0)
  expect(hot.get('9')).toBe(text)
})

test('the entry that was just added stays, unless it is larger than the budget', () => {
  const budget = new MemoryBudget(mebibyte)
  const cache = cacheOf(budget)
  fill(cache, 20)
  expect(cache.get('19')).toBe(text)
  cache.set('large', 'x'.repeat(2 * mebibyte))
  expect(budget.used).toBeLessThanOrEqual(mebibyte)
})

test('held memory lessens what caches may have, down to an eighth', () => {
  const budget = new MemoryBudget(8 * mebibyte)
  const [cache, owner] = [cacheOf(budget), {}]
  fill(cache, 70)
  const holder = budget.holder(owner)
  holder.set(4 * mebibyte)
  expect(budget.used).toBeLessThanOrEqual(4 * mebibyte)
  holder.set(100 * mebibyte)
  expect(budget.used).toBeLessThanOrEqual(mebibyte)
  expect(budget.used).toBeGreaterThan(mebibyte / 2)
  holder.set(0)
  fill(cache, 70)
  expect(budget.used).toBeGreaterThan(6 * mebibyte)
})

test('a lower limit evicts at once', () => {
  const budget = new MemoryBudget(8 * mebibyte)
  fill(cacheOf(budget), 70)
  budget.resize(mebibyte)
  expect(budget.used).toBeLessThanOrEqual(mebibyte)
})

test('the memory of a cache that was collected counts no longer', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const budget = new MemoryBudget(8 * mebibyte)
  const fillOneAndForgetIt = (): void => fill(cacheOf(budget), 30)
  for (let index = 0; index < 2; index++) fillOneAndForgetIt()
  const hold = (): void => budget.holder({}).set(mebibyte)
  hold()
  // A weak reference keeps its target until the end of the turn.
  await new Promise((resolve) => setTimeout(resolve, 0))
  collectGarbage()
  const cache = cacheOf(budget)
  fill(cache, 70)
  expect(kept(cache, 70)).toBe(70)
  expect(budget.maximum).toBe(8 * mebibyte)
})

test('the sum of all shares is the used memory, whatever is done with caches', () => {
  const operation = fc.record({
    cache: fc.nat(3),
    key: fc.nat(9),
    size: fc.nat(400_000),
    what: fc.constantFrom('set', 'get', 'delete', 'clear', 'hold'),
  })
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
      const budget = new MemoryBudget(mebibyte)
      const caches = Array.from({ length: 4 }, () => new LruCache<number, number>(mebibyte, (_key, size) => size, budget))
      const [owner, contents] = [{}, caches.map(() => new Set<number>())]
      const holder = budget.holder(owner)
      for (const { cache: at, key, size, what } of operations) {
        const cache = caches[at] as LruCache<number, number>
        contents[at]?.add(key)
        if (what === 'set') cache.set(key, size)
        else if (what === 'hold') holder.set(size)
        else if (what === 'clear') cache.clear()
        else cache[what](key)
        expect(budget.used).toBeLessThanOrEqual(budget.maximum)
      }
      const sizes = caches.flatMap((cache, at) => [...(contents[at] ?? [])].map((key) => cache.get(key) ?? 0))
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(budget.used)
    }),
  )
})
