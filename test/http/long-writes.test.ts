/** Long writes, whose parts are computed outside of the commit: their results are those of short ones. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'

const namespace = '/api/v1/namespaces/default'
const configMaps = `${namespace}/configmaps`
const value = 'x'.repeat(1000)
/** So many values are long; three times as many are not too many for a ConfigMap. */
const long = 280
let server: TestServer

beforeAll(async () => {
  server = await startServer()
}, 30_000)
afterAll(() => server.stop())

const dataOf = (prefix: string, count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, value]))

const configMap = (name: string, data: Record<string, string>) => ({ metadata: { name }, data })

interface Owned {
  readonly manager: string
  readonly keys: number
}

/** Returns each manager with the number of keys that it owns. */
function ownersOf(reply: Reply): readonly Owned[] {
  const { metadata } = reply.json<{ metadata: { managedFields: { manager: string; fieldsV1: { 'f:data'?: object } }[] } }>()
  return metadata.managedFields.map(({ manager, fieldsV1 }) => ({
    manager,
    keys: Object.keys(fieldsV1['f:data'] ?? {}).filter((key) => key !== '.').length,
  }))
}

const apply = (name: string, manager: string, data: Record<string, string>): Promise<Reply> =>
  server.send(`${configMaps}/${name}?fieldManager=${manager}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', ...configMap(name, data) }),
  })

test('a long object is created, replaced and patched by three managers', async () => {
  const body = configMap('written', dataOf('a', long))
  const created = await server.send(`${configMaps}?fieldManager=one`, { method: 'POST', body })
  expect([created.status, ownersOf(created)]).toEqual([201, [{ manager: 'one', keys: long }]])

  const both = configMap('written', { ...dataOf('a', long), ...dataOf('b', long) })
  const replaced = await server.send(`${configMaps}/written?fieldManager=two`, { method: 'PUT', body: both })
  expect(replaced.status).toBe(200)
  expect(ownersOf(replaced)).toEqual([
    { manager: 'one', keys: long },
    { manager: 'two', keys: long },
  ])

  const headers = { 'content-type': 'application/merge-patch+json' }
  const patch = JSON.stringify({ data: dataOf('c', long) })
  const patched = await server.send(`${configMaps}/written?fieldManager=three`, { method: 'PATCH', headers, body: patch })
  expect([patched.status, ownersOf(patched).map(({ keys }) => keys)]).toEqual([200, [long, long, long]])
}, 30_000)

test('a long configuration is applied, and another one conflicts with it', async () => {
  const first = await apply('applied', 'one', dataOf('a', long))
  expect([first.status, ownersOf(first)]).toEqual([201, [{ manager: 'one', keys: long }]])
  const conflict = await apply('applied', 'two', { ...dataOf('b', long), a0: 'y' })
  expect([conflict.status, conflict.json().message]).toEqual([409, 'Apply failed with 1 conflict: conflict with "one": .data.a0'])
}, 30_000)

test('a long object has the errors and the warnings of a short one', async () => {
  const answerTo = async (annotation: string) => {
    const spec = {
      containers: [{ name: 'c', image: 'i' }, { name: 'c' }],
      imagePullSecrets: [{ name: 's' }, { name: 's' }],
    }
    const body = { metadata: { name: 'p', annotations: { annotation } }, spec }
    const { status, headers, json } = await server.send(`${namespace}/pods`, { method: 'POST', body })
    const { details } = json<{ details: { causes: { field: string }[] } }>()
    return { status, warning: headers.warning, fields: details.causes.map(({ field }) => field) }
  }
  const short = await answerTo('x')
  expect(short).toMatchObject({ status: 422, fields: ['spec.containers[1].image', 'spec.containers[1].name'] })
  const fields = ['metadata.annotations', ...short.fields]
  expect(await answerTo(value.repeat(long))).toEqual({ ...short, fields })
}, 30_000)

test('a small patch, apply and update of a long stored object give the results of those of a short one', async () => {
  const answersFor = async (name: string, count: number) => {
    const sent = dataOf('a', count)
    await server.send(`${configMaps}?fieldManager=one`, { method: 'POST', body: configMap(name, sent) })
    const headers = { 'content-type': 'application/merge-patch+json' }
    const path = `${configMaps}/${name}`
    const patched = await server.send(`${path}?fieldManager=two`, { method: 'PATCH', headers, body: '{"data":{"b":"x"}}' })
    const refused = await server.send(path, { method: 'PATCH', headers, body: '{"data":{"/":"x"}}' })
    const applied = await apply(name, 'three', { c: 'x' })
    const conflict = await apply(name, 'three', { b: 'y' })
    const owners = ownersOf(applied).map(({ manager, keys }) => [manager, keys === count ? 'all' : keys])
    const [{ status }, { message }] = [refused, conflict.json<{ message: string }>()]
    const { data } = applied.json<{ data: Record<string, string> }>()
    return { patched: patched.status, refused: [status, refused.json().message], owners, message, data: data.b, c: data.c }
  }
  const short = await answersFor('stored', 3)
  expect(short).toMatchObject({ patched: 200, refused: [422, expect.any(String)], data: 'x', c: 'x' })
  const named = JSON.parse(JSON.stringify(short).replaceAll('\\"stored\\"', '\\"stored-long\\"')) as unknown
  expect(await answersFor('stored-long', long)).toEqual(named)
}, 30_000)

test('a long configuration with duplicate items has the error of a short one', async () => {
  const answerTo = async (annotation: string) => {
    const volumes = [{ name: 'v' }, { name: 'v' }, { name: 'v' }]
    const reply = await server.send(`${namespace}/pods/p?fieldManager=one`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p', annotations: { annotation } },
        spec: { containers: [{ name: 'c', image: 'i' }], volumes },
      }),
    })
    return [reply.status, reply.json().message]
  }
  const short = await answerTo('x')
  expect(short).toEqual([500, expect.stringContaining('duplicate entries for key [name="v"]')])
  expect(await answerTo(value.repeat(long))).toEqual(short)
}, 30_000)
