/** Warnings of writes, and unusual bodies and patches. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const pods = '/api/v1/namespaces/default/pods'
const strategic = { 'content-type': 'application/strategic-merge-patch+json' }

const warningsOf = (header: string | string[] | undefined): string => (header === undefined ? '' : [header].flat().join('\n'))

test('warnings come with the response', async () => {
  const ports = [{ containerPort: 80 }, { containerPort: 80 }]
  const spec = { containers: [{ name: 'c', image: 'i', ports }] }
  const { status, headers } = await server.send(`${pods}?dryRun=All`, { method: 'POST', body: { metadata: { name: 'p' }, spec } })
  expect(status).toBe(201)
  expect(warningsOf(headers.warning)).toContain('duplicate port definition with spec.containers[0].ports[0]')
})

test('warnings about unknown fields also come with a 422', async () => {
  const body = { metadata: { name: 'Bad' }, unknown: 1 }
  const { status, headers } = await server.send(configMaps, { method: 'POST', body })
  expect(status).toBe(422)
  expect(warningsOf(headers.warning)).toContain('unknown field \\"unknown\\"')
})

test('duplicate keys with objects are merged, as Go decodes them', async () => {
  const body = '{"metadata":{"name":"twice"},"data":{"a":"1","a":"2"},"data":{"b":"3"}}'
  const reply = await server.send(`${configMaps}?dryRun=All`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  })
  expect(reply.status).toBe(201)
  expect(reply.json()).toMatchObject({ data: { a: '2', b: '3' } })
})

test('422 after a strategic merge patch quotes the patch, after other patches the result', async () => {
  await server.send(configMaps, { method: 'POST', body: { metadata: { name: 'patched' }, data: { a: '<' } } })
  const body = { data: { b: { x: ['<', 1] } } }
  const merged = await server.send(`${configMaps}/patched`, { method: 'PATCH', headers: strategic, body })
  expect(merged.status).toBe(422)
  expect(merged.json()).toMatchObject({
    message: ' "" is invalid: patch: Invalid value: "map[data:map[b:map[x:[< 1]]]]": unrecognized type: string',
  })
  const plain = await server.send(`${configMaps}/patched`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body,
  })
  expect(plain.json<{ message: string }>().message).toContain('\\"a\\":\\"\\\\u003c\\"')
})

test('duplicate ownerReferences are stored once, with a warning', async () => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }
  const body = { metadata: { name: 'owned', ownerReferences: [owner, owner] } }
  const reply = await server.send(`${configMaps}?dryRun=All`, { method: 'POST', body })
  expect(reply.json()).toMatchObject({ metadata: { ownerReferences: [owner] } })
  expect(warningsOf(reply.headers.warning)).toContain('duplicate UID(s) observed: u')
})

test('forty concurrent creates in a new namespace are all answered', async () => {
  for (const namespace of ['burst-a', 'burst-b', 'burst-c']) {
    await server.send('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: namespace } } })
    const creates = Array.from({ length: 40 }, (_none, index) =>
      server.send(`/api/v1/namespaces/${namespace}/secrets`, { method: 'POST', body: { metadata: { name: `s${index}` } } }),
    )
    expect((await Promise.all(creates)).map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 201))
  }
})

test('an empty map is distinguished from a missing one: Invalid value {} and null', async () => {
  const deployments = '/apis/apps/v1/namespaces/default/deployments'
  const selector = { matchLabels: { a: 'b' } }
  const withMetadata = (metadata: object) => ({
    metadata: { name: 'explicit-empty' },
    spec: { selector, template: { metadata, spec: { containers: [{ name: 'c', image: 'i' }] } } },
  })
  const refused = (labels: string) =>
    `Deployment.apps "explicit-empty" is invalid: spec.template.metadata.labels: Invalid value: ${labels}: ` +
    '`selector` does not match template `labels`'
  const create = (metadata: object) => server.send(deployments, { method: 'POST', body: withMetadata(metadata) })
  expect((await create({ labels: {} })).json()).toMatchObject({ code: 422, message: refused('{}') })
  expect((await create({})).json()).toMatchObject({ code: 422, message: refused('null') })
  expect((await create({ labels: { a: 'b' } })).status).toBe(201)
  const path = `${deployments}/explicit-empty`
  const put = await server.send(path, { method: 'PUT', body: withMetadata({ labels: {} }) })
  expect(put.json()).toMatchObject({ code: 422, message: refused('{}') })
  const body = { spec: { template: { metadata: { labels: { a: null } } } } }
  const patched = await server.send(path, { method: 'PATCH', headers: strategic, body })
  expect(patched.json()).toMatchObject({ code: 422, message: refused('{}') })
})
