/** A collection that is only read stores nothing, and answers like any other empty collection. */

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { firstResourceVersion } from '../../src/clusters/first-resource-version.ts'
import { allObjects, type ListOptions, type Operation, operationInit, type Target } from '../../src/clusters/operation.ts'
import { collectionUrl } from '../../src/clusters/protocol.ts'
import { kernelOf } from './kernel-of.ts'
import { newControl } from './new-control.ts'

const target: Target = { group: '', version: 'v1', resource: 'pods', subresource: '', namespace: 'default', name: '' }

const newName = (): string => `${crypto.randomUUID()}//pods`
const send = (stub: DurableObjectStub, operation: Operation, body?: object): Promise<Response> =>
  stub.fetch(collectionUrl, operationInit(operation, body && JSON.stringify(body)))
const listOf = async (stub: DurableObjectStub, list: Partial<ListOptions> = {}) => {
  const answer = await send(stub, { verb: 'list', target, list: { ...allObjects, ...list } })
  return { status: answer.status, ...((await answer.json()) as { metadata?: { resourceVersion: string }; items?: unknown[] }) }
}
const tablesOf = (stub: DurableObjectStub): Promise<unknown[]> =>
  runInDurableObject(stub, (_, { storage }) => storage.sql.exec('SELECT name FROM sqlite_schema').toArray())

describe('a collection that was never written to', () => {
  test('answers lists, gets, deletions, counts and watches without creating a table', async () => {
    const name = newName()
    const stub = env.COLLECTION.getByName(name)
    const resourceVersion = String(firstResourceVersion(name))
    for (const list of [{}, { limit: 5 }, { labelSelector: 'a=b' }, { resourceVersion: '0' }]) {
      expect(await listOf(stub, list)).toMatchObject({ status: 200, metadata: { resourceVersion }, items: [] })
    }
    expect(await listOf(stub, { resourceVersion, resourceVersionMatch: 'Exact' })).toMatchObject({ status: 200, items: [] })
    expect((await send(stub, { verb: 'get', target: { ...target, name: 'web' }, resourceVersion: '' })).status).toBe(404)
    const deletion = { verb: 'delete', target: { ...target, name: 'web' }, delete: {}, dryRun: false } as const
    expect((await send(stub, deletion)).status).toBe(404)
    expect((await send(stub, { verb: 'deletecollection', target, list: allObjects, delete: {}, dryRun: false })).status).toBe(200)
    const watch = { labelSelector: '', fieldSelector: '', resourceVersion: '', allowWatchBookmarks: true, timeoutSeconds: 60 }
    const watched = await send(stub, { verb: 'watch', target, watch: { ...watch, sendInitialEvents: true } })
    const reader = watched.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    expect(new TextDecoder().decode(value)).toContain(`"resourceVersion":"${resourceVersion}"`)
    await reader?.cancel()
    expect(await (await stub.fetch(`${collectionUrl}/metrics`)).json()).toMatchObject({ objects: { pods: 0 } })
    expect(await tablesOf(stub)).toEqual([])
  })

  test('has the same resourceVersions from its first write on, and keeps its objects [V4]', async () => {
    const name = newName()
    const stub = env.COLLECTION.getByName(name)
    await listOf(stub)
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'default' }, spec: { containers: [] } }
    await runInDurableObject(stub, async (instance) => {
      const { store } = kernelOf(instance)
      await store.write((transaction) => {
        const resourceVersion = transaction.nextResourceVersion()
        transaction.put({ key: 'pods/default/web', resourceVersion, labels: '', value: JSON.stringify(pod) })
      })
    })
    const expected = {
      metadata: { resourceVersion: String(firstResourceVersion(name) + 1) },
      items: [{ metadata: { name: 'web' } }],
    }
    expect(await listOf(stub)).toMatchObject(expected)
    await evictDurableObject(stub)
    expect(await listOf(stub)).toMatchObject(expected)
  })
})

/** Creates a cluster-scoped definition and returns the tag by which Workers name it. */
async function define(cluster: string): Promise<string> {
  const control = await newControl(cluster)
  const group = 'apiextensions.k8s.io'
  const of: Target = { group, version: 'v1', resource: 'customresourcedefinitions', subresource: '', namespace: '', name: '' }
  const schema = { openAPIV3Schema: { type: 'object' } }
  const object = {
    apiVersion: `${group}/v1`,
    kind: 'CustomResourceDefinition',
    metadata: { name: 'bolts.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'bolts', singular: 'bolt', kind: 'Bolt', listKind: 'BoltList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
    status: { conditions: [], acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
  }
  const created = await send(control, { verb: 'create', target: of, write: { manager: 'test', dryRun: false } }, object)
  expect(created.status, await created.text()).toBe(201)
  const policy = (await (await control.fetch(`${collectionUrl}/policy`)).json()) as {
    readonly definitions: { readonly value: Readonly<Record<string, { readonly tag: string }>> }
  }
  return policy.definitions.value['bolts.example.com']?.tag ?? ''
}

// In the other placement no object is made for a collection.
test.skipIf(env.PLACEMENT === 'one-object')(
  'a collection of custom resources that was never written to does not store its definition',
  async () => {
    const cluster = crypto.randomUUID()
    const definition = await define(cluster)
    const stub = env.COLLECTION.getByName(`${cluster}/example.com/bolts`)
    const bolts: Target = { group: 'example.com', version: 'v1', resource: 'bolts', subresource: '', namespace: '', name: '' }
    const names = async (): Promise<unknown> => {
      const answer = await send(stub, { verb: 'list', target: bolts, list: allObjects, definition })
      const { items } = (await answer.json()) as { items: readonly { metadata: { name: string } }[] }
      return items.map(({ metadata }) => metadata.name)
    }
    for (let i = 0; i < 2; i++) {
      expect(await names()).toEqual([])
      expect(await tablesOf(stub)).toEqual([])
      await evictDurableObject(stub)
    }
    const bolt = { apiVersion: 'example.com/v1', kind: 'Bolt', metadata: { name: 'a' } }
    const write = { manager: 'test', dryRun: false }
    const created = await send(stub, { verb: 'create', target: bolts, write, definition }, bolt)
    expect(created.status, await created.text()).toBe(201)
    await evictDurableObject(stub)
    expect(await names()).toEqual(['a'])
    expect(await runInDurableObject(stub, (_, { storage }) => storage.kv.get('definition'))).toMatchObject({ tag: definition })
  },
)

describe('a Durable Object that is opened by its ID', () => {
  test('is the same collection as by its name, with the same resourceVersions', async () => {
    const name = newName()
    const id = env.COLLECTION.idFromName(name)
    const [byName, byId] = [env.COLLECTION.get(id), env.COLLECTION.get(env.COLLECTION.idFromString(id.toString()))]
    await runInDurableObject(byName, async (instance) => {
      const { store } = kernelOf(instance)
      await store.write((transaction) => {
        const value = JSON.stringify({ metadata: { name: 'web' } })
        transaction.put({ key: 'pods/default/web', resourceVersion: transaction.nextResourceVersion(), labels: '', value })
      })
    })
    const before = await listOf(byName)
    await evictDurableObject(byName)
    expect(await listOf(byId)).toEqual(before)
    expect(await (await byId.fetch(`${collectionUrl}/metrics`)).json()).toMatchObject({ objects: { pods: 1 } })
    expect(await listOf(byName)).toEqual(before)
  })

  test('is refused if nothing was ever written to it', async () => {
    const id = env.COLLECTION.idFromName(newName())
    const byId = env.COLLECTION.get(env.COLLECTION.idFromString(id.toString()))
    await expect(byId.fetch(collectionUrl)).rejects.toThrow('can only be opened by its name')
  })
})
