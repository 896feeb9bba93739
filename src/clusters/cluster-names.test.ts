import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ClusterNames } from './cluster-names.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 })
})

afterEach(() => {
  vi.useRealTimers()
})

/** Returns names with the questions that were asked: the time, and the number of names. */
function namesOf(...existing: readonly string[]) {
  const questions: (readonly [time: number, names: number])[] = []
  const names = new ClusterNames(async (asked) => {
    questions.push([Date.now(), asked.length])
    return new Set(asked.filter((name) => existing.includes(name)))
  })
  /** Resolves to 'exists', 'refused' or the code of the error. */
  const outcome = (name: string): Promise<unknown> =>
    names.confirm(name).then(
      (isConfirmed) => (isConfirmed ? 'exists' : 'refused'),
      (error: { code: number }) => error.code,
    )
  return { outcome, questions }
}

const invented = (count: number): string[] => Array.from({ length: count }, (_, index) => `invented-${index}`)

test('names of clusters that strangers invent do not delay those that exist', async () => {
  const { outcome, questions } = namesOf('blue', 'red')
  const begun = Date.now()
  const others = Promise.all(invented(900).map(outcome))
  const blue = outcome('blue')
  await vi.advanceTimersByTimeAsync(0)
  expect(await blue).toBe('exists')
  expect(new Set(await others)).toEqual(new Set([404]))
  const red = outcome('red')
  const more = Promise.all(invented(900).map(outcome))
  await vi.advanceTimersByTimeAsync(999)
  expect(questions).toEqual([[begun, 901]])
  await vi.advanceTimersByTimeAsync(1)
  expect(await red).toBe('exists')
  await more
  expect(questions).toEqual([
    [begun, 901],
    [begun + 1000, 901],
  ])
})

test('names beyond the bound of a question are refused until the next one', async () => {
  const { outcome, questions } = namesOf('blue')
  const waiting = invented(1000).map(outcome)
  expect(await outcome('blue')).toBe('refused')
  await vi.advanceTimersByTimeAsync(0)
  await Promise.all(waiting)
  const blue = outcome('blue')
  await vi.advanceTimersByTimeAsync(1000)
  expect(await blue).toBe('exists')
  expect(questions.map(([, count]) => count)).toEqual([1000, 1])
})

test('a question that is never answered is given up', async () => {
  let asked = 0
  const names = new ClusterNames(() => {
    asked++
    return asked === 1 ? new Promise(() => undefined) : Promise.resolve(new Set(['blue']))
  })
  const lost = expect(names.confirm('blue')).rejects.toThrow('no answer within 10000 ms')
  await vi.advanceTimersByTimeAsync(10_000)
  await lost
  const blue = names.confirm('blue')
  await vi.advanceTimersByTimeAsync(0)
  expect(await blue).toBe(true)
})
