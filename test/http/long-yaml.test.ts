/** Long YAML bodies over HTTPS: reading them must not block other requests. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startServer()
  await server.send(configMaps, { method: 'POST', body: { metadata: { name: 'small' } } })
}, 30_000)
afterAll(() => server.stop())

const yaml = (kind: string, name: string, entries: number): string =>
  `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\ndata:\n${Array.from({ length: entries }, (_, i) => `  key-${i}: "${i}"\n`).join('')}`

const post = (body: string) => server.send(configMaps, { method: 'POST', headers: { 'content-type': 'application/yaml' }, body })

test('small requests are answered while a YAML body of 120,000 keys is read', async () => {
  let isOver = false
  const refused = post(yaml('Unknown', 'a', 120_000)).finally(() => {
    isOver = true
  })
  let answered = 0
  while (!isOver) {
    expect((await server.send(`${configMaps}/small`)).status).toBe(200)
    answered++
  }
  expect((await refused).status).toBe(400)
  expect(answered).toBeGreaterThan(20)
}, 60_000)

test('a long YAML body is created and applied like a short one', async () => {
  const entries = 5_000
  const created = await post(yaml('ConfigMap', 'created', entries))
  expect(created.status).toBe(201)
  const headers = { 'content-type': 'application/apply-patch+yaml' }
  const body = yaml('ConfigMap', 'applied', entries)
  const applied = await server.send(`${configMaps}/applied?fieldManager=test`, { method: 'PATCH', headers, body })
  expect(applied.status).toBe(201)
  const expected = Object.fromEntries(Array.from({ length: entries }, (_, i) => [`key-${i}`, String(i)]))
  expect(created.json<{ data: unknown }>().data).toEqual(expected)
  expect(applied.json<{ data: unknown }>().data).toEqual(expected)
})

test('an error in a long YAML body is reported after errors in the query parameters', async () => {
  const body = `${yaml('ConfigMap', 'wrong', 5_000)}\tkey: 1\n`
  expect((await post(body)).json<{ message: string }>().message).toContain(
    'yaml: line 5006: found character that cannot start any token',
  )
  const headers = { 'content-type': 'application/yaml' }
  const path = `${configMaps}?fieldValidation=Never`
  expect((await server.send(path, { method: 'POST', headers, body })).status).toBe(422)
})
