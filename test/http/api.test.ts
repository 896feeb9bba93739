/** The API over HTTPS, with the server's default settings. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
let counter = 0

beforeAll(async () => {
  server = await startServer()
}, 30_000)
afterAll(() => server.stop())

interface Status {
  readonly reason?: string
  readonly message: string
  readonly code: number
  readonly details?: unknown
}
interface Meta {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation?: number
  readonly deletionTimestamp?: string
}
interface Item {
  readonly metadata: Meta
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
}

const fresh = (): string => `object-${counter++}`
const post = (path: string, body: unknown): Promise<Reply> => server.send(path, { method: 'POST', body })
const create = async (data: Record<string, string> = {}, labels?: Record<string, string>): Promise<Item> => {
  const reply = await post(configMaps, { metadata: { name: fresh(), ...(labels && { labels }) }, data })
  expect(reply.status).toBe(201)
  return reply.json<Item>()
}

describe('authentication and authorization', () => {
  test('anonymous users may read health and version, nothing else', async () => {
    for (const path of ['/livez', '/readyz', '/healthz', '/version'])
      expect((await server.send(path, { token: false })).status).toBe(200)
    const refused = await server.send(configMaps, { token: false })
    expect(refused.status).toBe(403)
    expect(refused.json<Status>().message).toBe(
      'configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "default"',
    )
  })

  test('a wrong bearer token is 401 Unauthorized', async () => {
    const reply = await server.send('/version', { token: `${server.token}x` })
    expect(reply.status).toBe(401)
    expect(reply.json<Status>()).toMatchObject({ reason: 'Unauthorized', message: 'Unauthorized', code: 401 })
  })

  test('an impersonated user has only its own permissions', async () => {
    const reply = await server.send(configMaps, { headers: { 'impersonate-user': 'jane' } })
    expect(reply.status).toBe(403)
    expect((await server.send('/apis', { headers: { 'impersonate-user': 'jane' } })).status).toBe(200)
  })
})

describe('paths, methods and bodies', () => {
  test.each([
    ['GET', '/api/v1/namespaces/default/widgets', 404, 'the server could not find the requested resource'],
    ['GET', '/apis/apps/v9/deployments', 404, 'the server could not find the requested resource'],
    ['PUT', configMaps, 405, 'the server does not allow this method on the requested resource'],
    ['POST', '/api/v1/configmaps', 405, 'the server does not allow this method on the requested resource'],
    ['OPTIONS', configMaps, 405, 'the server does not allow this method on the requested resource'],
  ])('%s %s is %d', async (method, path, code, message) => {
    const reply = await server.send(path, { method })
    expect(reply.status).toBe(code)
    expect(reply.json<Status>()).toMatchObject({ code, message })
  })

  test('an unknown path is a plain text 404, as in Go', async () => {
    const reply = await server.send('/nothing/here')
    expect([reply.status, reply.text]).toEqual([404, '404 page not found\n'])
    expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8')
  })

  test('HEAD of an object is 405 without a body', async () => {
    const reply = await server.send(`${configMaps}/x`, { method: 'HEAD' })
    expect([reply.status, reply.text]).toEqual([405, ''])
  })

  test("a body over 3 MiB is 413, and invalid JSON is 400 with Go's message", async () => {
    const large = await post(configMaps, 'x'.repeat(3 * 1024 * 1024 + 1))
    expect(large.status).toBe(413)
    expect(large.json<Status>().message).toBe('Request entity too large: limit is 3145728')
    const put = { method: 'PUT', body: 'x'.repeat(3 * 1024 * 1024 + 1) }
    const withBadOptions = await server.send(`${configMaps}/x?dryRun=none`, put)
    expect(withBadOptions.status).toBe(413)
    const broken = await post(configMaps, '{"metadata":}')
    expect(broken.status).toBe(400)
    expect(broken.json<Status>().message).toContain("json parse error: invalid character '}' looking for beginning of value")
  })

  test('an unsupported Accept is 406, an unsupported Content-Type 415', async () => {
    const reply = await server.send(configMaps, { headers: { accept: 'text/csv' } })
    expect(reply.status).toBe(406)
    const body = await server.send(configMaps, { method: 'POST', body: 'a,b', headers: { 'content-type': 'text/csv' } })
    expect(body.status).toBe(415)
  })

  test('an object above the limit of etcd is 500 "request is too large" and not stored', async () => {
    const path = '/apis/apps/v1/namespaces/default/controllerrevisions'
    const reply = await post(path, { metadata: { name: 'big' }, revision: 1, data: { x: 'y'.repeat(1.6 * 1024 * 1024) } })
    expect(reply.status).toBe(500)
    expect(reply.json<Status>().message).toBe('etcdserver: request is too large')
    expect((await server.send(`${path}/big`)).status).toBe(404)
  })
})

describe('create-only resources (reviews)', () => {
  test.each([
    ['/apis/authentication.k8s.io/v1/tokenreviews', { metadata: { name: 'review' }, spec: { token: 'secret' } }],
    ['/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec: {} }],
    ['/api/v1/namespaces/default/bindings', { metadata: { name: 'binding' }, target: { name: 'node' } }],
  ])('%s is not stored', async (path, body) => {
    expect((await post(path, body)).status).toBeLessThan(500)
    expect((await server.send(path)).status).toBe(405)
  })
})

describe('objects', () => {
  test('create, 409 AlreadyExists, get, update and delete', async () => {
    const { metadata } = await create({ a: '1' })
    const path = `${configMaps}/${metadata.name}`
    expect((await post(configMaps, { metadata: { name: metadata.name } })).json<Status>().reason).toBe('AlreadyExists')
    expect((await server.send(path)).json<Item>()).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { a: '1' } })
    const replaced = await server.send(path, { method: 'PUT', body: { metadata: { name: metadata.name }, data: { b: '2' } } })
    expect(replaced.json<Item>().data).toEqual({ b: '2' })
    expect(Number(replaced.json<Item>().metadata.resourceVersion)).toBeGreaterThan(Number(metadata.resourceVersion))
    expect((await server.send(path, { method: 'DELETE' })).json()).toMatchObject({ kind: 'Status', status: 'Success' })
    expect((await server.send(path)).status).toBe(404)
  })

  test('are updated with the current resourceVersion only (409 Conflict), and deleted with the right uid precondition only', async () => {
    const { metadata } = await create()
    const path = `${configMaps}/${metadata.name}`
    const put = (resourceVersion: string): Promise<Reply> =>
      server.send(path, {
        method: 'PUT',
        body: { metadata: { name: metadata.name, resourceVersion }, data: { a: resourceVersion } },
      })
    expect((await put(metadata.resourceVersion)).status).toBe(200)
    const late = await put(metadata.resourceVersion)
    expect(late.status).toBe(409)
    expect(late.json<Status>().reason).toBe('Conflict')
    const other = { preconditions: { uid: '00000000-0000-4000-8000-000000000000' } }
    expect((await server.send(path, { method: 'DELETE', body: other })).status).toBe(409)
    expect((await server.send(path, { method: 'DELETE', body: { preconditions: { uid: metadata.uid } } })).status).toBe(200)
  })

  test('sixteen concurrent updates with one resourceVersion: one succeeds', async () => {
    const { metadata } = await create()
    const body = { metadata: { name: metadata.name, resourceVersion: metadata.resourceVersion } }
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        server.send(`${configMaps}/${metadata.name}`, { method: 'PUT', body: { ...body, data: { writer: String(i) } } }),
      ),
    )
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1)
    expect(replies.filter((reply) => reply.status === 409)).toHaveLength(15)
  })

  test('keep spec and status apart; generation counts changes of spec', async () => {
    const path = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
    const name = fresh()
    const made = (await post(path, { metadata: { name }, spec: { minAvailable: 1 }, status: { currentHealthy: 5 } })).json<Item>()
    expect(made.metadata.generation).toBe(1)
    expect(made.status).toMatchObject({ currentHealthy: 0 })
    const merge = { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' } }
    const status = await server.send(`${path}/${name}/status`, {
      ...merge,
      body: { spec: { minAvailable: 9 }, status: { currentHealthy: 3 } },
    })
    expect(status.json<Item>()).toMatchObject({
      metadata: { generation: 1 },
      spec: { minAvailable: 1 },
      status: { currentHealthy: 3 },
    })
    const spec = await server.send(`${path}/${name}`, {
      ...merge,
      body: { spec: { minAvailable: 2 }, status: { currentHealthy: 8 } },
    })
    expect(spec.json<Item>()).toMatchObject({
      metadata: { generation: 2 },
      spec: { minAvailable: 2 },
      status: { currentHealthy: 3 },
    })
  })

  test('an update without a change keeps the resourceVersion', async () => {
    const { metadata } = await create({ a: '1' })
    const patch = { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' }, body: { data: { a: '1' } } }
    const same = (await server.send(`${configMaps}/${metadata.name}`, patch)).json<Item>()
    expect(same.metadata.resourceVersion).toBe(metadata.resourceVersion)
  })

  test('may have keys such as __proto__ and constructor', async () => {
    const name = fresh()
    await post(configMaps, `{"metadata":{"name":"${name}"},"data":{"__proto__":"x","constructor":"y"}}`)
    expect((await server.send(`${configMaps}/${name}`)).text).toContain('"data":{"__proto__":"x","constructor":"y"}')
  })

  test('are not created in a namespace that does not exist: 404', async () => {
    const reply = await post('/api/v1/namespaces/nowhere/configmaps', { metadata: { name: 'x' } })
    expect(reply.json<Status>()).toMatchObject({ code: 404, message: 'namespaces "nowhere" not found' })
  })

  test('can be created in a namespace directly after its creation', async () => {
    for (let i = 0; i < 5; i++) {
      const name = fresh()
      expect((await post('/api/v1/namespaces', { metadata: { name } })).status).toBe(201)
      expect((await post(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: 'x' } })).status).toBe(201)
    }
  })
})

describe('lists', () => {
  test('with limit and continue show one resourceVersion; a changed continue token is refused', async () => {
    const labels = { list: 'pages' }
    const names = []
    for (let i = 0; i < 5; i++) names.push((await create({}, labels)).metadata.name)
    interface List {
      readonly metadata: { readonly continue?: string; readonly resourceVersion: string }
      readonly items: readonly Item[]
    }
    const page = async (query: string): Promise<List> =>
      (await server.send(`${configMaps}?labelSelector=list%3Dpages&limit=2${query}`)).json<List>()
    const first = await page('')
    await server.send(`${configMaps}/${names[3]}`, { method: 'DELETE' })
    const second = await page(`&continue=${first.metadata.continue}`)
    const third = await page(`&continue=${second.metadata.continue}`)
    expect([first, second, third].flatMap((l) => l.items.map((item) => item.metadata.name))).toEqual(names)
    expect(third.metadata.continue).toBeUndefined()
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion)
    const token = first.metadata.continue ?? ''
    const touched = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
    expect((await server.send(`${configMaps}?limit=2&continue=${touched}`)).status).toBe(400)
  })

  test('of several pages are complete', async () => {
    const namespace = fresh()
    await post('/api/v1/namespaces', { metadata: { name: namespace } })
    const path = `/api/v1/namespaces/${namespace}/configmaps`
    const names = Array.from({ length: 1203 }, (_, i) => `n-${String(i).padStart(4, '0')}`)
    for (let i = 0; i < names.length; i += 50) {
      await Promise.all(
        names.slice(i, i + 50).map((name) => post(path, { metadata: { name }, data: { name: name.repeat(100) } })),
      )
    }
    const list = (await server.send(path)).json<{ items: Item[] }>()
    const made = list.items.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
    expect(made.map((item) => item.metadata.name)).toEqual(names)
    expect(made.every((item) => item.data?.name === item.metadata.name.repeat(100))).toBe(true)
  })
})

describe('watches', () => {
  test('send every change after a resourceVersion that the selector matches', async () => {
    const name = fresh()
    const { metadata } = await create()
    const merge = { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' } }
    const label = (value: string | null): Promise<Reply> =>
      server.send(`${configMaps}/${name}`, { ...merge, body: { metadata: { labels: { seen: value } } } })
    const query = `watch=1&timeoutSeconds=2&resourceVersion=${metadata.resourceVersion}&labelSelector=seen`
    const watching = server.send(`${configMaps}?${query}`, { headers: { 'accept-encoding': 'gzip' } })
    await post(configMaps, { metadata: { name } })
    await label('once')
    await label('twice')
    await label(null)
    const reply = await watching
    expect(reply.headers['content-encoding'] ?? 'identity').toBe('identity')
    const types = reply.text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { type: string }).type)
    expect(types).toEqual(['ADDED', 'MODIFIED', 'DELETED'])
  })
})

describe('bootstrap objects', () => {
  test('include the system namespaces and the Service kubernetes', async () => {
    const namespaces = (await server.send('/api/v1/namespaces')).json<{ items: Item[] }>().items.map((item) => item.metadata.name)
    expect(namespaces).toEqual(expect.arrayContaining(['default', 'kube-node-lease', 'kube-public', 'kube-system']))
    const service = (await server.send('/api/v1/namespaces/default/services/kubernetes')).json<Item>()
    expect(service.spec).toMatchObject({ clusterIP: '10.0.0.1', type: 'ClusterIP' })
  })

  test('/readyz checks the storage', async () => {
    expect((await server.send('/readyz/etcd')).text).toBe('ok')
    expect((await server.send('/readyz?verbose')).text).toMatch(/\[\+\]etcd ok\n[\s\S]*readyz check passed\n$/)
  })
})

test('a terminating namespace deletes its content and refuses new objects', async () => {
  const name = fresh()
  await post('/api/v1/namespaces', { metadata: { name } })
  await post(`/api/v1/namespaces/${name}/secrets`, { metadata: { name: 'held', finalizers: ['example.com/hold'] } })
  await post(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: 'free' } })
  const deleted = await server.send(`/api/v1/namespaces/${name}`, { method: 'DELETE' })
  expect(deleted.json<Item>().status).toMatchObject({ phase: 'Terminating' })
  await expect
    .poll(async () => (await server.send(`/api/v1/namespaces/${name}/configmaps/free`)).status, { timeout: 5000 })
    .toBe(404)
  await expect
    .poll(async () => (await post(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: 'late' } })).status, {
      timeout: 3000,
    })
    .toBe(403)
  await server.send(`/api/v1/namespaces/${name}/secrets/held`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { metadata: { finalizers: null } },
  })
  await expect.poll(async () => (await server.send(`/api/v1/namespaces/${name}`)).status, { timeout: 15_000 }).toBe(404)
}, 30_000)
