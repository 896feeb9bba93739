import { expect, test } from 'vitest'
import type { Stored } from '../storage/store.ts'
import { EncodedObjects } from './encoded-objects.ts'
import { protobufMetadata } from './protobuf-form.ts'

const form = protobufMetadata('v1')
const stored = (resourceVersion: number, size = 1000): Stored => ({
  key: `configmaps/n/${resourceVersion}`,
  resourceVersion,
  value: JSON.stringify({ metadata: { name: 'x'.repeat(size) } }),
  labels: '',
})
const room = 10 * 1300

test('a version is written once for a form', () => {
  const objects = new EncodedObjects(room)
  const first = objects.of(form, stored(1))
  expect(objects.of(form, stored(1))).toBe(first)
  expect(objects.of(form, stored(2))).not.toBe(first)
  expect(objects.of(protobufMetadata('v1beta1'), stored(1))).not.toBe(first)
})

test('what was not asked for the longest makes room', () => {
  const objects = new EncodedObjects(room)
  const first = objects.of(form, stored(1))
  const second = objects.of(form, stored(2))
  for (let i = 3; i < 40; i++) {
    objects.of(form, stored(i))
    expect(objects.of(form, stored(1))).toBe(first)
    expect(objects.bytes).toBeLessThanOrEqual(room)
  }
  expect(objects.get(form, 2, objects.beginReading())).toBeUndefined()
  expect(objects.of(form, stored(2))).toEqual(second)
})

test('a list that is too long keeps its beginning, however often it is read', () => {
  const objects = new EncodedObjects(room)
  const read = (): boolean[] => {
    const reading = objects.beginReading()
    return Array.from({ length: 30 }, (_, index) => {
      const known = objects.get(form, index + 1, reading) !== undefined
      if (!known) objects.add(form, index + 1, new Uint8Array(1000), reading)
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

test('an object larger than all the room is written and not kept', () => {
  const objects = new EncodedObjects(room)
  const before = objects.of(form, stored(1))
  expect(objects.of(form, stored(2, 2 * room)).byteLength).toBeGreaterThan(room)
  expect(objects.of(form, stored(1))).toBe(before)
})
