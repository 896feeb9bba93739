/** A cluster whose control object holds all collections: no other object is asked, and it sends no request to itself. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CountedServer, startCountedServer } from './counted-server.ts'

const core = '/api/v1'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

let server: CountedServer

beforeAll(async () => {
  server = await startCountedServer({ PLACEMENT: 'one-object', ROOT_CERTIFICATE: 'a certificate' })
}, 60_000)
afterAll(() => server.stop())

async function make<T>(path: string, body: object): Promise<T> {
  const { status, text } = await server.send(path, { method: 'POST', body })
  expect(status, text).toBe(201)
  return JSON.parse(text) as T
}

const statusOf = async (path: string): Promise<number> => (await server.send(path)).status

const pod = (name: string): object => ({ metadata: { name }, spec: { containers: [{ name: 'a', image: 'a' }] } })

/** Waits until no answer of earlier requests may be used any more, and forgets their inner requests. */
async function untilOutdated(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1100))
  await server.innerRequests()
}

test('all requests go to one object: kinds, custom resources, owners, Services, tokens, and the end of a namespace', async () => {
  const shop = `${core}/namespaces/shop`
  await make(`${core}/namespaces`, { metadata: { name: 'shop' } })
  await make(`${shop}/pods`, pod('web'))
  await make(`${shop}/services`, { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } })
  const secret = { name: 'token', annotations: { 'kubernetes.io/service-account.name': 'default' } }
  await make(`${shop}/secrets`, { metadata: secret, type: 'kubernetes.io/service-account-token' })
  await expect
    .poll(async () => Object.keys(JSON.parse((await server.send(`${shop}/secrets/token`)).text).data ?? {}))
    .toContain('token')
  const names = { plural: 'bolts', singular: 'bolt', kind: 'Bolt', listKind: 'BoltList' }
  const schema = { openAPIV3Schema: { type: 'object' } }
  const versions = [{ name: 'v1', served: true, storage: true, schema }]
  await make(definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'bolts.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions },
  })
  const bolts = '/apis/example.com/v1/namespaces/shop/bolts'
  const owner = await make<{ metadata: { uid: string } }>(bolts, {
    apiVersion: 'example.com/v1',
    kind: 'Bolt',
    metadata: { name: 'a' },
  })
  const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Bolt', name: 'a', uid: owner.metadata.uid }]
  await make(`${shop}/configmaps`, { metadata: { name: 'owned', ownerReferences } })
  await server.send(`${bolts}/a`, { method: 'DELETE' })
  await expect.poll(() => statusOf(`${shop}/configmaps/owned`)).toBe(404)
  await make(bolts, { apiVersion: 'example.com/v1', kind: 'Bolt', metadata: { name: 'b' } })
  await server.send(`${definitions}/bolts.example.com`, { method: 'DELETE' })
  await expect.poll(() => statusOf(`${definitions}/bolts.example.com`), { timeout: 10_000 }).toBe(404)
  await server.send(`${shop}/pods/web?gracePeriodSeconds=0`, { method: 'DELETE' })
  await server.send(shop, { method: 'DELETE' })
  await expect.poll(() => statusOf(shop), { timeout: 20_000 }).toBe(404)
  const inner = await server.innerRequests()
  expect(inner.filter((request) => !request.startsWith('default/control: '))).toEqual([])
  // These belong to the work in the background: the object calls itself without a request.
  expect(inner.filter((request) => /garbage-collector|quota|deletecollection|collections/.test(request))).toEqual([])
}, 60_000)

test('a Pod takes one request and the renewal of the policy: its ServiceAccount and classes are read where it is written', async () => {
  await untilOutdated()
  await make(`${core}/namespaces/default/pods`, pod('cheap'))
  const inner = await server.innerRequests()
  expect(inner).toEqual(['default/control: /policy', 'default/control: create default'])
})

test('resourceVersions are one sequence over all collections [V5]', async () => {
  const version = ({ metadata }: { metadata: { resourceVersion: string } }): number => Number(metadata.resourceVersion)
  const made = [
    await make<{ metadata: { resourceVersion: string } }>(`${core}/namespaces/default/configmaps`, { metadata: { name: 'one' } }),
    await make<{ metadata: { resourceVersion: string } }>(`${core}/namespaces/default/secrets`, { metadata: { name: 'two' } }),
    await make<{ metadata: { resourceVersion: string } }>(`${core}/namespaces/default/configmaps`, {
      metadata: { name: 'three' },
    }),
  ].map(version)
  expect(made).toEqual([...made].sort((a, b) => a - b))
  expect(new Set(made).size).toBe(3)
  const list = JSON.parse((await server.send(`${core}/namespaces/default/endpoints`)).text)
  expect(version(list)).toBeGreaterThanOrEqual(made[2] ?? 0)
})

test('/metrics counts the objects and watches of each collection', async () => {
  const { text } = await server.send('/metrics')
  expect(text).toMatch(/apiserver_resource_objects\{group="",resource="secrets"\} [1-9]/)
  expect(text).toMatch(/apiserver_resource_objects\{group="",resource="namespaces"\} [1-9]/)
  expect(text).toMatch(/apiserver_resource_objects\{group="apps",resource="deployments"\} 0/)
})
