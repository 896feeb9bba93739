/** Disabled controllers (--controllers): their work is left to others until they are enabled again. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'

const others = '/api/v1/namespaces/others'

let server: TestServer
beforeAll(async () => {
  const left = '*,-garbage-collector-controller,-namespace-controller,-serviceaccount-controller'
  server = await startServer({ args: ['--controllers', left] })
}, 30_000)
afterAll(() => server.stop())

const exists = async (path: string): Promise<boolean> => (await server.send(path)).status === 200

const create = async (path: string, body: unknown): Promise<{ readonly metadata: { readonly uid: string } }> => {
  const reply = await server.send(path, { method: 'POST', body })
  expect(reply.status).toBe(201)
  return reply.json()
}

const ownedBy = (name: string, uid: string, owned: string) => ({
  metadata: { name: owned, ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }] },
})

test('a disabled controller does nothing; after it is enabled it does the missed work', async () => {
  const { metadata } = await create(configMaps, { metadata: { name: 'owner' } })
  await create(configMaps, ownedBy('owner', metadata.uid, 'dependent'))
  await create(configMaps, ownedBy('never', 'there', 'orphan'))
  await create('/api/v1/namespaces', { metadata: { name: 'others' } })
  await create(`${others}/configmaps`, { metadata: { name: 'content' } })
  expect((await server.send(`${configMaps}/owner`, { method: 'DELETE' })).status).toBe(200)
  expect((await server.send(others, { method: 'DELETE' })).status).toBe(200)

  // An enabled controller has done its work in the same alarms.
  await create('/api/v1/namespaces', { metadata: { name: 'later' } })
  await eventually(() => exists('/api/v1/namespaces/later/configmaps/kube-root-ca.crt'))
  for (const kept of [`${configMaps}/dependent`, `${configMaps}/orphan`, `${others}/configmaps/content`]) {
    expect((await server.send(kept)).status).toBe(200)
  }
  expect((await server.send('/api/v1/namespaces/later/serviceaccounts/default')).status).toBe(404)

  await server.kill()
  server = await startServer({ dataDirectory: server.dataDirectory })
  for (const gone of [`${configMaps}/dependent`, `${configMaps}/orphan`, others]) {
    await eventually(async () => !(await exists(gone)))
  }
}, 60_000)
