import { expect, test } from 'vitest'
import { Pending, whenFetched } from './pending.ts'

const tired = (): Error => new Error('tired')

test('work is done again each time that something has come', async () => {
  const has = new Set<string>()
  const need = (name: string): string => {
    if (has.has(name)) return name
    throw new Pending(async () => {
      has.add(name)
      return () => has.delete(name)
    })
  }
  let begun = 0
  const work = async (): Promise<string> => {
    begun++
    return need('a') + need('b')
  }
  expect(await whenFetched(work, tired)).toBe('ab')
  expect(begun).toBe(3)
  expect(has.size).toBe(0)
})

test('what cannot be fetched is what the work is refused with', async () => {
  const work = (): Promise<never> => Promise.reject(new Pending(() => Promise.reject(new Error('gone'))))
  await expect(whenFetched(work, tired)).rejects.toThrow('gone')
})

test('work that always needs something new ends', async () => {
  const work = (): Promise<never> => Promise.reject(new Pending(async () => () => {}))
  await expect(whenFetched(work, tired)).rejects.toThrow('tired')
})
