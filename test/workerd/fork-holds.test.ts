/** The history that forks need: what the control object of their parent answers its collections, and when it tells them. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { controlProtocol } from '../../src/clusters/control-protocol.ts'
import type { NewFork } from '../../src/clusters/fork-messages.ts'
import { send } from '../../src/clusters/message.ts'
import { type Operation, operationInit } from '../../src/clusters/operation.ts'
import { collectionUrl, withHeaders } from '../../src/clusters/protocol.ts'
import type { RegisteredCollection } from '../../src/clusters/registration-messages.ts'
import { ofDeployment } from '../../src/clusters/senders.ts'
import type { Kernel } from '../../src/controllers/kernel.ts'
import { ForkHolds } from '../../src/durable-objects/fork-holds.ts'
import type { CollectionHistory } from '../../src/durable-objects/object-history.ts'
import type { SqliteStore } from '../../src/storage/sqlite-store.ts'
import { kernelOf } from './kernel-of.ts'
import { newControl } from './new-control.ts'

const target = { group: '', version: 'v1', resource: 'configmaps', subresource: '', namespace: 'default', name: '' }
const create: Operation = { verb: 'create', target, write: { manager: 'test', dryRun: false } }

/** Returns the history of a collection's instance. */
const historyIn = (instance: unknown): CollectionHistory =>
  (instance as { readonly opened: { readonly history: CollectionHistory } }).opened.history

/** Makes a cluster whose ConfigMaps are in an object of their own. */
async function cluster() {
  const name = crypto.randomUUID()
  const control = await newControl(name, 'collections')
  const collection = env.COLLECTION.getByName(`${name}//configmaps`)
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } }
  const made = await collection.fetch(collectionUrl, operationInit(create, JSON.stringify(object)))
  expect(made.status, await made.text()).toBe(201)
  return {
    /** Asks for the time from which on the history of the collection is kept, as its compaction does. */
    keptFrom: () => runInDurableObject(collection, (instance) => historyIn(instance).keptFrom()),
    ask: () => send(control, controlProtocol.keptHistory, { prefix: 'configmaps', relies: true }),
    fork: (wanted: NewFork) => send(withHeaders(control, ofDeployment), controlProtocol.holdHistory, wanted),
    end: (uid: string) => send(withHeaders(control, ofDeployment), controlProtocol.forkProgress, { uid, remaining: [] }),
  }
}

test('a collection that knows of no fork is told of the next one, and asks again [F9]', async () => {
  const { keptFrom, ask, fork, end } = await cluster()
  await vi.waitFor(async () => {
    await keptFrom()
    expect(await keptFrom()).toBe(Number.POSITIVE_INFINITY)
  }, 20_000)
  const { time } = await fork({ uid: 'u', cluster: 'child' })
  expect(await ask()).toMatchObject({ isHeld: true })
  const from = await keptFrom()
  expect(from).toBeLessThanOrEqual(time)
  expect(await keptFrom()).not.toBe(Number.POSITIVE_INFINITY)
  await end('u')
  await keptFrom()
  expect(await keptFrom()).toBe(Number.POSITIVE_INFINITY)
})

test('a fork that is asked for again has the same moment [F11]', async () => {
  const { fork } = await cluster()
  const first = await fork({ uid: 'u', cluster: 'child' })
  expect(await fork({ uid: 'u', cluster: 'child' })).toEqual(first)
})

/** Runs a function with the holds of a cluster, of which one collection relies on an answer and is told by `tell`. */
async function withHolds(
  tell: () => Promise<void>,
  use: (holds: ForkHolds, clock: { now: number }, collections: RegisteredCollection[]) => Promise<void>,
): Promise<void> {
  await runInDurableObject(await newControl(undefined, 'collections'), async (instance, ctx) => {
    const clock = { now: 1_000_000 }
    const collections = [{ group: '', version: 'v1', resource: 'configmaps' }]
    const store = {
      get time() {
        return clock.now
      },
      getAt: () => ({}),
    } as unknown as SqliteStore
    const stub = {
      fetch: async () => {
        await tell()
        return new Response(null, { status: 204 })
      },
    }
    const kernel = { ...kernelOf(instance), ctx, store, client: { collection: () => stub } } as unknown as Kernel
    const holds = new ForkHolds(kernel, {
      record: { terms: undefined },
      history: { historySeconds: 300, historyEvents: 1000 },
      past: { versionAt: async () => 1 },
      collections: { usedAt: () => collections },
      uses: { answer: { limits: {}, others: { objects: 0, bytes: 0 } } },
    })
    holds.answer('configmaps')
    await use(holds, clock, collections)
  })
}

test('a fork is refused if its moment was compacted before all collections knew of it, also if it is asked for again [F10]', async () => {
  let isReachable = false
  const tell = async (): Promise<void> => {
    if (!isReachable) throw new Error('not now')
  }
  await withHolds(tell, async (holds, clock) => {
    const wanted = { uid: 'u', cluster: 'child', time: clock.now - 299_000 }
    await expect(holds.hold(wanted)).rejects.toThrow('not now')
    clock.now += 10_000
    isReachable = true
    await expect(holds.hold(wanted)).rejects.toThrow('the history of the cluster does not reach the time of the fork')
    expect(holds.first).toBeUndefined()
  })
})

test('a fork that all collections know of stays as it was first asked for, however old it becomes [F11]', async () => {
  await withHolds(
    async () => undefined,
    async (holds, clock, collections) => {
      const wanted = { uid: 'u', cluster: 'child', time: clock.now - 299_000 }
      const first = await holds.hold(wanted)
      clock.now += 600_000
      collections.push({ group: '', version: 'v1', resource: 'secrets' })
      expect(await holds.hold(wanted)).toEqual(first)
    },
  )
})

test('a hold whose fork is not made within an hour is dropped, and one that is being copied is not [F12]', async () => {
  await withHolds(
    async () => undefined,
    async (holds, clock) => {
      await holds.hold({ uid: 'never-made', cluster: 'one' })
      await holds.hold({ uid: 'made', cluster: 'two' })
      holds.progress({ uid: 'made', remaining: ['configmaps'] }, 'two')
      clock.now += 3_600_000
      expect(holds.keptFrom('configmaps')).toBe(1_000_000)
      expect(['made', 'never-made']).toContain(holds.first?.uid)
      clock.now += 1
      holds.progress({ uid: 'made', remaining: [] }, 'two')
      expect(holds.first).toBeUndefined()
      expect(holds.keptFrom('configmaps')).toBe(clock.now - 300_000)
    },
  )
})

test('a cluster that is being deleted begins no fork [C9]', async () => {
  await withHolds(
    async () => undefined,
    async (holds) => {
      holds.close()
      await expect(holds.hold({ uid: 'u', cluster: 'child' })).rejects.toThrow('the cluster is being deleted')
      expect(holds.first).toBeUndefined()
    },
  )
})
