/** The parts of an object's alarm: one that fails backs off, is counted, and delays no other. */

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Operation, operationInit } from '../../src/clusters/operation.ts'
import { collectionUrl } from '../../src/clusters/protocol.ts'
import { type AlarmPart, Alarms, pauseAfter } from '../../src/controllers/alarms.ts'
import { kernelOf } from './kernel-of.ts'
import { newControl, placementInTests } from './new-control.ts'
import { newStore } from './stores.ts'

let logged = 0
beforeEach(() => {
  logged = 0
  vi.spyOn(console, 'error').mockImplementation(() => void logged++)
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** The controllers of collections, all of which run in the one object of a cluster. */
const ofCollections = [
  'account-deleted',
  'accounts-deleted',
  'cluster',
  'cluster-authentication',
  'deleted-claim',
  'deleted-volume',
  'kubernetes-endpoints',
  'kubernetes-endpointslices',
  'kubernetes-services',
  'released-claim',
  'root-certificate',
  'service-addresses',
  'service-endpoints',
  'token-secret',
]

/** The parts of each class of objects. */
const parts = {
  CONTROL: [
    'garbage-collector',
    'fork-copied',
    'fork-progress',
    'namespace-created',
    'watch-sockets',
    'quota-usage',
    'cluster-use',
    'compaction',
    'restore',
    'namespaces',
    'changed-definitions',
    'deleted-definitions',
    'quotas',
    'api-service-availability',
    'cluster-expiry',
    'cluster-role-aggregation',
    'flow-schema-status',
    'api-service-registration',
    ...(placementInTests === 'one-object' ? ofCollections : []),
  ],
  COLLECTION: [
    'garbage-collector',
    'fork-copied',
    'released-claim',
    'watch-sockets',
    'quota-usage',
    'cluster-use',
    'compaction',
    'restore',
  ],
} as const

const newObject = async (className: keyof typeof parts): Promise<DurableObjectStub> =>
  className === 'CONTROL' ? newControl() : env.COLLECTION.getByName(`${crypto.randomUUID()}//pods`)

/** Runs within an object, with the parts of its alarm. */
function inObject<T>(
  stub: DurableObjectStub,
  body: (parts: ReadonlyMap<string, AlarmPart>, alarms: Alarms, state: DurableObjectState) => Promise<T>,
): Promise<T> {
  return runInDurableObject(stub, (instance, state) => {
    const { alarms } = kernelOf(instance)
    return body(new Map(alarms.parts.map((part) => [part.name, part])), alarms, state)
  })
}

describe.each(Object.entries(parts))('the alarm of a %s object', (className, names) => {
  test.each(names)('goes on without %s if that part fails', async (name) => {
    const stub = await newObject(className as keyof typeof parts)
    const [worked, failures, waits] = await inObject(stub, async (all, alarms, { storage }) => {
      expect([...all.keys()].sort()).toEqual([...names].sort())
      // Waits for the runs of the start.
      for (const part of all.values()) await alarms.attempt(part)
      const ran: string[] = []
      for (const part of all.values()) {
        vi.spyOn(part, 'nextAlarm').mockReturnValue(0)
        vi.spyOn(part, 'work').mockImplementation(() => {
          ran.push(part.name)
          if (part.name === name) throw new Error('a failure of a test')
        })
      }
      const before = Date.now()
      await alarms.run()
      // The others have no further work.
      for (const part of all.values()) if (part.name !== name) vi.spyOn(part, 'nextAlarm').mockReturnValue(undefined)
      await storage.deleteAlarm()
      await alarmsOf(storage, ...all.values()).arm()
      return [ran, alarms.failures(), ((await storage.getAlarm()) ?? 0) - before] as const
    })
    expect(worked.sort()).toEqual([...names].sort())
    expect(Object.entries(failures).filter(([, count]) => count > 0)).toEqual([[name, 1]])
    expect(waits).toBeGreaterThanOrEqual(2_000)
  })
})

test('the pause after a failure is 2 seconds, doubled with each failure up to 15 minutes [M8]', () => {
  expect([1, 2, 3, 9, 10, 1000].map(pauseAfter)).toEqual([2_000, 4_000, 8_000, 512_000, 900_000, 900_000])
})

/** Returns the alarm of these parts. */
function alarmsOf(storage: DurableObjectStorage, ...parts: AlarmPart[]): Alarms {
  const alarms = new Alarms(storage)
  alarms.add(parts)
  return alarms
}

/** A part that is due and fails. */
const failing = (): AlarmPart & { runs: number } => ({
  name: 'failing',
  runs: 0,
  nextAlarm: () => 0,
  work() {
    this.runs++
    throw new Error('a failure of a test')
  },
})

describe('the alarm', () => {
  test('logs a part that keeps failing once for each doubling of its failures', () =>
    newStore().runBare(async ({ storage }) => {
      const part = failing()
      const alarms = alarmsOf(storage, part)
      for (let i = 0; i < 9; i++) await alarms.attempt(part)
      expect(logged).toBe(4)
      expect(alarms.failures()).toEqual({ failing: 9 })
    }))

  test('remembers the failures of a part after an eviction, and forgets them when it succeeds [M8]', async () => {
    const handle = newStore()
    await handle.runBare(async ({ storage }) => {
      const part = failing()
      const alarms = alarmsOf(storage, part)
      for (let i = 0; i < 4; i++) await alarms.attempt(part)
    })
    await handle.evict()
    await handle.runBare(async ({ storage }) => {
      const part = failing()
      const alarms = alarmsOf(storage, part)
      await alarms.run()
      expect(part.runs).toBe(0)
      expect(((await storage.getAlarm()) ?? 0) - Date.now()).toBeGreaterThan(8_000)
      part.work = () => undefined
      await alarms.attempt(part)
      expect(alarmsOf(storage, part).failures()).toEqual({ failing: 0 })
    })
  })

  test('does not wait for a part that takes long, and does not start it twice', () =>
    newStore().runBare(async ({ storage }) => {
      vi.useFakeTimers()
      try {
        const done = Promise.withResolvers<void>()
        let [started, quick] = [0, 0]
        const slow: AlarmPart = {
          name: 'slow',
          nextAlarm: () => (started === 0 ? 0 : undefined),
          work: () => {
            started++
            return done.promise
          },
        }
        const other: AlarmPart = { name: 'quick', nextAlarm: () => 0, work: () => void quick++ }
        const alarms = alarmsOf(storage, slow, other)
        const run = alarms.run()
        await vi.advanceTimersByTimeAsync(10_000)
        await run
        await alarms.run()
        expect([started, quick]).toEqual([1, 2])
        done.resolve()
      } finally {
        vi.useRealTimers()
      }
    }))
})

describe('while an alarm is delivered', () => {
  test('work that becomes due does not wait for a slow part', () =>
    newStore().runBare(async ({ storage }) => {
      const [slow, changed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let due: number | undefined
      const alarms = alarmsOf(
        storage,
        { name: 'slow', nextAlarm: () => 0, work: () => slow.promise },
        { name: 'changed', nextAlarm: () => due, work: () => changed.resolve() },
      )
      const run = alarms.run()
      due = 0
      await alarms.arm()
      await changed.promise
      due = undefined
      slow.resolve()
      await run
    }))
})

test('the metrics of an object contain the consecutive failures of each part', async () => {
  const stub = await newObject('COLLECTION')
  await inObject(stub, async (all, alarms) => {
    const part = all.get('released-claim')
    if (part === undefined) throw new Error('no queue')
    vi.spyOn(part, 'nextAlarm').mockReturnValue(0)
    vi.spyOn(part, 'work').mockRejectedValue(new Error('a failure of a test'))
    for (let i = 0; i < 3; i++) await alarms.attempt(part)
  })
  const metrics = await (await stub.fetch(`${collectionUrl}/metrics`)).json()
  expect(metrics).toMatchObject({ alarms: { 'released-claim': 3, compaction: 0 } })
})

const clusterRoles = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'clusterroles',
  subresource: '',
  namespace: '',
}

async function createRole(stub: DurableObjectStub, name: string, role: object): Promise<void> {
  const object = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules: [], ...role }
  const operation: Operation = {
    verb: 'create',
    target: { ...clusterRoles, name: '' },
    write: { manager: 'test', dryRun: false },
  }
  const answer = await stub.fetch(collectionUrl, operationInit(operation, JSON.stringify(object)))
  expect(answer.status, await answer.text()).toBe(201)
}

async function rulesOf(stub: DurableObjectStub, name: string): Promise<unknown> {
  const operation: Operation = { verb: 'get', target: { ...clusterRoles, name }, resourceVersion: '' }
  return ((await (await stub.fetch(collectionUrl, operationInit(operation))).json()) as { rules: unknown }).rules
}

const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]
const aggregated = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'yes' } }] } }

test('a workqueue that failed is repeated by the alarm, also after an eviction', async () => {
  const stub = await newObject('CONTROL')
  await createRole(stub, 'whole', aggregated)
  await inObject(stub, async (all) => {
    const queue = all.get('cluster-role-aggregation')
    if (queue === undefined) throw new Error('no workqueue')
    vi.spyOn(queue, 'work').mockRejectedValue(new Error('a failure of a test'))
  })
  await createRole(stub, 'part', { metadata: { name: 'part', labels: { part: 'yes' } }, rules })
  expect(await rulesOf(stub, 'whole')).toBeNull()
  expect(await runInDurableObject(stub, (_, { storage }) => storage.getAlarm())).not.toBeNull()
  await evictDurableObject(stub)
  await runDurableObjectAlarm(stub)
  expect(await rulesOf(stub, 'whole')).toEqual(rules)
})

test('a workqueue that fails when the object starts does not keep it from answering', async () => {
  const stub = await newObject('CONTROL')
  await createRole(stub, 'whole', aggregated)
  await runInDurableObject(stub, (instance) =>
    kernelOf(instance).store.write((transaction) => {
      const key = 'clusterroles.rbac.authorization.k8s.io/broken'
      transaction.put({ key, resourceVersion: transaction.nextResourceVersion(), labels: '', value: '{"metadata":' })
    }),
  )
  await evictDurableObject(stub)
  expect(await rulesOf(stub, 'whole')).toBeNull()
  const failures = await inObject(stub, async (_, alarms) => alarms.failures())
  expect(failures['cluster-role-aggregation']).toBeGreaterThan(0)
})
