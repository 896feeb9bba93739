/** Objects that the server creates and restores itself: IPAddresses, APIServices, the Service kubernetes, bootstrap roles. */
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Reply } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
}, 30_000)
afterAll(() => server.stop())

const services = '/api/v1/namespaces/default/services'
const addresses = '/apis/networking.k8s.io/v1/ipaddresses'
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

interface Service {
  readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly nodePort?: number }[] }
}

const post = (path: string, body: unknown): Promise<Reply> => server.send(path, { method: 'POST', body })
const service = (name: string, spec: object = {}) =>
  post(services, { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } })
const answers = (path: string, status: number): Promise<Reply> =>
  vi.waitFor(
    async () => {
      const reply = await server.send(path)
      expect(reply.status).toBe(status)
      return reply
    },
    { timeout: 10_000 },
  )

test("a Service's clusterIP has an IPAddress object until it is released", async () => {
  const { clusterIP } = (await service('one')).json<Service>().spec
  expect((await answers(`${addresses}/${clusterIP}`, 200)).json()).toMatchObject({
    metadata: {
      labels: { 'ipaddress.kubernetes.io/ip-family': 'IPv4', 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' },
    },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'one' } },
  })
  await server.send(`${services}/one`, { method: 'DELETE' })
  await answers(`${addresses}/${clusterIP}`, 404)
  // The IPAddress of the next holder is created again.
  await service('two', { clusterIP })
  expect((await answers(`${addresses}/${clusterIP}`, 200)).json()).toMatchObject({ spec: { parentRef: { name: 'two' } } })
})

test('sixty concurrent Services get different clusterIPs and nodePorts', async () => {
  const made = await Promise.all(Array.from({ length: 60 }, (_none, i) => service(`s${i}`, { type: 'NodePort' })))
  const specs = made.map((reply) => reply.json<Service>().spec)
  expect(made.map(({ status }) => status)).toEqual(made.map(() => 201))
  expect(new Set(specs.map(({ clusterIP }) => clusterIP)).size).toBe(60)
  expect(new Set(specs.map(({ ports }) => ports[0]?.nodePort)).size).toBe(60)
})

test('the ServiceCIDR kubernetes is a bootstrap object', async () => {
  const { json } = await server.send('/apis/networking.k8s.io/v1/servicecidrs/kubernetes')
  expect(json()).toMatchObject({ spec: { cidrs: ['10.0.0.0/16'] }, status: { conditions: [{ type: 'Ready', status: 'True' }] } })
})

test('custom resources have an APIService for each served version', async () => {
  const schema = { openAPIV3Schema: { type: 'object' } }
  const spec = {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      { name: 'v1', served: true, storage: true, schema },
      { name: 'v2', served: true, storage: false, schema },
    ],
  }
  await post(definitions, { metadata: { name: 'things.example.com' }, spec })
  expect((await answers(`${apiServices}/v1.example.com`, 200)).json()).toMatchObject({
    metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } },
    spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
    status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
  })
  await answers(`${apiServices}/v2.example.com`, 200)
  await server.send(`${definitions}/things.example.com`, { method: 'DELETE' })
  await answers(`${apiServices}/v1.example.com`, 404)
  await answers(`${apiServices}/v2.example.com`, 404)
})

const merge = (path: string, body: unknown): Promise<Reply> =>
  server.send(path, { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' }, body })

test('the Endpoints of a Service are deleted before its deletion is answered', async () => {
  await service('three')
  await post('/api/v1/namespaces/default/endpoints', { metadata: { name: 'three' } })
  expect((await server.send(`${services}/three?dryRun=All`, { method: 'DELETE' })).status).toBe(200)
  expect((await server.send('/api/v1/namespaces/default/endpoints/three')).status).toBe(200)
  await server.send(`${services}/three`, { method: 'DELETE' })
  expect((await server.send('/api/v1/namespaces/default/endpoints/three')).status).toBe(404)
})

/** Without an address that other machines can reach, the Service has no Endpoints. */
const hasAddress = Object.values(networkInterfaces()).some((list) => list?.some(({ internal }) => !internal))

test.skipIf(!hasAddress)("the Service kubernetes has the server's address, and is recreated after a deletion", async () => {
  const endpoints = '/api/v1/namespaces/default/endpoints/kubernetes'
  const slice = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes'
  const own = { name: 'https', port: server.port, protocol: 'TCP' }
  const made = await server.send(`${services}/kubernetes`)
  expect(made.json()).toMatchObject({ spec: { clusterIP: '10.0.0.1', ports: [{ port: 443, targetPort: server.port }] } })
  expect((await server.send(endpoints)).json()).toMatchObject({ subsets: [{ ports: [own] }] })
  expect((await server.send(slice)).json()).toMatchObject({ addressType: 'IPv4', ports: [own] })
  for (const path of [`${services}/kubernetes`, endpoints, slice]) {
    expect((await server.send(path, { method: 'DELETE' })).status).toBe(200)
    await answers(path, 200)
  }
  await answers(endpoints, 200)
})

test('a bootstrap role with autoupdate gets back missing rules at a start, and keeps added ones', async () => {
  const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
  const rule = { verbs: ['list'], apiGroups: ['example.com'], resources: ['things'] }
  await merge(`${roles}/system:discovery`, { rules: [rule] })
  await merge(`${roles}/system:basic-user`, {
    rules: [],
    metadata: { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } },
  })
  await server.kill()
  server = await startServer({ dataDirectory: server.dataDirectory, port: server.port })
  const { rules } = (await server.send(`${roles}/system:discovery`)).json<{ rules: unknown[] }>()
  expect(rules[0]).toEqual(rule)
  expect(rules).toContainEqual({ verbs: ['get'], nonResourceURLs: ['/openapi/*'] })
  expect((await server.send(`${roles}/system:basic-user`)).json()).toMatchObject({ rules: null })
})
