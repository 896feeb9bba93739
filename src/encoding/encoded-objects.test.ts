import { expect, test } from 'vitest'
import { MemoryBudget } from '../meta/memory-budget.ts'
import type { Stored } from '../storage/store.ts'
import { type EncodedObject, EncodedObjects } from './encoded-objects.ts'
import { protobufMetadata } from './protobuf-view.ts'

const view = protobufMetadata('v1')
const stored = (resourceVersion: number, size = 1000): Stored => ({
  key: `configmaps/n/${resourceVersion}`,
  resourceVersion,
  value: JSON.stringify({ metadata: { name: 'x'.repeat(size) } }),
  labels: '',
})
const room = 10 * 1700
const unlimited = new MemoryBudget(Number.MAX_SAFE_INTEGER)
const lengthOf = ({ start, end }: EncodedObject): number => end - start

function add(objects: EncodedObjects, resourceVersion: number, reading: number): void {
  const bytes = Buffer.from(stored(resourceVersion).value)
  expect([...objects.add(view, [resourceVersion], { bytes, count: 1 }, reading)].flat()).toHaveLength(1)
}

test('an object version is encoded as protobuf once for each view', () => {
  const objects = new EncodedObjects(room, unlimited)
  const first = objects.of(view, stored(1))
  expect(objects.of(view, stored(1))).toBe(first)
  expect(objects.of(view, stored(2))).not.toBe(first)
  expect(objects.of(protobufMetadata('v1beta1'), stored(1))).not.toBe(first)
})

test('the least recently used objects are evicted from the cache', () => {
  const objects = new EncodedObjects(room, unlimited)
  const first = objects.of(view, stored(1))
  const second = objects.of(view, stored(2))
  for (let i = 3; i < 40; i++) {
    objects.of(view, stored(i))
    expect(objects.of(view, stored(1))).toBe(first)
    expect(objects.bytes).toBeLessThanOrEqual(room)
  }
  expect(objects.get(view, 2, objects.beginReading())).toBeUndefined()
  expect(objects.of(view, stored(2))).toEqual(second)
})

test('a list longer than the cache keeps its beginning cached after repeated reads', () => {
  const objects = new EncodedObjects(room, unlimited)
  const read = (): boolean[] => {
    const reading = objects.beginReading()
    return Array.from({ length: 30 }, (_, index) => {
      const known = objects.get(view, index + 1, reading) !== undefined
      if (!known) add(objects, index + 1, reading)
      return known
    })
  }
  read()
  for (let i = 0; i < 3; i++) {
    const known = read()
    expect(known.slice(0, 10).every(Boolean)).toBe(true)
    expect(known.slice(10).some(Boolean)).toBe(false)
  }
})

test('an object larger than the cache is encoded and not cached', () => {
  const objects = new EncodedObjects(room, unlimited)
  const before = objects.of(view, stored(1))
  expect(lengthOf(objects.of(view, stored(2, 2 * room)))).toBeGreaterThan(room)
  expect(objects.of(view, stored(1))).toBe(before)
})

test('objects that are encoded in one block are cached one by one', () => {
  const objects = new EncodedObjects(1024 * 1024, unlimited)
  const all = Array.from({ length: 100 }, (_, index) => stored(index + 1, 500 + index))
  const values = { bytes: Buffer.from(all.map(({ value }) => value).join(',')), count: all.length }
  const versions = all.map(({ resourceVersion }) => resourceVersion)
  const written = [...objects.add(view, versions, values, objects.beginReading())].flat()
  const alone = all.map((object) => new EncodedObjects(room, unlimited).of(view, object))
  const bytesOf = ({ bytes, start, end }: EncodedObject): Buffer => Buffer.from(bytes.subarray(start, end))
  expect(written.map(bytesOf)).toEqual(alone.map(bytesOf))
  expect(versions.map((version) => objects.get(view, version, 0))).toEqual(written)
})
