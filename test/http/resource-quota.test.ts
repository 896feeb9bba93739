/** ResourceQuotas over HTTPS: exact under concurrency, for all kinds, and given back. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
}, 30_000)
afterAll(() => server.stop())

interface Quota {
  readonly status: { readonly hard?: Record<string, string>; readonly used?: Record<string, string> }
}

const post = (path: string, body: unknown): Promise<Reply> => server.send(path, { method: 'POST', body })

/** Makes a namespace and returns its path for the core group. */
async function namespace(name: string): Promise<string> {
  expect((await post('/api/v1/namespaces', { metadata: { name } })).status).toBe(201)
  return `/api/v1/namespaces/${name}`
}

const usedOf = async (path: string, on = server): Promise<Record<string, string>> =>
  (await on.send(`${path}/resourcequotas/q`)).json<Quota>().status.used ?? {}

/** Waits until the quota `q` has this use. */
const hasUsed = (path: string, used: Readonly<Record<string, string>>): Promise<void> =>
  expect.poll(() => usedOf(path), { timeout: 10_000, interval: 25 }).toEqual(used)

async function quota(
  path: string,
  hard: Readonly<Record<string, string>>,
  used: Readonly<Record<string, string>>,
): Promise<void> {
  expect((await post(`${path}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard } })).status).toBe(201)
  await hasUsed(path, used)
}

const secret = (path: string, name: string, query = ''): Promise<Reply> => post(`${path}/secrets${query}`, { metadata: { name } })

test('64 concurrent writers create exactly as many objects as the quotas allow, in two collections', async () => {
  const path = await namespace('concurrent')
  await quota(
    path,
    { secrets: '20', 'count/pods': '30', 'requests.cpu': '1' },
    { secrets: '0', 'count/pods': '0', 'requests.cpu': '0' },
  )
  const pod = (name: string): Promise<Reply> => {
    const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '50m' } } }]
    return post(`${path}/pods`, { metadata: { name }, spec: { containers } })
  }
  const replies = await Promise.all(Array.from({ length: 64 }, (_, i) => (i % 2 === 0 ? secret(path, `s${i}`) : pod(`p${i}`))))
  const created = (parity: number): number => replies.filter(({ status }, i) => i % 2 === parity && status === 201).length
  expect([created(0), created(1)]).toEqual([20, 20])
  const refused = replies.find(({ status }, i) => i % 2 === 1 && status === 403)
  expect(refused?.json().message).toMatch(
    /^pods "p\d+" is forbidden: exceeded quota: q, requested: requests\.cpu=50m, used: requests\.cpu=1, limited: requests\.cpu=1$/,
  )
  expect(await usedOf(path)).toEqual({ secrets: '20', 'count/pods': '20', 'requests.cpu': '1' })
})

test('a create that fails after admission gives its quota back, and a dry run charges nothing', async () => {
  const path = await namespace('failures')
  await quota(path, { secrets: '2' }, { secrets: '0' })
  expect((await secret(path, 'a')).status).toBe(201)
  const replies = await Promise.all(Array.from({ length: 8 }, () => secret(path, 'a')))
  expect(replies.map(({ status }) => status).filter((status) => status !== 409 && status !== 403)).toEqual([])
  await hasUsed(path, { secrets: '1' })
  expect((await secret(path, 'b', '?dryRun=All')).status).toBe(201)
  expect(await usedOf(path)).toEqual({ secrets: '1' })
  expect((await secret(path, 'b')).status).toBe(201)
  expect((await secret(path, 'c', '?dryRun=All')).status).toBe(403)
})

test('objects that exist before the quota are counted, also those that controllers make', async () => {
  const path = await namespace('existing')
  expect((await secret(path, 'a')).status).toBe(201)
  await expect.poll(async () => (await server.send(`${path}/configmaps/kube-root-ca.crt`)).status).toBe(200)
  await expect.poll(async () => (await server.send(`${path}/serviceaccounts/default`)).status).toBe(200)
  await quota(
    path,
    { secrets: '1', configmaps: '1', 'count/serviceaccounts': '5' },
    { secrets: '1', configmaps: '1', 'count/serviceaccounts': '1' },
  )
  expect((await secret(path, 'b')).status).toBe(403)
  expect((await server.send(`${path}/secrets/a`, { method: 'DELETE' })).status).toBe(200)
  await hasUsed(path, { secrets: '0', configmaps: '1', 'count/serviceaccounts': '1' })
  expect((await server.send(`${path}/resourcequotas/q`, { method: 'DELETE' })).status).toBe(200)
  expect((await post(`${path}/configmaps`, { metadata: { name: 'b' } })).status).toBe(201)
})

test('custom resources are counted from their definition on', async () => {
  const path = await namespace('custom')
  const group = 'quota.example.com'
  const name = `bolts.${group}`
  const count = `count/${name}`
  await quota(path, { [count]: '1', secrets: '1' }, { secrets: '0' })
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }]
  const names = { plural: 'bolts', singular: 'bolt', kind: 'Bolt' }
  const definition = { metadata: { name }, spec: { group, scope: 'Namespaced', names, versions } }
  expect((await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)).status).toBe(201)
  await hasUsed(path, { [count]: '0', secrets: '0' })
  const bolts = `/apis/${group}/v1/namespaces/custom/bolts`
  const bolt = (boltName: string): Promise<Reply> =>
    post(bolts, { apiVersion: `${group}/v1`, kind: 'Bolt', metadata: { name: boltName } })
  expect((await bolt('a')).status).toBe(201)
  const refused = await bolt('b')
  expect([refused.status, refused.json().message]).toEqual([
    403,
    `${name} "b" is forbidden: exceeded quota: q, requested: ${count}=1, used: ${count}=1, limited: ${count}=1`,
  ])
  expect((await server.send(`${bolts}/a`, { method: 'DELETE' })).status).toBe(200)
  await hasUsed(path, { [count]: '0', secrets: '0' })
})

test('kinds that are stored beside the quotas are counted too: roles and quotas themselves', async () => {
  const path = await namespace('beside')
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/beside/roles'
  const count = 'count/roles.rbac.authorization.k8s.io'
  await quota(path, { [count]: '1', resourcequotas: '1' }, { [count]: '0', resourcequotas: '1' })
  const replies = await Promise.all(Array.from({ length: 4 }, (_, i) => post(roles, { metadata: { name: `r${i}` }, rules: [] })))
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 403, 403, 403])
  expect((await post(`${path}/resourcequotas`, { metadata: { name: 'r' }, spec: {} })).status).toBe(403)
  expect((await server.send(roles, { method: 'DELETE' })).status).toBe(200)
  await hasUsed(path, { [count]: '0', resourcequotas: '1' })
})

test('the deletion of a namespace removes its quotas and its objects', async () => {
  const path = await namespace('leaving')
  await quota(path, { secrets: '1' }, { secrets: '0' })
  expect((await secret(path, 'a')).status).toBe(201)
  expect((await server.send(path, { method: 'DELETE' })).status).toBe(200)
  await expect.poll(async () => (await server.send(path)).status, { timeout: 20_000 }).toBe(404)
}, 30_000)

test('an external quota controller sets the status, which is enforced as before', async () => {
  const other = await startServer({ args: ['--controllers', '*,-resourcequota-controller'] })
  try {
    const path = '/api/v1/namespaces/default'
    const send = (rest: string, method: string, body: unknown): Promise<Reply> => other.send(`${path}/${rest}`, { method, body })
    const made = await send('resourcequotas', 'POST', { metadata: { name: 'q' }, spec: { hard: { secrets: '1' } } })
    expect((await send('secrets', 'POST', { metadata: { name: 'a' } })).status).toBe(201)
    expect(await usedOf(path, other)).toEqual({})
    const status = { hard: { secrets: '1' }, used: { secrets: '0' } }
    expect((await send('resourcequotas/q/status', 'PUT', { ...made.json<object>(), status })).status).toBe(200)
    expect((await send('secrets', 'POST', { metadata: { name: 'b' } })).status).toBe(201)
    expect(await usedOf(path, other)).toEqual({ secrets: '1' })
    expect((await send('secrets', 'POST', { metadata: { name: 'c' } })).status).toBe(403)
  } finally {
    await other.stop()
  }
}, 30_000)
