import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Attributes } from '../../auth/attributes.ts'
import { type Flow, FlowControl } from '../../auth/flow-control/classification.ts'
import type { FlowSchema, PriorityLevel } from '../../clusters/flow-control-objects.ts'
import type { User } from '../../meta/user.ts'
import { type Release, Seats } from './seats.ts'

const asked: Attributes = { isResource: false, verb: 'get', path: '/' }
const user = (name: string): User => ({ name, uid: '', groups: [], extra: {} })
const schema: FlowSchema = { name: 's', uid: '', matchingPrecedence: 1, priorityLevel: '', distinguisher: 'ByUser', rules: [] }
const queue = (queues: number, queueLengthLimit: number) => ({ type: 'Queue', queues, queueLengthLimit }) as const

function level(name: string, shares: number, limitResponse: ReturnType<typeof queue> | { type: 'Reject' }): PriorityLevel {
  return { name, uid: name, type: 'Limited', nominalConcurrencyShares: shares, borrowingLimitPercent: 0, limitResponse }
}

/** Returns a function that takes a seat of one of these priority levels. */
function seatsOf(total: number, ...levels: PriorityLevel[]) {
  const flowControl = new FlowControl({ flowSchemas: [], priorityLevels: levels })
  const seats = new Seats(total)
  return (name: string, who = 'jane') => {
    const found = levels.find((one) => one.name === name)
    if (found === undefined) throw new Error(name)
    const flow: Flow = { schema: { ...schema, priorityLevel: name }, level: found }
    return seats.take(flowControl, flow, user(who), asked)
  }
}

function seated(taken: Release | 'full' | Promise<Release | 'full'>): Release {
  if (typeof taken !== 'function') throw new Error(`no seat at once: ${String(taken)}`)
  return taken
}

const rejecting = level('reject', 10, { type: 'Reject' })

describe('seats of priority and fairness', () => {
  test('a priority level with limitResponse Reject rejects requests while its seats are taken', () => {
    const take = seatsOf(2, rejecting)
    const first = seated(take('reject'))
    seated(take('reject'))
    expect(take('reject')).toBe('full')
    first()
    first()
    seated(take('reject'))
    expect(take('reject')).toBe('full')
  })

  test('an exempt priority level is not limited', () => {
    const take = seatsOf(1, rejecting, { name: 'exempt', uid: '', type: 'Exempt' })
    for (let i = 0; i < 100; i++) seated(take('exempt'))
  })

  test('a priority level without shares runs one request at a time', () => {
    const take = seatsOf(10, rejecting, level('none', 0, { type: 'Reject' }))
    const only = seated(take('none'))
    expect(take('none')).toBe('full')
    only()
    seated(take('none'))
  })

  test('are divided by nominalConcurrencyShares', () => {
    const take = seatsOf(4, level('a', 30, { type: 'Reject' }), level('b', 10, { type: 'Reject' }))
    for (let i = 0; i < 3; i++) seated(take('a'))
    expect(take('a')).toBe('full')
    seated(take('b'))
    expect(take('b')).toBe('full')
  })

  test('of other priority levels are borrowed while they are free', () => {
    const { borrowingLimitPercent: _, ...greedy } = level('a', 1, { type: 'Reject' }) as Extract<
      PriorityLevel,
      { type: 'Limited' }
    >
    const take = seatsOf(3, greedy, level('b', 1, { type: 'Reject' }))
    for (let i = 0; i < 3; i++) seated(take('a'))
    expect(take('a')).toBe('full')
    seated(take('b'))
  })
})

test('a seat is free again after a time that no request takes, even if it was not released', () => {
  vi.useFakeTimers()
  try {
    const take = seatsOf(1, rejecting)
    const forgotten = seated(take('reject'))
    vi.setSystemTime(Date.now() + 59_000)
    expect(take('reject')).toBe('full')
    vi.setSystemTime(Date.now() + 2_000)
    seated(take('reject'))
    forgotten()
    expect(take('reject')).toBe('full')
  } finally {
    vi.useRealTimers()
  }
})

describe('a queue of priority and fairness', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('serves the flows in turn, however many requests each has', async () => {
    const take = seatsOf(1, level('q', 1, queue(2, 10)))
    const order: string[] = []
    let release = seated(take('q'))
    const wait = async (who: string): Promise<void> => {
      const got = await take('q', who)
      if (got === 'full') throw new Error('full')
      order.push(who)
      release = got
    }
    const all = [wait('loud'), wait('loud'), wait('loud'), wait('quiet')]
    for (let i = 0; i < all.length; i++) {
      release()
      await vi.advanceTimersByTimeAsync(0)
    }
    await Promise.all(all)
    expect(order).toEqual(['loud', 'quiet', 'loud', 'loud'])
  })

  test('rejects requests above queueLengthLimit', () => {
    const take = seatsOf(1, level('q', 1, queue(1, 2)))
    seated(take('q'))
    expect(take('q')).toBeInstanceOf(Promise)
    expect(take('q')).toBeInstanceOf(Promise)
    expect(take('q')).toBe('full')
  })

  test('rejects a request after the maximum wait and accepts new ones', async () => {
    const take = seatsOf(1, level('q', 1, queue(1, 1)))
    seated(take('q'))
    const waiting = take('q')
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await waiting).toBe('full')
    expect(take('q')).toBeInstanceOf(Promise)
  })
})
