/** What the server itself makes beside what clients make: addresses of Services, API services of custom resources. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Reply, startServer, type TestServer } from '../server.ts'

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

test('an address of a Service has an IPAddress for as long as the Service has it', async () => {
  const { clusterIP } = (await service('one')).json<Service>().spec
  expect((await answers(`${addresses}/${clusterIP}`, 200)).json()).toMatchObject({
    metadata: {
      labels: { 'ipaddress.kubernetes.io/ip-family': 'IPv4', 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' },
    },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'one' } },
  })
  await server.send(`${services}/one`, { method: 'DELETE' })
  await answers(`${addresses}/${clusterIP}`, 404)
  // Who takes it next is told of again.
  await service('two', { clusterIP })
  expect((await answers(`${addresses}/${clusterIP}`, 200)).json()).toMatchObject({ spec: { parentRef: { name: 'two' } } })
})

test('no two Services get the same address or port, however many come at once', async () => {
  const made = await Promise.all(Array.from({ length: 60 }, (_none, i) => service(`s${i}`, { type: 'NodePort' })))
  const specs = made.map((reply) => reply.json<Service>().spec)
  expect(made.map(({ status }) => status)).toEqual(made.map(() => 201))
  expect(new Set(specs.map(({ clusterIP }) => clusterIP)).size).toBe(60)
  expect(new Set(specs.map(({ ports }) => ports[0]?.nodePort)).size).toBe(60)
})

test('the block of addresses is there from the beginning', async () => {
  const { json } = await server.send('/apis/networking.k8s.io/v1/servicecidrs/kubernetes')
  expect(json()).toMatchObject({ spec: { cidrs: ['10.0.0.0/16'] }, status: { conditions: [{ type: 'Ready', status: 'True' }] } })
})

test('custom resources have an API service for each version that is served', async () => {
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
