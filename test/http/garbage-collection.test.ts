/** Garbage collection of dependents and of namespaces over HTTPS. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { eventually } from '../eventually.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
let counter = 0

beforeAll(async () => {
  server = await startServer()
}, 30_000)
afterAll(() => server.stop())

interface Item {
  readonly kind: string
  readonly metadata: {
    readonly uid: string
    readonly finalizers?: readonly string[]
    readonly deletionTimestamp?: string
    readonly ownerReferences?: readonly { readonly uid: string }[]
  }
  readonly status?: {
    readonly phase?: string
    readonly conditions?: readonly { readonly type: string; readonly message: string }[]
  }
}
interface Reference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly blockOwnerDeletion?: boolean
}

const merge = { 'content-type': 'application/merge-patch+json' }

async function newNamespace(): Promise<string> {
  const name = `gc-${++counter}`
  expect((await server.send('/api/v1/namespaces', { method: 'POST', body: { metadata: { name } } })).status).toBe(201)
  return `/api/v1/namespaces/${name}`
}

async function create(path: string, name: string, metadata: Record<string, unknown> = {}): Promise<Item> {
  const reply = await server.send(path, { method: 'POST', body: { metadata: { name, ...metadata } } })
  expect([reply.status, reply.text]).toEqual([201, expect.anything()])
  return reply.json<Item>()
}

const owned = (name: string, { kind, metadata: { uid } }: Item, more: Partial<Reference> = {}): Reference => ({
  apiVersion: 'v1',
  kind,
  name,
  uid,
  ...more,
})
const remove = (path: string, policy: string): Promise<Reply> =>
  server.send(`${path}?propagationPolicy=${policy}`, { method: 'DELETE' })
const patch = (path: string, body: unknown): Promise<Reply> => server.send(path, { method: 'PATCH', headers: merge, body })

/** Asks for an object until the condition holds. */
async function becomes(path: string, holds: (item: Item | undefined) => boolean): Promise<void> {
  await eventually(async () => {
    const reply = await server.send(path)
    return reply.status === 404 ? undefined : reply.json<Item>()
  }, holds)
}
const gone = (path: string): Promise<void> => becomes(path, (item) => item === undefined)
const deleting = (path: string): Promise<void> => becomes(path, (item) => item?.metadata.deletionTimestamp !== undefined)
const withFinalizer = { finalizers: ['example.com/hold'] }

describe('the deletion of an owner', () => {
  test('with propagationPolicy Background deletes it at once, and then its dependents in other collections', async () => {
    const at = await newNamespace()
    const owner = await create(`${at}/configmaps`, 'o')
    for (const kind of ['configmaps', 'secrets']) await create(`${at}/${kind}`, 'd', { ownerReferences: [owned('o', owner)] })
    expect((await remove(`${at}/configmaps/o`, 'Background')).json()).toMatchObject({ kind: 'Status', status: 'Success' })
    await Promise.all(['configmaps', 'secrets'].map((kind) => gone(`${at}/${kind}/d`)))
  })

  test('with propagationPolicy Orphan waits until no dependent refers to it', async () => {
    const at = await newNamespace()
    const owner = await create(`${at}/configmaps`, 'o')
    await create(`${at}/secrets`, 'd', { ownerReferences: [owned('o', owner)] })
    const marked = (await remove(`${at}/configmaps/o`, 'Orphan')).json<Item>()
    expect(marked.metadata).toMatchObject({ finalizers: ['orphan'], deletionGracePeriodSeconds: 0 })
    await gone(`${at}/configmaps/o`)
    expect((await server.send(`${at}/secrets/d`)).json<Item>().metadata.ownerReferences).toBeUndefined()
  })

  test('with propagationPolicy Foreground waits for dependents with blockOwnerDeletion only', async () => {
    const at = await newNamespace()
    const owner = await create(`${at}/configmaps`, 'o')
    await create(`${at}/secrets`, 'blocks', {
      ...withFinalizer,
      ownerReferences: [owned('o', owner, { blockOwnerDeletion: true })],
    })
    await create(`${at}/secrets`, 'free', { ...withFinalizer, ownerReferences: [owned('o', owner)] })
    await remove(`${at}/configmaps/o`, 'Foreground')
    await Promise.all(['blocks', 'free'].map((name) => deleting(`${at}/secrets/${name}`)))
    expect((await server.send(`${at}/configmaps/o`)).json<Item>().metadata.finalizers).toEqual(['foregroundDeletion'])
    await patch(`${at}/secrets/blocks`, { metadata: { finalizers: null } })
    await gone(`${at}/configmaps/o`)
    expect((await server.send(`${at}/secrets/free`)).status).toBe(200)
    await patch(`${at}/secrets/free`, { metadata: { finalizers: null } })
  })

  test('in a cycle of owner references completes', async () => {
    const at = await newNamespace()
    const a = await create(`${at}/configmaps`, 'a')
    const b = await create(`${at}/secrets`, 'b', { ownerReferences: [owned('a', a, { blockOwnerDeletion: true })] })
    const back = owned('b', b, { blockOwnerDeletion: true })
    expect((await patch(`${at}/configmaps/a`, { metadata: { ownerReferences: [back] } })).status).toBe(200)
    await remove(`${at}/configmaps/a`, 'Foreground')
    await Promise.all([gone(`${at}/configmaps/a`), gone(`${at}/secrets/b`)])
  })
})

describe('a dependent', () => {
  test('stays while one of its owners exists; references to deleted owners are removed', async () => {
    const at = await newNamespace()
    const [one, two] = [await create(`${at}/configmaps`, 'one'), await create(`${at}/secrets`, 'two')]
    await create(`${at}/configmaps`, 'd', { ownerReferences: [owned('one', one), owned('two', two)] })
    await remove(`${at}/configmaps/one`, 'Background')
    await becomes(`${at}/configmaps/d`, (item) => item?.metadata.ownerReferences?.length === 1)
    await remove(`${at}/secrets/two`, 'Background')
    await gone(`${at}/configmaps/d`)
  })

  test('of an owner that never existed, or has another uid, is deleted', async () => {
    const at = await newNamespace()
    const owner = await create(`${at}/configmaps`, 'o')
    const uid = '11111111-2222-4333-8444-555555555555'
    await create(`${at}/secrets`, 'd', { ownerReferences: [owned('o', owner, { uid })] })
    await create(`${at}/secrets`, 'e', { ownerReferences: [owned('never', owner, { uid })] })
    await Promise.all([gone(`${at}/secrets/d`), gone(`${at}/secrets/e`)])
    expect((await server.send(`${at}/configmaps/o`)).status).toBe(200)
  })

  test('of an owner in another namespace is deleted, and an Event says why', async () => {
    const [at, elsewhere] = [await newNamespace(), await newNamespace()]
    const owner = await create(`${at}/configmaps`, 'o')
    await create(`${elsewhere}/configmaps`, 'd', { ownerReferences: [owned('o', owner)] })
    await gone(`${elsewhere}/configmaps/d`)
    const { items } = (await server.send(`${elsewhere}/events`)).json<{ items: unknown[] }>()
    const namespace = elsewhere.split('/').at(-1)
    const message = `ownerRef [v1/ConfigMap, namespace: ${namespace}, name: o, uid: ${owner.metadata.uid}] does not exist in namespace "${namespace}"`
    expect(items).toEqual([expect.objectContaining({ reason: 'OwnerRefInvalidNamespace', type: 'Warning', message })])
  })
})

describe('a terminating namespace', () => {
  test('has conditions about its content, refuses new objects, and is deleted when it is empty', async () => {
    const at = await newNamespace()
    await create(`${at}/configmaps`, 'h', withFinalizer)
    expect((await remove(at, 'Background')).json<Item>().status?.phase).toBe('Terminating')
    const refused = await server.send(`${at}/configmaps`, { method: 'POST', body: { metadata: { name: 'late' } } })
    expect([refused.status, refused.json()]).toMatchObject([403, { details: { causes: [{ reason: 'NamespaceTerminating' }] } }])
    await becomes(at, (item) => item?.status?.conditions?.length === 5)
    const { status } = (await server.send(at)).json<Item>()
    expect(status?.conditions?.slice(3).map(({ message }) => message)).toEqual([
      'Some resources are remaining: configmaps. has 1 resource instances',
      'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    ])
    await patch(`${at}/configmaps/h`, { metadata: { finalizers: null } })
    await gone(at)
  }, 30_000)

  test('that was garbage-collected is deleted with its content', async () => {
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
    const name = `gc-role-${++counter}`
    const owner = await create(roles, name)
    const reference = { ...owned(name, owner), apiVersion: 'rbac.authorization.k8s.io/v1' }
    await create('/api/v1/namespaces', `${name}-space`, { ownerReferences: [reference] })
    await create(`/api/v1/namespaces/${name}-space/configmaps`, 'c')
    await remove(`${roles}/${name}`, 'Background')
    await gone(`/api/v1/namespaces/${name}-space`)
    expect((await server.send(`/api/v1/namespaces/${name}-space/configmaps/c`)).status).toBe(404)
  }, 30_000)
})
