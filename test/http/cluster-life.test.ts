/** The life of a named cluster: its hosts, usage, limits and expiry, and the cluster that gets its name later. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestOptions } from '../client.ts'
import { configMaps } from '../paths.ts'
import { type ClusterServer, clustersPath, startClusterServer } from './cluster-server.ts'

const patient = { timeout: 25_000 }
let server: ClusterServer

beforeAll(async () => {
  server = await startClusterServer(['--cluster-domain', 'clusters.test', '--cluster-finalizer-seconds', '4'])
})

afterAll(() => server?.stop())

const configMap = (name: string, value = ''): object => ({ metadata: { name }, data: { value } })
const create = (cluster: string, token: string, name: string, value = '') =>
  server.inside(cluster, configMaps, { method: 'POST', body: configMap(name, value), token })

test('kubectl get shows URL, phase, usage, age and expiry', async () => {
  await server.make('columns', { expiry: '2h' })
  const table = await server.send(`${clustersPath}/columns`, {
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  })
  const { columnDefinitions, rows } = table.json<{
    columnDefinitions: { name: string; priority: number }[]
    rows: { cells: (string | number)[] }[]
  }>()
  const shown = columnDefinitions.filter(({ priority }) => priority === 0).map(({ name }) => name)
  expect(shown).toEqual(['Name', 'URL', 'Phase', 'Objects', 'Bytes', 'Age', 'Expires'])
  const [, url, phase, objects, bytes, , expires] = rows[0]?.cells ?? []
  expect([url, phase]).toEqual([`https://columns.clusters.test:${server.port}`, 'Ready'])
  expect(objects).toBeGreaterThan(50)
  expect(bytes).toBeGreaterThan(10_000)
  expect(Date.parse(String(expires)) - Date.now()).toBeGreaterThan(7_000_000)
})

describe('The host of a cluster', () => {
  let token = ''
  const at = (host: string, path: string, options: RequestOptions = {}) =>
    server.send(path, { token, ...options, headers: { host, ...options.headers } })

  beforeAll(async () => {
    token = await server.make('hosted')
  })

  test('serves the same cluster as its path', async () => {
    expect((await at('hosted.clusters.test', configMaps, { method: 'POST', body: configMap('a') })).status).toBe(201)
    expect((await server.inside('hosted', `${configMaps}/a`, { token })).status).toBe(200)
    expect((await at(`HOSTED.clusters.test:${server.port}`, `${configMaps}/a`)).status).toBe(200)
  })

  test('has documents with its own addresses', async () => {
    const { paths } = (await at('hosted.clusters.test', '/openapi/v3')).json<{
      paths: Record<string, { serverRelativeURL: string }>
    }>()
    const address = paths['api/v1']?.serverRelativeURL ?? ''
    expect(address).toMatch(/^\/openapi\/v3\/api\/v1/)
    expect((await at('hosted.clusters.test', address)).status).toBe(200)
    const issuer = (await at('hosted.clusters.test', '/.well-known/openid-configuration')).json<{ jwks_uri: string }>()
    expect(issuer.jwks_uri).toBe(`${server.url}/clusters/hosted/openid/v1/jwks`)
  })

  test('has no paths of other clusters [C20]', async () => {
    await server.make('neighbour')
    const { status, text } = await at('hosted.clusters.test', `/clusters/neighbour${configMaps}`)
    expect([status, text]).toEqual([404, expect.stringContaining('404')])
    expect((await at('neighbour.clusters.test', configMaps)).status).toBe(401)
    expect((await at('neighbour.clusters.test', `/clusters/hosted${configMaps}/a`)).status).toBe(401)
  })

  test('is not that of the deployment', async () => {
    expect((await at('clusters.test', configMaps)).status).toBe(401)
    expect((await at('clusters.test', configMaps, { token: server.token })).status).toBe(200)
    expect((await at('never.clusters.test', '/api')).status).toBe(401)
  })
})

describe('The limits of a cluster', () => {
  test('objects: further ones are forbidden, deletions make room, a higher limit is in force at once [C11]', async () => {
    const token = await server.make('few')
    // The objects of new namespaces are made after the answer.
    await expect
      .poll(async () => (await server.inside('few', '/api/v1/configmaps', { token })).text.match(/kube-root-ca/g)?.length)
      .toBeGreaterThan(3)
    expect((await server.patch('few', { limits: { objects: 1 } })).status).toBe(200)
    const { objects: used } = await server.status('few')
    const refused = await create('few', token, 'a')
    expect(refused.status).toBe(403)
    expect(refused.json()).toMatchObject({
      reason: 'Forbidden',
      message: expect.stringMatching(
        /^configmaps "a" is forbidden: exceeded quota: cluster, requested: objects=1, used: objects=\d+, limited: objects=1$/,
      ),
    })
    await server.patch('few', { limits: { objects: used + 2 } })
    const codes = await Promise.all(['a', 'b', 'c', 'd'].map(async (name) => (await create('few', token, name)).status))
    expect(codes.toSorted()).toEqual([201, 201, 403, 403])
    const { items } = (await server.inside('few', configMaps, { token })).json<{ items: { metadata: { name: string } }[] }>()
    const [own = ''] = items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt')
    expect((await server.inside('few', `${configMaps}/${own}`, { method: 'DELETE', token })).status).toBe(200)
    expect((await create('few', token, 'e')).status).toBe(201)
    expect((await create('few', token, 'f')).status).toBe(403)
  })

  test('bytes: growing writes are forbidden, others are not [C11]', async () => {
    const token = await server.make('small')
    expect((await create('small', token, 'a', 'x'.repeat(1000))).status).toBe(201)
    const { bytes } = await server.status('small')
    await server.patch('small', { limits: { bytes: bytes + 400_000 } })
    expect((await create('small', token, 'b', 'x'.repeat(1_000_000))).text).toMatch(
      /exceeded quota: cluster, requested: bytes=\d+, used: bytes=\d+, limited: bytes=\d+/,
    )
    await server.patch('small', { limits: { bytes: 1 } })
    const put = (value: string) =>
      server.inside('small', `${configMaps}/a`, { method: 'PUT', body: configMap('a', value), token })
    expect((await put('x'.repeat(2000))).status).toBe(403)
    expect((await put('x')).status).toBe(200)
  })

  test('watches: a further one is refused with 429, until another one ends [C13]', async () => {
    const token = await server.make('watched', { limits: { watches: 2 } })
    const watch = `/clusters/watched${configMaps}?watch=true`
    const open = [await server.open(`${watch}&timeoutSeconds=2`, { token }), await server.open(watch, { token })]
    const refused = await server.send(watch, { token })
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
    for await (const _ of open[0] ?? []);
    const further = await server.open(watch, { token })
    expect(further.statusCode).toBe(200)
    for (const response of [open[1], further]) response?.destroy()
  })

  test('requests: more than the rate are refused with 429, those of strangers do not count [C14]', async () => {
    const token = await server.make('slow', { limits: { requestsPerSecond: 1 } })
    await Promise.all(Array.from({ length: 10 }, () => server.inside('slow', '/version', { token: false })))
    const replies = await Promise.all(Array.from({ length: 8 }, () => server.inside('slow', '/version', { token })))
    expect(replies[0]?.status).toBe(200)
    const refused = replies.find(({ status }) => status === 429)
    expect(refused?.headers['retry-after']).toBe('1')
    await server.patch('slow', { limits: null })
    await expect
      .poll(async () => {
        const codes = await Promise.all(Array.from({ length: 8 }, () => server.inside('slow', '/version', { token })))
        return codes.every(({ status }) => status === 200)
      }, patient)
      .toBe(true)
  })

  test('requests: those count that strangers may make, and those of impersonated strangers [C14]', async () => {
    const token = await server.make('open', { limits: { requestsPerSecond: 2 } })
    const burst = async (options: RequestOptions): Promise<number[]> => {
      const ask = () => server.inside('open', configMaps, options)
      return (await Promise.all(Array.from({ length: 12 }, ask))).map(({ status }) => status)
    }
    expect(new Set(await burst({ token: false }))).toEqual(new Set([403]))
    // Refused requests have not used up the rate.
    const bound = await server.inside('open', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      method: 'POST',
      token,
      body: {
        metadata: { name: 'everybody' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:unauthenticated' }],
      },
    })
    expect(bound.status).toBe(201)
    await expect.poll(async () => await burst({ token: false }), patient).toContain(429)
    const impersonated = { 'impersonate-user': 'system:anonymous' }
    expect(await burst({ token, headers: impersonated })).toContain(429)
  })

  test('objects: what controllers create counts, too, and is created when there is room', async () => {
    const token = await server.make('full')
    const account = '/api/v1/namespaces/crowded/serviceaccounts/default'
    await server.patch('full', { limits: { objects: 1 } })
    const { objects } = await server.status('full')
    await server.patch('full', { limits: { objects: objects + 2 } })
    const namespace = { method: 'POST', body: { metadata: { name: 'crowded' } }, token }
    expect((await server.inside('full', '/api/v1/namespaces', namespace)).status).toBe(201)
    const certificate = '/api/v1/namespaces/crowded/configmaps/kube-root-ca.crt'
    const both = () =>
      Promise.all([account, certificate].map(async (path) => (await server.inside('full', path, { token })).status))
    await expect.poll(async () => (await both()).toSorted(), patient).toEqual([200, 404])
    const limit = objects + 2
    expect((await create('full', token, 'a')).text).toContain(`used: objects=${limit}, limited: objects=${limit}`)
    await server.patch('full', { limits: null })
    await expect.poll(both, patient).toEqual([200, 200])
  })

  test('are enforced in all objects of a cluster that has one for each collection, after the last report [C12]', async () => {
    const token = await server.make('spread', { placement: 'collections' })
    const secrets = '/api/v1/namespaces/default/secrets'
    const make = (name: string) => server.inside('spread', secrets, { method: 'POST', body: { metadata: { name } }, token })
    expect((await create('spread', token, 'a')).status).toBe(201)
    const before = await server.status('spread')
    await server.patch('spread', { limits: { objects: 1 } })
    let made = 0
    await expect.poll(async () => (await make(`a-${made++}`)).status, patient).toBe(403)
    await expect.poll(async () => (await server.status('spread')).objects, patient).toBeGreaterThan(before.objects)
  })

  test.each([
    [{ expiry: 'soon' }, 'spec.expiry'],
    [{ expiry: '2027-13-01T00:00:00Z' }, 'spec.expiry'],
    [{ expiry: '-1h' }, 'spec.expiry'],
    [{ limits: { objects: 0 } }, 'spec.limits.objects'],
    [{ location: 'moon' }, 'spec.location'],
  ])('%j is invalid', async (spec, field) => {
    const { status, text } = await server.create('invalid', spec)
    expect(status, text).toBe(422)
    expect(text).toContain(field)
  })
})

test('usage in the status follows writes [C12]', async () => {
  const token = await server.make('used')
  const { objects } = await server.status('used')
  for (const name of ['a', 'b', 'c']) await create('used', token, name)
  await expect.poll(async () => (await server.status('used')).objects, patient).toBeGreaterThanOrEqual(objects + 3)
})

test('the jurisdiction is one of Cloudflare’s, and stays [C3]', async () => {
  expect((await server.create('nowhere', { jurisdiction: 'moon' })).status).toBe(422)
  const token = await server.make('european', { jurisdiction: 'eu' })
  expect(await server.status('european')).toMatchObject({ phase: 'Ready', jurisdiction: 'eu' })
  expect((await create('european', token, 'a')).status).toBe(201)
  const moved = await server.patch('european', { jurisdiction: 'us' })
  expect(moved.status).toBe(422)
  expect(moved.text).toContain('the jurisdiction of a cluster cannot be changed')
  await server.remove('european')
})

test('a cluster is deleted when its time is over, and finalizers keep only its object, for a grace [C10]', async () => {
  const token = await server.make('brief', { expiry: '3s' })
  expect((await server.status('brief')).expiresAt).toBeDefined()
  expect((await server.inside('brief', configMaps, { token })).status).toBe(200)
  const kept = await server.make('kept', { expiry: '3s' })
  const change = (body: object) =>
    server.send(`${clustersPath}/kept`, { method: 'PATCH', body, headers: { 'content-type': 'application/merge-patch+json' } })
  expect((await change({ metadata: { finalizers: ['example.com/stay'] } })).status).toBe(200)
  await expect.poll(async () => (await server.send(`${clustersPath}/brief`)).status, patient).toBe(404)
  await expect.poll(async () => (await server.inside('brief', configMaps, { token })).status, patient).not.toBe(200)

  await expect.poll(async () => await server.status('kept'), patient).toMatchObject({ phase: 'Expired', objects: 0, bytes: 0 })
  expect((await server.inside('kept', configMaps, { token: kept })).status).toBe(404)
  expect((await change({ spec: { expiry: '9h' } })).status).toBe(200)
  expect(await server.status('kept')).toMatchObject({ phase: 'Expired', objects: 0 })
  expect((await server.inside('kept', configMaps, { token: kept })).status).toBe(404)
  await expect.poll(async () => (await server.send(`${clustersPath}/kept`)).status, patient).toBe(404)
})

describe.each(['one-object', 'collections'])('A later cluster with the same name (%s)', (placement) => {
  test('is at once open for its own token, and never for the one of the earlier [C7]', async () => {
    const name = `again-${placement}`
    let former = await server.make(name, { placement })
    for (let round = 0; round < 3; round++) {
      // The Worker knows the token and the rules of the earlier cluster.
      expect((await create(name, former, 'needle')).status).toBe(201)
      expect((await server.inside(name, configMaps, { token: former })).status).toBe(200)
      await server.remove(name)
      const token = await server.make(name, { placement })
      const replies = await Promise.all([
        server.inside(name, configMaps, { token: former }),
        create(name, former, 'intruder'),
        create(name, token, 'own'),
        server.inside(name, `${configMaps}/needle`, { token: former }),
        server.inside(name, '/edgeplane/v1/backup', { token: former }),
      ])
      expect(replies.map(({ status }) => status)).toEqual([401, expect.toBeOneOf([401, 503]), 201, 401, 401])
      const { text } = await server.inside(name, configMaps, { token })
      expect(text).not.toContain('needle')
      expect(text).not.toContain('intruder')
      former = token
    }
  })
})
