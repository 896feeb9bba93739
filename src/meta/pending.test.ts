import { expect, test } from 'vitest'
import { Pending, whenFetched } from './pending.ts'

const tired = (): Error => new Error('tired')

test('work is repeated after each fetch that it needs', async () => {
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

test('a failed fetch rejects the work with its error', async () => {
  const work = (): Promise<never> => Promise.reject(new Pending(() => Promise.reject(new Error('gone'))))
  await expect(whenFetched(work, tired)).rejects.toThrow('gone')
})

test('work that needs a fetch every time ends with an error', async () => {
  const work = (): Promise<never> => Promise.reject(new Pending(async () => () => {}))
  await expect(whenFetched(work, tired)).rejects.toThrow('tired')
})
