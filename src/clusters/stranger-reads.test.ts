import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { StrangerRead, StrangerTurns, within } from './stranger-reads.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 })
})

afterEach(() => {
  vi.useRealTimers()
})

/** Returns a read that counts its calls and resolves to their number. */
function counted(turns: StrangerTurns) {
  const calls: number[] = []
  const read = new StrangerRead(turns, async () => calls.push(Date.now()))
  return { read, calls }
}

describe('reads on behalf of strangers', () => {
  test('of several kinds take turns, one a second in sum, and requests of one kind share the next', async () => {
    const turns = new StrangerTurns()
    const [rules, secrets] = [counted(turns), counted(turns)]
    const begun = Date.now()
    const answers = Promise.all([1, 2, 3].flatMap(() => [rules.read.next(), secrets.read.next()]))
    await vi.advanceTimersByTimeAsync(1000)
    expect(await answers).toEqual([1, 1, 1, 1, 1, 1])
    expect([rules.calls, secrets.calls]).toEqual([[begun], [begun + 1000]])
    const later = rules.read.next()
    await vi.advanceTimersByTimeAsync(999)
    expect(rules.calls).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await later).toBe(2)
  })

  test('of a cluster that does not exist take no turn', async () => {
    const turns = new StrangerTurns(() => Promise.reject(new Error('no such cluster')))
    const { read, calls } = counted(turns)
    await expect(Promise.all([read.next(), read.next()])).rejects.toThrow('no such cluster')
    expect(calls).toEqual([])
    expect(turns.reserve(Date.now())).toBe(0)
  })

  test('that are not admitted have no result, and the next one is asked again', async () => {
    let isAdmitted = false
    const { read, calls } = counted(new StrangerTurns(async () => isAdmitted))
    expect(await read.next()).toBeUndefined()
    isAdmitted = true
    expect(await read.next()).toBe(1)
    expect(calls).toHaveLength(1)
  })

  test('after a pause do not wait, and a pause gives no credit', async () => {
    const { read, calls } = counted(new StrangerTurns())
    await read.next()
    await vi.advanceTimersByTimeAsync(10_000)
    await read.next()
    const second = read.next()
    await vi.advanceTimersByTimeAsync(500)
    expect(calls).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(500)
    expect(await second).toBe(3)
  })

  test('have a bounded number of waiting requests', async () => {
    const turns = new StrangerTurns()
    turns.reserve(Date.now())
    const { read } = counted(turns)
    const waiting = Array.from({ length: 100 }, () => read.next())
    expect(await read.next()).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1000)
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 100 }, () => 1))
    const next = read.next()
    await vi.advanceTimersByTimeAsync(1000)
    expect(await next).toBe(2)
  })

  test('that never end are given up and made again', async () => {
    let calls = 0
    const read = new StrangerRead(new StrangerTurns(), () => {
      calls++
      return calls === 1 ? new Promise<number>(() => undefined) : Promise.resolve(calls)
    })
    const lost = expect(read.next()).rejects.toThrow('no answer within 10000 ms')
    await vi.advanceTimersByTimeAsync(10_000)
    await lost
    expect(await read.next()).toBe(2)
  })

  test('that fail report the error to all who wait', async () => {
    const read = new StrangerRead(new StrangerTurns(), () => Promise.reject(new Error('gone')))
    await expect(Promise.all([read.next(), read.next()])).rejects.toThrow('gone')
    expect(read.isPending).toBe(false)
  })
})

test('within returns the result of work that is done in time', async () => {
  expect(await within(Promise.resolve(1), 10)).toBe(1)
})
