/** Responses that the Worker gives without a Durable Object: kube-apiserver 1.36.3 gave the expected ones. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const statuses = '/api/v1/componentstatuses'
const store = '{"metadata":{"name":"etcd-0"},"conditions":[{"type":"Healthy","status":"True","message":"ok"}]}'

test('ComponentStatuses list scheduler, controller-manager and etcd-0, without a resourceVersion', async () => {
  const { text, headers } = await server.send(statuses)
  expect(text.startsWith('{"kind":"ComponentStatusList","apiVersion":"v1","metadata":{},"items":[')).toBe(true)
  expect(text.endsWith(`${store}]}\n`)).toBe(true)
  expect(text).toContain(
    '{"metadata":{"name":"scheduler"},"conditions":[{"type":"Healthy","status":"False","message":"Get \\"https://127.0.0.1:10259/healthz\\": dial tcp 127.0.0.1:10259: connect: connection refused"}]}',
  )
  expect(headers.warning).toBe('299 - "v1 ComponentStatus is deprecated in v1.19+"')
})

test('a ComponentStatus is found by name and by selectors, and cannot be watched', async () => {
  expect((await server.send(`${statuses}/etcd-0`)).text).toBe(`{"kind":"ComponentStatus","apiVersion":"v1",${store.slice(1)}\n`)
  const selected = await server.send(`${statuses}?fieldSelector=metadata.name%3Detcd-0`)
  expect(selected.json<{ items: unknown[] }>().items).toEqual([JSON.parse(store)])
  expect((await server.send(`${statuses}?labelSelector=a%3Db`)).json()).toMatchObject({ items: [] })
  expect((await server.send(`${statuses}/none`)).json()).toMatchObject({ message: 'componentstatus "none" not found' })
  expect((await server.send(`${statuses}?watch=1`)).json()).toMatchObject({
    code: 405,
    message: 'watch is not supported on resources of kind "componentstatuses"',
  })
})

test('ComponentStatuses as a Table', async () => {
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const { metadata, rows } = (await server.send(statuses, { headers: { accept } })).json<{
    metadata: object
    rows: readonly { readonly cells: readonly string[] }[]
  }>()
  expect(metadata).toEqual({})
  expect(rows.map(({ cells }) => cells.slice(0, 2))).toEqual([
    ['scheduler', 'Unhealthy'],
    ['controller-manager', 'Unhealthy'],
    ['etcd-0', 'Healthy'],
  ])
})

test.each([
  ['/openid/v1/jwks', 'application/json', 'application/jwk-set+json'],
  ['/.well-known/openid-configuration', 'text/html', 'application/json'],
])('%s is not available as %s: 406 NotAcceptable', async (path, accept, available) => {
  const { status, json } = await server.send(path, { headers: { accept } })
  expect(status).toBe(406)
  expect(json()).toMatchObject({ message: `406: Not Acceptable\n\nAvailable representations: ${available}` })
  expect((await server.send(path, { headers: { accept: available } })).status).toBe(200)
})

test('the 403 of an authorizer has X-Content-Type-Options: nosniff, a 401 and the 403 of an admission plugin have not', async () => {
  const unknown = await server.send(configMaps, { token: 'of nobody' })
  expect([unknown.status, unknown.headers['x-content-type-options']]).toEqual([401, undefined])
  const anonymous = await server.send(configMaps, { token: false })
  expect([anonymous.status, anonymous.headers['x-content-type-options']]).toEqual([403, 'nosniff'])
  const nameless = await server.send(configMaps, { headers: { 'Impersonate-Group': 'x' } })
  expect([nameless.status, nameless.headers['x-content-type-options']]).toEqual([400, 'nosniff'])
  const missing = configMaps.replace(/namespaces.*/, 'namespaces/default/pods')
  const pod = { metadata: { name: 'p' }, spec: { priorityClassName: 'none', containers: [{ name: 'c', image: 'i' }] } }
  const refused = await server.send(missing, { method: 'POST', body: pod })
  expect([refused.status, refused.headers['x-content-type-options']]).toEqual([403, undefined])
})

test('a watch response has no Content-Encoding', async () => {
  const { headers } = await server.send(`${configMaps}?watch=true&timeoutSeconds=1`)
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-cache, private' })
  expect(headers['content-encoding']).toBeUndefined()
})

test('/statusz shows the start time, as text or as an object of config.k8s.io', async () => {
  const { text, headers } = await server.send('/statusz', { headers: { accept: 'application/json, */*' } })
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(text).toMatch(
    /^\napiserver statusz\nWarning: .*\n\nStarted: \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d UTC \d{4}\nUp: \d+ hr \d\d min \d\d sec\n/,
  )
  expect(text).toContain('Binary version: 1.36.3\nEmulation version: 1.36\n')
  const accept = 'application/json;v=v1beta1;g=config.k8s.io;as=Statusz'
  const status = await server.send('/statusz', { headers: { accept } })
  expect(status.headers['content-type']).toBe('application/json;g=config.k8s.io;v=v1beta1;as=Statusz')
  expect(status.json()).toMatchObject({ kind: 'Statusz', apiVersion: 'config.k8s.io/v1beta1', binaryVersion: '1.36.3' })
  const refused = await server.send('/statusz', { headers: { accept: 'application/json' } })
  expect(refused.json()).toMatchObject({
    code: 406,
    message: 'only the following media types are accepted: application/json, application/yaml, text/plain',
  })
  expect((await server.send('/statusz', { token: false })).status).toBe(403)
})

test('/metrics shows the process start time, and is gzip-compressed on request', async () => {
  const plain = await server.send('/metrics')
  expect(Number(plain.headers['process-start-time-unix'])).toBeGreaterThan(1_600_000_000)
  expect(plain.headers['content-encoding']).toBeUndefined()
  const { headers } = await server.open('/metrics', { headers: { 'accept-encoding': 'gzip' } })
  expect(headers['content-encoding']).toBe('gzip')
})
