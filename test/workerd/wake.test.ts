/** The cost of a control object that wakes up: the rows that it reads before and for the first request. */

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { expect, test, vi } from 'vitest'
import { type Operation, operationInit } from '../../src/clusters/operation.ts'
import { collectionUrl } from '../../src/clusters/protocol.ts'
import { kernelOf } from './kernel-of.ts'
import { newControl } from './new-control.ts'

const target = { group: '', version: 'v1', resource: 'namespaces', subresource: '', namespace: '', name: '' }

async function createNamespace(stub: DurableObjectStub, name: string): Promise<void> {
  const operation: Operation = { verb: 'create', target, write: { manager: 'test', dryRun: false } }
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {}, status: {} }
  const answer = await stub.fetch(collectionUrl, operationInit(operation, JSON.stringify(object)))
  expect(answer.status, await answer.text()).toBe(201)
}

type Policy = Readonly<Record<string, { readonly version: string; readonly value: unknown }>>

const policyOf = async (stub: DurableObjectStub, known: Readonly<Record<string, string>> = {}): Promise<Policy> =>
  (await (await stub.fetch(`${collectionUrl}/policy?${new URLSearchParams(known)}`)).json()) as Policy

const versionsOf = (policy: Policy): Record<string, string> =>
  Object.fromEntries(Object.entries(policy).map(([part, { version }]) => [part, version]))

/** Evicts the object, and counts the rows and stored values that it reads until `work` is done. */
async function countReads(stub: DurableObjectStub, work: () => Promise<unknown>): Promise<number> {
  const cursors: { readonly rowsRead: number }[] = []
  let values = 0
  const restore = await runInDurableObject(stub, (_, { storage }) => {
    const sql = Object.getPrototypeOf(storage.sql) as { exec: (...given: unknown[]) => { readonly rowsRead: number } }
    const kv = Object.getPrototypeOf(storage.kv) as Record<'get' | 'list', (...given: unknown[]) => unknown>
    const { exec } = sql
    const { get, list } = kv
    sql.exec = function (...given) {
      const cursor = exec.apply(this, given)
      cursors.push(cursor)
      return cursor
    }
    kv.get = function (...given) {
      values++
      return get.apply(this, given)
    }
    kv.list = function (...given) {
      const found = [...(list.apply(this, given) as Iterable<unknown>)]
      values += Math.max(1, found.length)
      return found
    }
    return () => {
      sql.exec = exec
      Object.assign(kv, { get, list })
    }
  })
  try {
    await evictDurableObject(stub)
    await work()
  } finally {
    restore()
  }
  return cursors.reduce((sum, { rowsRead }) => sum + rowsRead, values)
}

/** Wakes the object up until all that its last wakes have found out is stored. */
const wakeUntilStored = (stub: DurableObjectStub): Promise<void> =>
  vi.waitFor(async () => {
    await evictDurableObject(stub)
    const parts = Object.keys(await policyOf(stub))
    const keys = ['bootstrapped', ...parts.map((part) => `policy-part/${part}/version`)]
    const stored = await runInDurableObject(stub, (_, { storage }) => keys.map((key) => storage.kv.get(key)))
    expect(stored).not.toContain(undefined)
  }, 15_000)

/** The rows that one wake may read. */
const most = 50

test('a control object wakes up with few reads, however many objects it holds', async () => {
  const stub = await newControl()
  for (let i = 0; i < 60; i++) await createNamespace(stub, `n-${i}`)
  await wakeUntilStored(stub)
  const versions = versionsOf(await policyOf(stub))
  const reads = await countReads(stub, async () => {
    expect(await (await stub.fetch(`${collectionUrl}/health`)).text()).toBe('ok')
    expect(await policyOf(stub, versions)).toEqual({})
  })
  expect(reads).toBeLessThanOrEqual(most)
  expect(await countReads(stub, () => policyOf(stub))).toBeLessThanOrEqual(most + Object.keys(versions).length)
})

test('a change of a namespace reaches the policy snapshot, also of an object that has just woken up', async () => {
  const stub = await newControl()
  for (const name of ['first', 'second', 'third']) {
    const before = await policyOf(stub)
    expect(before.namespaces?.value).not.toHaveProperty(name)
    await wakeUntilStored(stub)
    await evictDurableObject(stub)
    const versions = versionsOf(await policyOf(stub))
    await createNamespace(stub, name)
    const changed = await policyOf(stub, versions)
    expect(Object.keys(changed)).toEqual(['namespaces'])
    expect(changed.namespaces?.value).toHaveProperty(name)
    await evictDurableObject(stub)
    expect((await policyOf(stub, versionsOf(changed))).namespaces?.value ?? changed.namespaces?.value).toHaveProperty(name)
  }
})

test('a bootstrap object that was deleted is created again at the next wake', async () => {
  const stub = await newControl()
  const role = {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    resource: 'clusterroles',
    subresource: '',
    namespace: '',
    name: 'view',
  }
  const perform = async (operation: Operation): Promise<number> => {
    const answer = await stub.fetch(collectionUrl, operationInit(operation))
    await answer.text()
    return answer.status
  }
  for (let i = 0; i < 3; i++) {
    expect(await perform({ verb: 'get', target: role, resourceVersion: '' })).toBe(200)
    await evictDurableObject(stub)
  }
  expect(await perform({ verb: 'delete', target: role, delete: {}, dryRun: false })).toBe(200)
  expect(await perform({ verb: 'get', target: role, resourceVersion: '' })).toBe(404)
  await evictDurableObject(stub)
  expect(await perform({ verb: 'get', target: role, resourceVersion: '' })).toBe(200)
})

test('a namespace that is being deleted is remembered by an object that wakes up', async () => {
  const stub = await newControl()
  await createNamespace(stub, 'dying')
  await wakeUntilStored(stub)
  const operation: Operation = { verb: 'delete', target: { ...target, name: 'dying' }, delete: {}, dryRun: false }
  await (await stub.fetch(collectionUrl, operationInit(operation))).text()
  await evictDurableObject(stub)
  const due = await runInDurableObject(stub, (instance) => {
    const { alarms } = kernelOf(instance)
    return alarms.parts.find(({ name }) => name === 'namespaces')?.nextAlarm(Date.now())
  })
  expect(due).toBeDefined()
})
