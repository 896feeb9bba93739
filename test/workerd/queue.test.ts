/** The stored queue of a controller. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Drain, Outcome, Reconciler } from '../../src/controllers/controller.ts'
import { Queue } from '../../src/controllers/queue.ts'
import { newStore } from './stores.ts'

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const rows = 'due/test/'
let now = 1_000_000

const open = (storage: DurableObjectStorage, reconcile: Reconciler['reconcile'], workers = 1): Queue =>
  new Queue(storage, () => now, { name: 'test', rows, workers }, { reconcile })

const stored = ({ kv }: DurableObjectStorage): Record<string, unknown> => Object.fromEntries(kv.list({ prefix: rows }))

const done = async (): Promise<Outcome> => 'done'

test('a key that fails has a pause of its own, and the others go on, also after an eviction', () =>
  newStore().runBare(async ({ storage }) => {
    const reconciled: string[] = []
    const reconcile = async (key: string): Promise<Outcome> => {
      reconciled.push(key)
      if (key === 'b') throw new Error('a failure of a test')
      return key === 'c' ? 'later' : 'done'
    }
    const queue = open(storage, reconcile)
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key)
    await queue.work(now)
    expect(reconciled).toEqual(['a', 'b', 'c', 'd'])
    const waiting = { at: now + 2_000, attempt: 1 }
    expect(stored(storage)).toEqual({ [`${rows}b`]: waiting, [`${rows}c`]: waiting })
    const next = open(storage, reconcile)
    expect(next.nextAlarm()).toBe(now + 2_000)
    now += 2_000
    await next.work(now)
    expect(stored(storage)).toMatchObject({ [`${rows}b`]: { at: now + 4_000, attempt: 2 } })
  }))

test('the failure of the only key is that of the alarm, which pauses; the row is as earlier releases store it', () =>
  newStore().runBare(async ({ storage }) => {
    const queue = open(storage, () => Promise.reject(new Error('a failure of a test')))
    queue.add('')
    await expect(queue.work(now)).rejects.toThrow('a failure of a test')
    expect(stored(storage)).toEqual({ [rows]: true })
    expect(queue.nextAlarm()).toBe(0)
  }))

test('a key that is added while its page is reconciled is reconciled again, with facts of its own', () =>
  newStore().runBare(async ({ storage }) => {
    const drains: [string, Drain][] = []
    const queue = open(storage, async (key, drain) => {
      drains.push([key, drain])
      // The facts that the first key has read do not know of this change of the second one.
      if (drains.length === 1) queue.add('b')
      return 'done'
    })
    queue.add('a')
    queue.add('b')
    await queue.work(now)
    expect(drains.map(([key]) => key)).toEqual(['a', 'b', 'b'])
    expect(drains[1]?.[1]).toBe(drains[0]?.[1])
    expect(drains[2]?.[1]).not.toBe(drains[0]?.[1])
    expect(stored(storage)).toEqual({})
    expect(queue.nextAlarm()).toBeUndefined()
  }))

test('one run reconciles a bounded number of keys, and one step of a key that has more to do', () =>
  newStore().runBare(async ({ storage }) => {
    const counts = new Map<string, number>()
    const queue = open(storage, async (key) => {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      return key === '0000' && counts.get(key) === 1 ? 'more' : 'done'
    })
    for (let i = 0; i < 1_200; i++) queue.add(`${i}`.padStart(4, '0'))
    await queue.work(now)
    expect(counts.size).toBe(500)
    expect(counts.get('0000')).toBe(1)
    expect(queue.nextAlarm()).toBe(0)
    while (queue.nextAlarm() !== undefined) await queue.work(++now)
    expect(counts.size).toBe(1_200)
    expect(counts.get('0000')).toBe(2)
  }))

test('a key is not due before its time, and its addition makes it due at once', () =>
  newStore().runBare(async ({ storage }) => {
    const queue = open(storage, done)
    queue.add('a', 500)
    expect(queue.nextAlarm()).toBe(now + 500)
    await queue.work(now)
    expect(queue.has('a')).toBe(true)
    queue.add('a')
    await queue.work(now)
    expect(queue.has('a')).toBe(false)
  }))

test('several workers reconcile keys side by side, and no more', () =>
  newStore().runBare(async ({ storage }) => {
    let [running, most] = [0, 0]
    const reconcile = async (): Promise<Outcome> => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve))
      running--
      return 'done'
    }
    const queue = open(storage, reconcile, 3)
    for (let i = 0; i < 10; i++) queue.add(`${i}`)
    await queue.work(now)
    expect(most).toBe(3)
  }))
