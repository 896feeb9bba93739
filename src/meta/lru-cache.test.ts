import { expect, test } from 'vitest'
import { LruCache } from './lru-cache.ts'

test('the last value of a key is kept until it is deleted', () => {
  const cache = new LruCache<string, number>(10)
  expect(cache.get('a')).toBeUndefined()
  cache.set('a', 1)
  cache.set('a', 2)
  expect(cache.get('a')).toBe(2)
  cache.delete('a')
  expect(cache.get('a')).toBeUndefined()
  cache.set('b', 3)
  cache.clear()
  expect(cache.get('b')).toBeUndefined()
})

test('the least recently used entry is evicted', () => {
  const cache = new LruCache<string, number>(3)
  for (const [index, key] of ['a', 'b', 'c'].entries()) cache.set(key, index)
  cache.get('a')
  cache.set('d', 3)
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual([0, undefined, 2, 3])
})

test('the maximum is a total size, and a larger entry is not kept and evicts no other', () => {
  const cache = new LruCache<string, string>(10, (_key, text) => text.length)
  cache.set('a', '12345')
  cache.set('b', '12345')
  cache.set('c', '1')
  expect(cache.get('a')).toBeUndefined()
  cache.set('b', '12345678901')
  expect(cache.get('b')).toBeUndefined()
  expect(cache.get('c')).toBe('1')
})
