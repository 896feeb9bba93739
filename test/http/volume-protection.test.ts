/** The controllers that remove the finalizers of deleted volumes and claims. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
}, 30_000)
afterAll(() => server.stop())

const namespace = '/api/v1/namespaces/default'
const claims = `${namespace}/persistentvolumeclaims`
const pods = `${namespace}/pods`
const volumes = '/api/v1/persistentvolumes'

async function send(method: string, path: string, body?: unknown): Promise<void> {
  const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}
  const { status, text } = await server.send(path, { method, body, headers })
  expect([status, text]).toEqual([method === 'POST' ? 201 : 200, text])
}

const createVolume = (name: string): Promise<void> =>
  send('POST', volumes, {
    metadata: { name },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
  })

const createClaim = (name: string, path = claims): Promise<void> =>
  send('POST', path, {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '1Gi' } } },
  })

const createUser = (name: string, claimName: string): Promise<void> =>
  send('POST', pods, {
    metadata: { name },
    spec: {
      nodeName: 'n',
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    },
  })

const exists = async (path: string): Promise<boolean> => (await server.send(path)).status === 200
const gone = (path: string): Promise<boolean> => eventually(async () => (await server.send(path)).status === 404)

test.concurrent('a deleted PersistentVolume disappears unless it is bound', async () => {
  await createVolume('free')
  await createVolume('bound')
  await send('PATCH', `${volumes}/bound/status`, { status: { phase: 'Bound' } })
  await send('DELETE', `${volumes}/bound`)
  await send('DELETE', `${volumes}/free`)
  expect(await exists(`${volumes}/free`)).toBe(true)
  await gone(`${volumes}/free`)
  expect(await exists(`${volumes}/bound`)).toBe(true)
  await send('PATCH', `${volumes}/bound/status`, { status: { phase: 'Released' } })
  await gone(`${volumes}/bound`)
}, 30_000)

test.concurrent('a deleted PersistentVolumeClaim disappears when the last Pod that uses it does', async () => {
  await createClaim('shared')
  await createClaim('single')
  for (const name of ['first', 'second']) await createUser(name, 'shared')
  await createUser('third', 'single')
  await send('DELETE', `${claims}/shared`)
  await send('DELETE', `${claims}/single`)
  await createClaim('free')
  await send('DELETE', `${claims}/free`)
  await gone(`${claims}/free`)

  await send('DELETE', `${pods}/first?gracePeriodSeconds=0`)
  await send('DELETE', `${pods}/third?gracePeriodSeconds=0`)
  // The end of the first Pod has been handled before that of the third.
  await gone(`${claims}/single`)
  expect(await exists(`${claims}/shared`)).toBe(true)
  await send('DELETE', `${pods}/second?gracePeriodSeconds=0`)
  await gone(`${claims}/shared`)
}, 30_000)

test.concurrent('a namespace with a PersistentVolumeClaim can be deleted', async () => {
  const stored = '/api/v1/namespaces/stored'
  await send('POST', '/api/v1/namespaces', { metadata: { name: 'stored' } })
  await createClaim('data', `${stored}/persistentvolumeclaims`)
  await send('DELETE', stored)
  await gone(stored)
}, 60_000)
