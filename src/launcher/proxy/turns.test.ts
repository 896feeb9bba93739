import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Turns } from './turns.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Takes turns by name; `ends` has the function that ends the turn of each that has begun. */
function turnsOf(atOnce: number): {
  take: (name: string) => void
  begun: string[]
  ends: Map<string, () => void>
  unwanted: Set<string>
} {
  const turns = new Turns(atOnce, 250)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const unwanted = new Set<string>()
  const take = (name: string): void =>
    turns.take(
      () => !unwanted.has(name),
      (done) => {
        begun.push(name)
        ends.set(name, done)
      },
    )
  return { take, begun, ends, unwanted }
}

test('so many begin at once; the newest that is still wanted has the next turn', () => {
  const { take, begun, ends, unwanted } = turnsOf(2)
  for (const name of ['a', 'b', 'c', 'd', 'e']) take(name)
  expect(begun).toEqual(['a', 'b'])
  unwanted.add('e')
  ends.get('a')?.()
  expect(begun).toEqual(['a', 'b', 'd'])
  // A turn ends once.
  ends.get('a')?.()
  expect(begun).toHaveLength(3)
})

test('a turn that does not end makes others wait for no longer than its time', () => {
  const { take, begun } = turnsOf(1)
  for (const name of ['a', 'b']) take(name)
  vi.advanceTimersByTime(249)
  expect(begun).toEqual(['a'])
  vi.advanceTimersByTime(1)
  expect(begun).toEqual(['a', 'b'])
})
