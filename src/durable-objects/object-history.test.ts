import { expect, test, vi } from 'vitest'
import type { KeptHistory } from '../clusters/fork-messages.ts'
import type { Kernel } from '../controllers/kernel.ts'
import { CollectionHistory, RequestedHistory } from './object-history.ts'

const setting = { historySeconds: 300, historyEvents: 1000 }

/** Returns a history whose control object answers as the test says. */
function open(ask: () => Promise<KeptHistory | undefined>, stored = new Map<string, unknown>()) {
  const kv = {
    get: (key: string) => stored.get(key),
    put: (key: string, value: unknown) => void stored.set(key, value),
    delete: (key: string) => stored.delete(key),
  } as unknown as SyncKvStorage
  const control = { fetch: async () => Response.json(await ask()) }
  const requested = new RequestedHistory({ kv }, 'blue', setting)
  const kernel = { name: 'blue//pods', client: { control: () => control }, alarms: { arm: async () => undefined } }
  return { requested, history: new CollectionHistory(kernel as unknown as Kernel, requested) }
}

test('the control object is asked once, if no fork needs history', async () => {
  const ask = vi.fn(async () => ({ from: 1, isHeld: false }))
  const { history } = open(ask)
  expect(await history.keptFrom()).toBe(1)
  expect(await history.keptFrom()).toBe(Number.POSITIVE_INFINITY)
  expect(ask).toHaveBeenCalledTimes(1)
})

test.each([
  ['while a fork needs history', { from: 1, isHeld: true }],
  ['of an earlier release, which tells of no fork', { from: 1 }],
])('the control object is asked each time %s', async (_, answer) => {
  const ask = vi.fn(async () => answer)
  const { history } = open(ask)
  for (let i = 0; i < 3; i++) expect(await history.keptFrom()).toBe(1)
  expect(ask).toHaveBeenCalledTimes(3)
})

test('the control object is asked again after it has told of a fork, also if the message overtakes an answer', async () => {
  const answers = [
    { from: 1, isHeld: false },
    { from: 2, isHeld: true },
    { from: 3, isHeld: true },
  ]
  const { history } = open(async () => {
    const [answer] = answers.splice(0, 1)
    if (answer?.from === 1) void history.changed({})
    return answer
  })
  expect(await history.keptFrom()).toBe(1)
  expect(await history.keptFrom()).toBe(2)
  expect(await history.keptFrom()).toBe(3)
})

test('the wish of the cluster is known after a restart, and given up for the setting', async () => {
  const stored = new Map<string, unknown>()
  await open(async () => ({ from: 1, isHeld: false, historySeconds: 86_400 }), stored).history.keptFrom()
  const { history, requested } = open(() => Promise.reject(new Error('unused')), stored)
  expect(requested.historySeconds).toBe(86_400)
  void history.changed({})
  expect(requested.historySeconds).toBe(300)
  expect(open(() => Promise.reject(new Error('unused')), stored).requested.historySeconds).toBe(300)
})

test('compaction is due until the wish of the cluster is known, and keeps to it', async () => {
  const { history, requested } = open(async () => ({ from: 1, isHeld: false, historySeconds: 86_400 }))
  expect(requested.historySeconds).toBe(0)
  expect(await history.keptFrom()).toBe(1)
  expect(requested.historySeconds).toBe(86_400)
})
