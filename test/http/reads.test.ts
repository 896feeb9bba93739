/** Reads of one object beside writes: a GET sees every write that was answered, wherever the server reads the object. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startServer()
})

afterAll(() => server?.stop())

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly resourceVersion: string }
  readonly data?: { readonly v: string }
}

/** Creates, updates and deletes one object, and reads it after each write and beside it. */
async function writeAndRead(name: string): Promise<void> {
  const path = `${configMaps}/${name}`
  const version = async (): Promise<number> => {
    const reply = await server.send(path)
    return reply.status === 404 ? 0 : Number(reply.json<ConfigMap>().metadata.resourceVersion)
  }
  let latest = Number(
    (await server.send(configMaps, { method: 'POST', body: { metadata: { name } } })).json<ConfigMap>().metadata.resourceVersion,
  )
  for (let i = 0; i < 10; i++) {
    const [reply, beside] = await Promise.all([
      server.send(path, { method: 'PUT', body: { metadata: { name }, data: { v: String(i) } } }),
      version(),
    ])
    expect(beside, 'a read beside a write').toBeGreaterThanOrEqual(latest)
    latest = Number(reply.json<ConfigMap>().metadata.resourceVersion)
    expect((await server.send(path)).json<ConfigMap>().data).toEqual({ v: String(i) })
  }
  await server.send(path, { method: 'DELETE' })
  expect((await server.send(path)).status).toBe(404)
}

test('a GET sees every answered write of its object, among writes of others', async () => {
  await Promise.all(['a', 'b', 'c', 'd'].map(writeAndRead))
})

test('all forms of an object that was just written are those of a later read', async () => {
  await server.send(configMaps, { method: 'POST', body: { metadata: { name: 'forms', labels: { a: 'b' } } } })
  const read = async (accept: string) => (await server.send(`${configMaps}/forms`, { headers: { accept } })).text
  const tables = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  expect(JSON.parse(await read('application/json'))).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'forms' } })
  expect(JSON.parse(await read(tables))).toMatchObject({ kind: 'Table', rows: [{ object: { metadata: { name: 'forms' } } }] })
  expect(await read('application/yaml')).toContain('kind: ConfigMap')
  const wrong = await server.send(`${configMaps}/forms`, {
    headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
  })
  expect(wrong.status).toBe(406)
})

test('/metrics counts reads wherever they are answered', async () => {
  await server.send(configMaps, { method: 'POST', body: { metadata: { name: 'counted' } } })
  const gets = async (): Promise<number> => {
    const { text } = await server.send('/metrics')
    return Number(/^etcd_requests_total\{[^}]*operation="get"[^}]*resource="configmaps"[^}]*\} (\d+)$/m.exec(text)?.[1] ?? 0)
  }
  const before = await gets()
  for (let i = 0; i < 3; i++) await server.send(`${configMaps}/counted`)
  expect((await gets()) - before).toBe(3)
})
