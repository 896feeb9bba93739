import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reply, RequestOptions } from '../client.ts'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'

const paths = '/edgeplane/testing/v1/clusters'

let server: TestServer

beforeAll(async () => {
  server = await startServer({ args: ['--testing'] })
})

afterAll(() => server?.stop())

interface Object {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly resourceVersion: string
    readonly creationTimestamp: string
  }
}

interface Request {
  readonly verb: string
  readonly resource: string
  readonly name: string
  readonly user: string
  readonly userAgent: string
  readonly code: number
  readonly fault: number
}

/** A cluster, with functions that send requests to it and to its testing paths. */
interface Cluster {
  readonly name: string
  readonly kubeconfig: string
  readonly token: string
  readonly send: (path: string, options?: RequestOptions) => Promise<Reply>
  readonly control: (method: string, part: string, body?: object) => Promise<Reply>
  readonly requests: () => Promise<readonly Request[]>
}

async function makeCluster(options: object = {}): Promise<Cluster> {
  const made = await server.send(paths, { method: 'POST', body: options })
  expect(made.status, made.text).toBe(201)
  const { name, token, kubeconfig } = made.json<{ name: string; token: string; kubeconfig: string }>()
  const control: Cluster['control'] = (method, part, body) =>
    server.send(`${paths}/${name}/${part}`, { method, ...(body !== undefined && { body }) })
  return {
    name,
    kubeconfig,
    token,
    control,
    send: (path, more) => server.send(`/clusters/${name}${path}`, { token, ...more }),
    requests: async () => (await control('GET', 'requests')).json<{ requests: Request[] }>().requests,
  }
}

const create = (cluster: Cluster, name: string, headers: Record<string, string> = {}): Promise<Reply> =>
  cluster.send(configMaps, { method: 'POST', body: { metadata: { name } }, headers })

describe('A cluster for a test', () => {
  test('is ready, isolated, and gone after its deletion', async () => {
    const [first, second] = [await makeCluster(), await makeCluster()]
    expect((await create(first, 'a')).status).toBe(201)
    expect((await first.send(`${configMaps}/a`)).status).toBe(200)
    expect((await second.send(`${configMaps}/a`)).status).toBe(404)
    expect(JSON.parse(first.kubeconfig).clusters[0].cluster.server).toBe(`${server.url}/clusters/${first.name}`)
    expect((await server.send(`${paths}/${first.name}`, { method: 'DELETE' })).status).toBe(204)
    // The objects of a deleted cluster are restarted: until then they answer 503.
    await expect.poll(async () => (await first.send(`${configMaps}/a`)).status).toBe(404)
  })

  test('has the same bootstrap objects as the default cluster, with uids of its own', async () => {
    const first = await makeCluster()
    const further = await makeCluster()
    const rbac = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
    for (const path of [
      rbac,
      '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
      '/apis/apiregistration.k8s.io/v1/apiservices',
    ]) {
      const lists = [await server.send(path), await first.send(path), await further.send(path)]
      const [own = [], ...others] = lists.map((list) => list.json<{ items: Object[] }>().items)
      const uids = new Set([own, ...others].flat().map(({ metadata }) => metadata.uid))
      expect(uids.size).toBe(3 * own.length)
      const comparable = (text = ''): string =>
        text.replace(/"(uid|resourceVersion)":"[^"]*"/g, '').replace(/"\d{4}-[^"]*Z"/g, '""')
      for (const found of others) expect(comparable(JSON.stringify(found))).toBe(comparable(JSON.stringify(own)))
    }
    const namespaces = (await further.send('/api/v1/namespaces')).json<{ items: Object[] }>().items
    const roots = (await further.send('/api/v1/configmaps')).json<{ items: Object[] }>().items
    expect(roots.filter(({ metadata }) => metadata.name === 'kube-root-ca.crt')).toHaveLength(namespaces.length)
  })

  test('is a copy of the first one, at its own time and with the versions and uids of no other', async () => {
    const first = await makeCluster()
    const further = await makeCluster({ now: '2031-02-03T04:05:06Z', frozen: true })
    const paths = [
      ...['namespaces', 'configmaps', 'services', 'endpoints', 'serviceaccounts'].map((name) => `/api/v1/${name}`),
      ...['servicecidrs', 'ipaddresses'].map((name) => `/apis/networking.k8s.io/v1/${name}`),
      ...['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'].map(
        (name) => `/apis/rbac.authorization.k8s.io/v1/${name}`,
      ),
      '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
      '/apis/discovery.k8s.io/v1/endpointslices',
    ]
    const listed = async (cluster: Cluster): Promise<readonly string[]> =>
      (await Promise.all(paths.map((path) => cluster.send(path)))).map(({ text }) => text)
    const [before, after] = [await listed(first), await listed(further)]
    const comparable = (text: string): string =>
      text.replace(/"(uid|resourceVersion|since)":"[^"]*"/g, '').replace(/"\d{4}-[^"]*Z"/g, '""')
    expect(after.map(comparable)).toEqual(before.map(comparable))
    const times = new Set(after.join().match(/\d{4}-\d\d-\d\d(?:T[\d:]{8}Z)?(?=")/g))
    expect([...times].toSorted()).toEqual(['2031-02-03', '2031-02-03T04:05:06Z'])
    const uids = (texts: readonly string[]): readonly string[] => texts.join().match(/(?<="uid":")[^"]+/g) ?? []
    expect(new Set([...uids(before), ...uids(after)]).size).toBe(2 * uids(before).length)
    // A watch of the copied objects begins where the list ended.
    const { resourceVersion } = JSON.parse(after[1] ?? '').metadata as { readonly resourceVersion: string }
    expect((await create(further, 'a')).status).toBe(201)
    const watch = await further.send(`${configMaps}?watch=true&resourceVersion=${resourceVersion}&timeoutSeconds=1`)
    expect(watch.json()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } })
  })

  test('403 for everybody but system:masters of the default cluster', async () => {
    const cluster = await makeCluster()
    expect((await server.send(paths, { method: 'POST', body: {}, token: false })).status).toBe(403)
    expect((await cluster.send(paths, { method: 'POST', body: {} })).status).toBe(404)
    const role = { metadata: { name: 'everywhere' }, rules: [{ nonResourceURLs: ['*'], verbs: ['*'] }] }
    const rbac = '/apis/rbac.authorization.k8s.io/v1'
    await server.send(`${rbac}/clusterroles`, { method: 'POST', body: role })
    const subjects = [{ kind: 'User', name: 'eve', apiGroup: 'rbac.authorization.k8s.io' }]
    const roleRef = { kind: 'ClusterRole', name: 'everywhere', apiGroup: 'rbac.authorization.k8s.io' }
    await server.send(`${rbac}/clusterrolebindings`, {
      method: 'POST',
      body: { metadata: { name: 'eve' }, subjects, roleRef },
    })
    const asEve = { method: 'POST', body: {}, headers: { 'impersonate-user': 'eve' } }
    await expect.poll(async () => (await server.send('/metrics', { headers: asEve.headers })).status).toBe(200)
    const denied = await server.send(paths, asEve)
    expect(denied.status).toBe(403)
    expect(denied.text).toContain('system:masters')
  })
})

describe('The clock of a test', () => {
  test('begins at a time, and is that of creationTimestamp', async () => {
    const cluster = await makeCluster({ now: '2031-02-03T04:05:06Z' })
    expect((await create(cluster, 'a')).json<Object>().metadata.creationTimestamp).toMatch(/^2031-02-03T04:0[56]:/)
    const moved = await cluster.control('PUT', 'clock', { advance: '48h' })
    expect(moved.json<{ now: string }>().now).toMatch(/^2031-02-05T04:/)
    expect((await create(cluster, 'b')).json<Object>().metadata.creationTimestamp).toMatch(/^2031-02-05T04:/)
    expect((await cluster.control('PUT', 'clock', { now: '2031-02-03T00:00:00Z' })).status).toBe(400)
  })

  test('stands still while it is frozen, and goes on from there', async () => {
    const cluster = await makeCluster({ now: '2031-02-03T04:05:06Z', frozen: true })
    const now = async (): Promise<string> => (await cluster.control('GET', 'clock')).json<{ now: string }>().now
    expect((await create(cluster, 'a')).json<Object>().metadata.creationTimestamp).toBe('2031-02-03T04:05:06Z')
    const moved = await cluster.control('PUT', 'clock', { advance: '1h' })
    expect(moved.json()).toEqual({ now: '2031-02-03T05:05:06.000Z', frozen: true })
    expect((await create(cluster, 'b')).json<Object>().metadata.creationTimestamp).toBe('2031-02-03T05:05:06Z')
    expect(await now()).toBe('2031-02-03T05:05:06.000Z')
    expect((await cluster.control('PUT', 'clock', { frozen: false })).json()).toMatchObject({ frozen: false })
    await expect.poll(now).not.toBe('2031-02-03T05:05:06.000Z')
    expect((await cluster.control('PUT', 'clock', { frozen: 'yes' })).status).toBe(400)
  })

  test('expires the token of a ServiceAccount', async () => {
    const cluster = await makeCluster()
    expect((await cluster.send('/api/v1/namespaces/default/serviceaccounts/default')).status).toBe(200)
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } }
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token'
    const { status } = (await cluster.send(path, { method: 'POST', body })).json<{ status: { token: string } }>()
    const { token } = status
    expect((await cluster.send('/version', { token })).status).toBe(200)
    await cluster.control('PUT', 'clock', { advance: '9m' })
    expect((await cluster.send('/version', { token })).status).toBe(200)
    await cluster.control('PUT', 'clock', { advance: '2m' })
    expect((await cluster.send('/version', { token })).status).toBe(401)
  })

  test('runs the work that is due: an owner that does not exist', async () => {
    const cluster = await makeCluster({ now: '2001-01-01T00:00:00Z' })
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: '11111111-1111-4111-8111-111111111111' }
    const body = { metadata: { name: 'owned', ownerReferences: [owner] } }
    expect((await cluster.send(configMaps, { method: 'POST', body })).status).toBe(201)
    await cluster.control('PUT', 'clock', { advance: '1m' })
    await expect.poll(async () => (await cluster.send(`${configMaps}/owned`)).status).toBe(404)
  })
})

describe('A seed', () => {
  test('determines uids, generated names and resourceVersions, whatever the name of the cluster is', async () => {
    const made = async (seed: number): Promise<readonly string[]> => {
      const cluster = await makeCluster({ seed })
      const secrets = '/api/v1/namespaces/default/secrets'
      const replies = [
        await cluster.send(secrets, { method: 'POST', body: { metadata: { name: 'a' } } }),
        await cluster.send(secrets, { method: 'POST', body: { metadata: { generateName: 'b-' } } }),
      ]
      return replies.flatMap((reply) => {
        const { name, uid, resourceVersion } = reply.json<Object>().metadata
        return [name, uid, resourceVersion]
      })
    }
    const first = await made(7)
    expect(await made(7)).toEqual(first)
    expect((await made(8))[1]).not.toBe(first[1])
    expect(new Set(first).size).toBe(6)
  })
})

describe('A fault', () => {
  const codes: readonly [code: number, reason: string][] = [
    [409, 'Conflict'],
    [500, 'InternalError'],
    [503, 'ServiceUnavailable'],
    [504, 'Timeout'],
  ]

  test.each(codes)('%i for the next two updates, then none', async (code, reason) => {
    const cluster = await makeCluster()
    await create(cluster, 'a')
    await cluster.control('POST', 'faults', { verb: 'update', resource: 'configmaps', name: 'a', code, times: 2 })
    const update = (): Promise<Reply> =>
      cluster.send(`${configMaps}/a`, { method: 'PUT', body: { metadata: { name: 'a' }, data: { x: '1' } } })
    const failed = await update()
    expect(failed.status).toBe(code)
    expect(failed.json()).toMatchObject({ kind: 'Status', reason })
    expect((await cluster.send(`${configMaps}/a`)).status).toBe(200)
    expect((await update()).status).toBe(code)
    expect((await update()).status).toBe(200)
    expect((await cluster.control('GET', 'faults')).json()).toEqual({ faults: [] })
  })

  test('429 has Retry-After', async () => {
    const cluster = await makeCluster()
    await cluster.control('POST', 'faults', { userAgent: 'busy', code: 429 })
    const reply = await create(cluster, 'a', { 'user-agent': 'a busy client' })
    expect([reply.status, reply.headers['retry-after']]).toEqual([429, '1'])
  })

  test('410 is the first event of a watch, and the status of a list', async () => {
    const cluster = await makeCluster()
    await cluster.control('POST', 'faults', { resource: 'configmaps', code: 410, times: 2 })
    const watch = await cluster.send(`${configMaps}?watch=true`)
    expect(watch.status).toBe(200)
    expect(watch.json()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })
    expect((await cluster.send(configMaps)).status).toBe(410)
    expect((await cluster.send(configMaps)).status).toBe(200)
  })

  test('a delay changes nothing else', async () => {
    const cluster = await makeCluster()
    await cluster.control('POST', 'faults', { verb: 'create', delay: 1 })
    expect((await create(cluster, 'a')).status).toBe(201)
    expect((await cluster.requests()).at(-1)?.fault).toBe(1)
  })

  test.each([{ code: 418 }, { delay: -1 }, {}, { colour: 'red', code: 500 }])('400 for the rule %j', async (rule) => {
    const cluster = await makeCluster()
    expect((await cluster.control('POST', 'faults', rule)).status).toBe(400)
  })
})

test.each([{ resource: 'configmaps' }, {}])('the watches of %j are closed', async (which) => {
  const cluster = await makeCluster()
  const watch = await server.open(`/clusters/${cluster.name}${configMaps}?watch=true`, { token: cluster.token })
  expect(watch.statusCode).toBe(200)
  expect((await cluster.control('DELETE', 'watches', which)).status).toBe(204)
  for await (const _ of watch);
})

test('recorded requests tell verb, name, user, user agent and code', async () => {
  const cluster = await makeCluster()
  await create(cluster, 'a', { 'user-agent': 'tester' })
  await create(cluster, 'a')
  const found = (await cluster.requests()).filter(({ verb }) => verb === 'create')
  expect(found.map(({ code }) => code)).toEqual([201, 409])
  expect(found[0]).toMatchObject({ resource: 'configmaps', userAgent: 'tester', user: 'admin' })
  expect((await cluster.control('DELETE', 'requests')).status).toBe(204)
  expect(await cluster.requests()).toEqual([])
})
