import { expect, test } from 'vitest'
import { ReadCache } from './read-cache.ts'

/** Returns a read that counts itself. */
function counted<T>(fact: T | undefined) {
  const read = async (): Promise<T | undefined> => {
    read.count++
    return fact
  }
  read.count = 0
  return read
}

test('a found fact is read once, until its collection is written', async () => {
  const cache = new ReadCache()
  const read = counted('fact')
  for (let request = 0; request < 3; request++) expect(await cache.find('nodes', 'a', read)).toBe('fact')
  expect(read.count).toBe(1)
  cache.invalidate('storageclasses')
  await cache.find('nodes', 'a', read)
  expect(read.count).toBe(1)
  cache.invalidate('nodes')
  await cache.find('nodes', 'a', read)
  expect(read.count).toBe(2)
})

test('a missing fact is read for each request', async () => {
  const cache = new ReadCache()
  const read = counted(undefined)
  await cache.find('nodes', 'a', read)
  await cache.find('nodes', 'a', read)
  expect(read.count).toBe(2)
})

test('a fact that was read before a write is not kept after it', async () => {
  const cache = new ReadCache()
  const old = cache.find('nodes', 'a', async () => {
    cache.invalidate('nodes')
    return 'old'
  })
  expect(await old).toBe('old')
  expect(await cache.find('nodes', 'a', async () => 'new')).toBe('new')
})
