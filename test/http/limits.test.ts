/** LimitRanges, classes and topology labels: administrators' objects that affect Pods, claims and Ingresses at once. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
}, 30_000)
afterAll(() => server.stop())

const namespace = '/api/v1/namespaces/default'
const claims = `${namespace}/persistentvolumeclaims`
const ingresses = '/apis/networking.k8s.io/v1/namespaces/default/ingresses'

const post = (path: string, body: unknown): Promise<Reply> => server.send(path, { method: 'POST', body })

async function create(path: string, body: unknown): Promise<void> {
  const { status, text } = await post(path, body)
  expect([status, text]).toEqual([201, text])
}

const podOf = (name: string, spec: Readonly<Record<string, unknown>> = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'registry.example/app:1' }], ...spec },
})

const claimOf = (name: string, spec: Readonly<Record<string, unknown>> = {}) => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
})

test('a LimitRange affects the next Pod, and none after its deletion', async () => {
  await create('/api/v1/namespaces', { metadata: { name: 'limited' } })
  const limited = '/api/v1/namespaces/limited'
  const unlimited = await post(`${limited}/pods?dryRun=All`, podOf('before'))
  expect(unlimited.json()).toMatchObject({ spec: { containers: [{ resources: {} }] } })
  const item = { type: 'Container', default: { cpu: '500m' }, max: { cpu: '1' } }
  await create(`${limited}/limitranges`, { metadata: { name: 'cpu' }, spec: { limits: [item] } })

  const pod = await post(`${limited}/pods`, podOf('p'))
  expect(pod.json()).toMatchObject({
    metadata: {
      annotations: {
        'kubernetes.io/limit-ranger': 'LimitRanger plugin set: cpu request for container c; cpu limit for container c',
      },
    },
    spec: { containers: [{ resources: { limits: { cpu: '500m' }, requests: { cpu: '500m' } } }] },
  })
  const containers = [{ name: 'c', image: 'i', resources: { limits: { cpu: '2' } } }]
  const rejected = await post(`${limited}/pods`, podOf('q', { containers }))
  expect(rejected.status).toBe(403)
  expect(rejected.json()).toMatchObject({
    message: 'pods "q" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
  })

  expect((await server.send(`${limited}/limitranges/cpu`, { method: 'DELETE' })).status).toBe(200)
  expect((await post(`${limited}/pods`, podOf('q', { containers }))).status).toBe(201)
})

test('a RuntimeClass affects the next Pod', async () => {
  const pod = podOf('sandboxed', { runtimeClassName: 'sandbox' })
  const missing = await post(`${namespace}/pods`, pod)
  expect(missing.json()).toMatchObject({
    code: 403,
    message: 'pods "sandboxed" is forbidden: pod rejected: RuntimeClass "sandbox" not found',
  })
  await create('/apis/node.k8s.io/v1/runtimeclasses', {
    metadata: { name: 'sandbox' },
    handler: 'h',
    overhead: { podFixed: { cpu: '10m' } },
    scheduling: { nodeSelector: { sandbox: 'yes' }, tolerations: [{ operator: 'Exists' }] },
  })
  expect((await post(`${namespace}/pods`, pod)).json()).toMatchObject({
    spec: { overhead: { cpu: '10m' }, nodeSelector: { sandbox: 'yes' }, tolerations: [{ operator: 'Exists' }] },
  })
})

test('a changed RuntimeClass affects the next Pod', async () => {
  const path = '/apis/node.k8s.io/v1/runtimeclasses'
  await create(path, { metadata: { name: 'changing' }, handler: 'h', overhead: { podFixed: { cpu: '10m' } } })
  const pod = podOf('changing', { runtimeClassName: 'changing' })
  expect((await post(`${namespace}/pods?dryRun=All`, pod)).json()).toMatchObject({ spec: { overhead: { cpu: '10m' } } })
  const patch = { overhead: { podFixed: { cpu: '20m' } } }
  const headers = { 'content-type': 'application/merge-patch+json' }
  expect((await server.send(`${path}/changing`, { method: 'PATCH', body: patch, headers })).status).toBe(200)
  expect((await post(`${namespace}/pods?dryRun=All`, pod)).json()).toMatchObject({ spec: { overhead: { cpu: '20m' } } })
})

test('a default StorageClass and a default IngressClass affect the next claim and Ingress', async () => {
  const ingress = { metadata: { name: 'i' }, spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } }
  const classOfClaim = async (): Promise<unknown> =>
    (await post(`${claims}?dryRun=All`, claimOf('c'))).json<{ spec: { storageClassName?: string } }>().spec.storageClassName
  const classOfIngress = async (): Promise<unknown> =>
    (await post(`${ingresses}?dryRun=All`, ingress)).json<{ spec: { ingressClassName?: string } }>().spec.ingressClassName
  expect([await classOfClaim(), await classOfIngress()]).toEqual([undefined, undefined])

  await create('/apis/storage.k8s.io/v1/storageclasses', {
    metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'example.com/disk',
  })
  await create('/apis/networking.k8s.io/v1/ingressclasses', {
    metadata: { name: 'edge', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
    spec: { controller: 'example.com/edge' },
  })
  expect([await classOfClaim(), await classOfIngress()]).toEqual(['fast', 'edge'])
  expect((await server.send('/apis/storage.k8s.io/v1/storageclasses/fast', { method: 'DELETE' })).status).toBe(200)
  expect(await classOfClaim()).toBeUndefined()
})

test('a Binding copies zone and region of the node to the Pod', async () => {
  const labels = { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r', other: 'o' }
  await create('/api/v1/nodes', { metadata: { name: 'zoned', labels } })
  await create(`${namespace}/pods`, podOf('placed'))
  const binding = { metadata: { name: 'placed' }, target: { kind: 'Node', name: 'zoned' } }
  await create(`${namespace}/pods/placed/binding`, binding)
  const { metadata } = (await server.send(`${namespace}/pods/placed`)).json<{ metadata: { labels: unknown } }>()
  expect(metadata.labels).toEqual({ 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r' })
})

test('a write that admission rejects has the warnings about its object', async () => {
  await create('/api/v1/namespaces', { metadata: { name: 'warned' } })
  const item = { type: 'Container', min: { memory: '1Mi' } }
  await create('/api/v1/namespaces/warned/limitranges', { metadata: { name: 'memory' }, spec: { limits: [item] } })
  const containers = [{ name: 'c', image: 'i', resources: { requests: { memory: '500m' } } }]
  const { status, headers } = await post('/api/v1/namespaces/warned/pods', podOf('p', { containers }))
  expect(status).toBe(403)
  expect(headers.warning).toContain('fractional byte value')
})
