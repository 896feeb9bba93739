/** Forks of clusters, over both placements. */
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import {
  createCluster,
  deleteCluster,
  enableClusters,
  type Listed,
  makeCluster,
  openCluster,
  type TestCluster,
} from '../forks.ts'
import { startServer, type TestServer } from '../server.ts'

const inDefault = '/api/v1/namespaces/default'
const configMaps = `${inDefault}/configmaps`
const secrets = `${inDefault}/secrets`
const services = `${inDefault}/services`
const replicaSets = '/apis/apps/v1/namespaces/default/replicasets'
const lamps = '/apis/example.com/v1/namespaces/default/lamps'
const merge = { 'content-type': 'application/merge-patch+json' }

let server: TestServer

beforeAll(async () => {
  server = await startServer()
  await enableClusters(server)
})

afterAll(() => server?.stop())

async function create(
  cluster: TestCluster,
  path: string,
  body: object,
): Promise<{ metadata: { uid: string; resourceVersion: string } }> {
  const reply = await cluster.send(path, { method: 'POST', body })
  expect(reply.status, reply.text).toBe(201)
  return reply.json()
}

const names = ({ items }: Listed): string[] => items.map(({ metadata }) => metadata.name)

const definition = {
  metadata: { name: 'lamps.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'lamps', singular: 'lamp', kind: 'Lamp', listKind: 'LampList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { watts: { type: 'integer', default: 5 } } } },
      },
    ],
  },
}

const replicaSet = (name: string): object => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
  },
})

const ownedBy = (owner: string, uid: string, name: string): object => ({
  metadata: { name, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid }] },
})

describe.each(['one-object', 'collections'])('A fork of a cluster with the placement %s', (placement) => {
  let parent: TestCluster
  let fork: TestCluster
  let owner: { metadata: { uid: string } }
  const of = (name: string): string => `${name}-${placement}`

  beforeAll(async () => {
    parent = await makeCluster(server, of('parent'), { placement })
    await create(parent, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
    for (const name of ['a', 'b', 'c']) await create(parent, configMaps, { metadata: { name }, data: { of: 'parent' } })
    await create(parent, services, { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } })
    await create(parent, lamps, { apiVersion: 'example.com/v1', kind: 'Lamp', metadata: { name: 'desk' } })
    for (const kept of ['orphaned', 'collected']) {
      owner = await create(parent, replicaSets, replicaSet(kept))
      await create(parent, secrets, ownedBy(kept, owner.metadata.uid, `of-${kept}`))
    }
    await create(parent, secrets, {
      metadata: { name: 'token', annotations: { 'kubernetes.io/service-account.name': 'default' } },
      type: 'kubernetes.io/service-account-token',
    })
    await eventually(
      async () => (await parent.send(`${secrets}/token`)).json<{ data?: { token?: string } }>(),
      ({ data }) => data?.token !== undefined,
    )
    await create(parent, '/api/v1/namespaces/kube-system/secrets', {
      metadata: { name: 'bootstrap-token-abcdef' },
      type: 'bootstrap.kubernetes.io/token',
      stringData: { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' },
    })
    fork = await makeCluster(server, of('fork'), { forkedFrom: { name: parent.name } })
  })

  test('has the objects of its parent, with their uids and versions, whether they are read alone or in a list [F1]', async () => {
    const alone = (await fork.send(`${configMaps}/b`)).json<Listed['items'][number]>()
    expect(alone).toEqual((await parent.send(`${configMaps}/b`)).json())
    const [ofFork, ofParent] = [await fork.list(configMaps), await parent.list(configMaps)]
    expect(ofFork.items).toEqual(ofParent.items)
    expect(Number(ofFork.metadata.resourceVersion)).toBeGreaterThanOrEqual(
      Number(ofParent.items.at(-1)?.metadata.resourceVersion),
    )
    expect((await fork.list(lamps)).items).toEqual((await parent.list(lamps)).items)
    expect((await fork.send(`${configMaps}/missing`)).status).toBe(404)
  })

  test('goes its own way, above the versions of its parent, whose informers notice nothing [F2]', async () => {
    const { metadata } = await parent.list(configMaps)
    const watch = await server.open(`${parent.path}${configMaps}?watch=1&resourceVersion=${metadata.resourceVersion}`, {
      token: parent.token,
    })
    const events: string[] = []
    watch.on('data', (chunk: Buffer) =>
      events.push(
        ...chunk
          .toString()
          .split('\n')
          .filter((line) => line.trim() !== ''),
      ),
    )
    const second = await makeCluster(server, of('second'), { forkedFrom: { name: parent.name } })
    const made = await create(second, configMaps, { metadata: { name: 'of-fork' } })
    expect(Number(made.metadata.resourceVersion)).toBeGreaterThan(Number(metadata.resourceVersion))
    expect((await second.send(`${configMaps}/a`, { method: 'DELETE' })).status).toBe(200)
    await create(parent, configMaps, { metadata: { name: 'of-parent' } })
    if (events.length === 0) await once(watch, 'data')
    expect(events.map((line) => (JSON.parse(line) as { object: { metadata: { name: string } } }).object.metadata.name)).toEqual([
      'of-parent',
    ])
    watch.destroy()
    expect(names(await second.list(configMaps))).toEqual(['b', 'c', 'kube-root-ca.crt', 'of-fork'])
    expect(names(await parent.list(configMaps))).toEqual(['a', 'b', 'c', 'kube-root-ca.crt', 'of-parent'])
    await deleteCluster(server, second.name)
    const later = await makeCluster(server, second.name, { placement })
    expect(names(await later.list(configMaps))).toEqual(['kube-root-ca.crt'])
    await deleteCluster(server, later.name)
  })

  test('lets a client watch from the version of its list', async () => {
    const { metadata } = await fork.list(configMaps)
    await create(fork, configMaps, { metadata: { name: 'seen' } })
    const watch = await fork.send(`${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=${metadata.resourceVersion}`)
    const types = watch.text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line) as { type: string })
    expect(types.map(({ type }) => type)).toEqual(['ADDED'])
  })

  test('shares no credential with its parent [F15]', async () => {
    const [ofFork, ofParent] = await Promise.all(
      [fork, parent].map(async (cluster) => {
        const { data } = await eventually(
          async () => (await cluster.send(`${secrets}/token`)).json<{ data?: { token?: string } }>(),
          (secret) => secret.data?.token !== undefined,
        )
        return Buffer.from(data?.token ?? '', 'base64').toString()
      }),
    )
    const statuses = async (token = ''): Promise<number[]> =>
      Promise.all([fork, parent].map(async (cluster) => (await cluster.send('/api', { token })).status))
    expect(await statuses(fork.token)).toEqual([200, 401])
    expect(await statuses(parent.token)).toEqual([401, 200])
    expect(await statuses(ofFork)).toEqual([200, 401])
    expect(await statuses(ofParent)).toEqual([401, 200])
    expect(await statuses('abcdef.0123456789abcdef')).toEqual([401, 200])
  })

  test('has controllers of its own: addresses of Services, orphans, garbage, namespaces [F17]', async () => {
    const addresses = new Set<string>()
    await create(fork, services, { metadata: { name: 'other' }, spec: { ports: [{ port: 80 }] } })
    for (const { spec } of (await fork.send(services)).json<{ items: { spec: { clusterIP: string } }[] }>().items)
      addresses.add(spec.clusterIP)
    expect(addresses.size).toBe(3)
    const options = { propagationPolicy: 'Orphan' }
    expect((await fork.send(`${replicaSets}/orphaned`, { method: 'DELETE', body: options })).status).toBe(200)
    await eventually(
      async () => (await fork.send(`${secrets}/of-orphaned`)).json<{ metadata?: { ownerReferences?: object } }>(),
      ({ metadata }) => metadata !== undefined && metadata.ownerReferences === undefined,
    )
    expect((await fork.send(`${replicaSets}/collected`, { method: 'DELETE' })).status).toBe(200)
    await eventually(
      async () => (await fork.send(`${secrets}/of-collected`)).status,
      (status) => status === 404,
    )
    expect((await parent.send(`${secrets}/of-collected`)).status).toBe(200)
    expect((await fork.send(`${secrets}/of-orphaned`)).status).toBe(200)
  })

  test('deletes what its parent had in a namespace [F17]', async () => {
    await create(parent, '/api/v1/namespaces', { metadata: { name: 'shop' } })
    await create(parent, '/api/v1/namespaces/shop/configmaps', { metadata: { name: 'in-shop' } })
    const other = await makeCluster(server, of('shop'), { forkedFrom: { name: parent.name } })
    expect((await other.send('/api/v1/namespaces/shop', { method: 'DELETE' })).status).toBe(200)
    await eventually(
      async () => (await other.send('/api/v1/namespaces/shop')).status,
      (status) => status === 404,
    )
    expect(names(await other.list('/api/v1/configmaps'))).not.toContain('in-shop')
    expect(names(await parent.list('/api/v1/configmaps'))).toContain('in-shop')
    await deleteCluster(server, other.name)
  })

  test('keeps to the quotas of its parent [F17]', async () => {
    await create(parent, '/api/v1/namespaces', { metadata: { name: 'small' } })
    for (const name of ['one', 'two']) await create(parent, '/api/v1/namespaces/small/secrets', { metadata: { name } })
    await create(parent, '/api/v1/namespaces/small/resourcequotas', {
      metadata: { name: 'most' },
      spec: { hard: { secrets: '3' } },
    })
    const limited = await makeCluster(server, of('small'), { forkedFrom: { name: parent.name } })
    await create(limited, '/api/v1/namespaces/small/secrets', { metadata: { name: 'three' } })
    const refused = await limited.send('/api/v1/namespaces/small/secrets', {
      method: 'POST',
      body: { metadata: { name: 'four' } },
    })
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('exceeded quota: most')
    await deleteCluster(server, limited.name)
  })

  test('may have been deleted from, changed and forked itself; its parent may go first [F14]', async () => {
    const first = await makeCluster(server, of('first'), { forkedFrom: { name: parent.name } })
    await create(first, configMaps, { metadata: { name: 'of-first' } })
    const second = await makeCluster(server, of('of-first'), { forkedFrom: { name: first.name } })
    await deleteCluster(server, first.name)
    expect(names(await second.list(configMaps))).toContain('of-first')
    expect(names(await second.list(services))).toContain('web')
    expect((await second.list(lamps)).items).toHaveLength(1)
    expect((await server.send(`/clusters/${first.name}/api`, { token: first.token })).status).toBe(404)
    await deleteCluster(server, second.name)
  })

  test('is of an earlier moment if it is asked for [F1]', async () => {
    await create(parent, configMaps, { metadata: { name: 'deleted' } })
    const time = new Date().toISOString()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await parent.send(`${configMaps}/deleted`, { method: 'DELETE' })).status).toBe(200)
    const status = await createCluster(server, of('earlier'), { forkedFrom: { name: parent.name, time } })
    expect(status).toMatchObject({ phase: 'Ready', placement, forkedFrom: { name: parent.name, time } })
    const earlier = await openCluster(server, of('earlier'))
    expect(names(await earlier.list(configMaps))).toContain('deleted')
    await deleteCluster(server, earlier.name)
  })

  test('compiles policies of its own: the parent and the fork change the same one', async () => {
    const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
    const rule = (expression: string): object => ({
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      },
      validations: [{ expression }],
    })
    await create(parent, policies, { metadata: { name: 'p' }, spec: rule('true') })
    await create(parent, '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', {
      metadata: { name: 'p' },
      spec: { policyName: 'p', validationActions: ['Deny'] },
    })
    const strict = await makeCluster(server, of('strict'), { forkedFrom: { name: parent.name } })
    const change = (cluster: TestCluster, expression: string) =>
      cluster.send(`${policies}/p`, { method: 'PATCH', headers: merge, body: { spec: { validations: [{ expression }] } } })
    const [lax, forbidding] = [await change(parent, "object.metadata.name != 'x'"), await change(strict, 'false')]
    expect([lax.status, forbidding.status]).toEqual([200, 200])
    await eventually(
      async () => (await strict.send(`${configMaps}?dryRun=All`, { method: 'POST', body: { metadata: { name: 'y' } } })).status,
      (status) => status === 422,
    )
    expect((await parent.send(`${configMaps}?dryRun=All`, { method: 'POST', body: { metadata: { name: 'y' } } })).status).toBe(
      201,
    )
    await deleteCluster(server, strict.name)
    expect((await parent.send(`${policies}/p`, { method: 'DELETE' })).status).toBe(200)
  })
})

test.each([
  ['of a cluster that does not exist', { name: 'nobody' }, 'clusters.edgeplane.dev "nobody" not found'],
  [
    'before the history',
    { name: 'default', time: '2020-01-01T00:00:00Z' },
    'the history of the cluster does not reach the time of the fork',
  ],
  ['of the future', { name: 'default', time: '2100-01-01T00:00:00Z' }, 'the time of a fork must not be in the future'],
  ['of itself', { name: 'fork-0' }, 'a fork needs the name of another cluster'],
])('a fork %s fails [F3]', async (_, forkedFrom, message) => {
  expect(await createCluster(server, 'fork-0', { forkedFrom })).toMatchObject({ phase: 'Failed', message })
  await deleteCluster(server, 'fork-0')
})

test('a fork has the placement of its parent [F4]', async () => {
  await makeCluster(server, 'whole', { placement: 'one-object' })
  const status = await createCluster(server, 'parts', { placement: 'collections', forkedFrom: { name: 'whole' } })
  const message = 'a fork has the placement of its parent, one-object: the resourceVersions of its objects depend on it'
  expect(status).toMatchObject({ phase: 'Failed', message })
  await deleteCluster(server, 'parts')
  await deleteCluster(server, 'whole')
})

test('a fork has the jurisdiction of its parent [F4]', async () => {
  await makeCluster(server, 'within', { jurisdiction: 'eu' })
  const forkedFrom = { name: 'within' }
  const inherited = await createCluster(server, 'inherited', { forkedFrom })
  expect(inherited).toMatchObject({ phase: 'Ready', jurisdiction: 'eu' })
  const moved = await createCluster(server, 'moved', { forkedFrom, jurisdiction: 'us' })
  const message = 'a fork has the jurisdiction of its parent, eu: its objects do not leave it'
  expect(moved).toMatchObject({ phase: 'Failed', message })
  for (const name of ['moved', 'inherited', 'within']) await deleteCluster(server, name)
})

test('who may make clusters needs the verb fork on the parent besides [F5]', async () => {
  const rules = (verb: string) => ({ apiGroups: ['edgeplane.dev'], resources: ['clusters'], verbs: [verb] })
  const bind = async (name: string, verb: string): Promise<void> => {
    const roles = '/apis/rbac.authorization.k8s.io/v1'
    await server.send(`${roles}/clusterroles`, { method: 'POST', body: { metadata: { name }, rules: [rules(verb)] } })
    await server.send(`${roles}/clusterrolebindings`, {
      method: 'POST',
      body: {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ kind: 'User', name: 'maker' }],
      },
    })
  }
  await bind('makes-clusters', 'create')
  const make = () =>
    server.send('/apis/edgeplane.dev/v1/clusters?dryRun=All', {
      method: 'POST',
      headers: { 'impersonate-user': 'maker' },
      body: {
        apiVersion: 'edgeplane.dev/v1',
        kind: 'Cluster',
        metadata: { name: 'copy' },
        spec: { forkedFrom: { name: 'default' } },
      },
    })
  const refused = await make()
  expect(refused.status).toBe(403)
  expect(refused.text).toContain('may not fork the cluster default')
  await bind('forks-clusters', 'fork')
  await eventually(
    async () => (await make()).status,
    (status) => status === 201,
  )
})

describe('The limits of a fork', () => {
  test('count what it copies: one that is too small for its parent is refused [F16]', async () => {
    const parent = await makeCluster(server, 'large')
    const forkedFrom = { name: parent.name }
    const small = await createCluster(server, 'small', { forkedFrom, limits: { objects: 10 } })
    expect(small).toMatchObject({ phase: 'Failed', message: expect.stringMatching(/^the parent has \d+ objects at the moment/) })
    for (const name of ['small', parent.name]) await deleteCluster(server, name)
  })

  test.each(['one-object', 'collections'])('hold while collections are copied (%s) [F6, F16]', async (placement) => {
    const parent = await makeCluster(server, `full-${placement}`, { placement })
    for (let i = 0; i < 5; i++) await create(parent, configMaps, { metadata: { name: `c-${i}` } })
    const name = `tight-${placement}`
    const fork = await makeCluster(server, name, { forkedFrom: { name: parent.name } })
    const path = `/apis/edgeplane.dev/v1/clusters/${name}`
    const limit = (objects: number | null) =>
      server.send(path, { method: 'PATCH', body: { spec: { limits: objects === null ? null : { objects } } }, headers: merge })
    await limit(1)
    const refused = await fork.send(configMaps)
    expect([refused.status, refused.json()]).toMatchObject([
      403,
      {
        message: expect.stringMatching(
          /^configmaps is forbidden: exceeded quota: cluster, requested: objects=\d+, used: objects=\d+/,
        ),
      },
    ])
    // A single object is still read from the parent.
    expect((await fork.send(`${configMaps}/c-0`)).status).toBe(200)
    await limit(null)
    const copied = async () => (await server.send(path)).json<{ status: { objects: number } }>().status.objects
    const before = await copied()
    const listed = await eventually(
      () => fork.send(configMaps),
      ({ status }) => status === 200,
    )
    expect(names(listed.json<Listed>())).toContain('c-4')
    // The copied objects are in the usage, although nothing has been written.
    if (placement === 'collections') await eventually(copied, (count) => count >= before + 5)
    for (const cluster of [name, parent.name]) await deleteCluster(server, cluster)
  })
})
