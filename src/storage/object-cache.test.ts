import { expect, test } from 'vitest'
import { ObjectCache } from './object-cache.ts'
import type { Stored } from './store.ts'

const stored = (key: string, resourceVersion: number, size = 1000): Stored => ({
  key,
  resourceVersion,
  value: 'x'.repeat(size),
  labels: '',
})

test('the object cache returns the last state of a key', () => {
  const objects = new ObjectCache(10_000)
  expect(objects.get('a')).toBeUndefined()
  objects.set(stored('a', 1))
  objects.set(stored('a', 2))
  expect(objects.get('a')?.resourceVersion).toBe(2)
  objects.delete('a')
  expect(objects.get('a')).toBeUndefined()
  objects.set(stored('b', 3))
  objects.clear()
  expect(objects.get('b')).toBeUndefined()
})

test('the object cache evicts the least recently used object and does not keep one that is too large', () => {
  const objects = new ObjectCache(10_000)
  objects.set(stored('used', 1))
  for (let version = 2; version < 100; version++) {
    objects.set(stored(String(version), version))
    expect(objects.get('used')?.resourceVersion).toBe(1)
  }
  expect(objects.get('2')).toBeUndefined()
  expect(objects.get('99')?.resourceVersion).toBe(99)
  objects.set(stored('used', 100, 20_000))
  expect(objects.get('used')).toBeUndefined()
  expect(objects.get('99')?.resourceVersion).toBe(99)
})
