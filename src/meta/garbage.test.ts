import { expect, test } from 'vitest'
import { GarbageMeter } from './garbage.ts'

const longText = { length: 100_000 }

/** A meter whose collections take as long as `takes` says, and how many there were. */
function counted(takes: () => number) {
  const seen = { collections: 0, now: 0 }
  const meter = new GarbageMeter(
    () => {
      seen.collections++
      seen.now += takes()
    },
    () => seen.now,
  )
  return { meter, seen }
}

function handle(meter: GarbageMeter, times: number, text: { readonly length: number } = longText): void {
  for (let i = 0; i < times; i++) meter.handled(text)
}

test('garbage is collected each time that enough characters of long texts were handled', () => {
  const { meter, seen } = counted(() => 10)
  meter.every(1_000_000)
  handle(meter, 9)
  expect(seen.collections).toBe(0)
  handle(meter, 1)
  expect(seen.collections).toBe(1)
  handle(meter, 20)
  expect(seen.collections).toBe(3)
})

test('short texts are not counted, and nothing is without a limit', () => {
  const { meter, seen } = counted(() => 10)
  handle(meter, 100)
  meter.every(1_000_000)
  handle(meter, 10_000, { length: 10_000 })
  expect(seen.collections).toBe(0)
})

test('collections that take long become rarer, within limits', () => {
  let takes = 600
  const { meter, seen } = counted(() => takes)
  meter.every(1_000_000)
  handle(meter, 10)
  handle(meter, 29)
  expect(seen.collections).toBe(1)
  takes = 60_000
  handle(meter, 1)
  expect(seen.collections).toBe(2)
  takes = 1
  handle(meter, 40)
  expect(seen.collections).toBe(3)
  handle(meter, 10)
  expect(seen.collections).toBe(4)
})
