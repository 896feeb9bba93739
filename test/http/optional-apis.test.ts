/** APIs that are served only if they are switched on: StorageVersionMigrations, PodGroups, ClusterTrustBundles. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { startServer, type TestServer } from '../server.ts'

const settings = ['--runtime-config', 'api/all=true', '--feature-gates', 'AllAlpha=true,AllBeta=true']
const migrations = '/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const lamps = '/apis/example.com/v1/namespaces/default/lamps'
/** More than one page. */
const count = 120

let server: TestServer
let authority: string

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

interface WithStatus {
  readonly metadata: { readonly resourceVersion: string }
  readonly status: { readonly conditions?: readonly Condition[]; readonly storedVersions?: readonly string[] }
}

/** Asks for an object until it has a condition. */
const settled = (collection: string, name: string, isThere: (object: WithStatus) => boolean): Promise<WithStatus> =>
  eventually(async () => (await server.send(`${collection}/${name}`)).json<WithStatus>(), isThere, 60_000)

const has =
  (type: string, status: string) =>
  ({ status: { conditions = [] } }: WithStatus): boolean =>
    conditions.some((condition) => condition.type === type && condition.status === status)

const versionOf = (name: string, storage: string) => ({
  name,
  served: true,
  storage: name === storage,
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
})

const migrate = (name: string, group: string, resource: string) =>
  server.send(migrations, { method: 'POST', body: { metadata: { name }, spec: { resource: { group, resource } } } })

async function store(storage: string): Promise<void> {
  const headers = { 'content-type': 'application/merge-patch+json' }
  const body = { spec: { versions: [versionOf('v1', storage), versionOf('v2', storage)] } }
  expect((await server.send(`${definitions}/lamps.example.com`, { method: 'PATCH', headers, body })).status).toBe(200)
}

const versions = async (): Promise<Map<string, string>> => {
  const { items } = (await server.send(lamps)).json<{ items: { metadata: { name: string; resourceVersion: string } }[] }>()
  return new Map(items.map(({ metadata: { name, resourceVersion } }) => [name, resourceVersion]))
}

beforeAll(async () => {
  server = await startServer({ args: settings })
  authority = readFileSync(join(server.dataDirectory, 'tls/ca.crt'), 'utf8')
  const names = { plural: 'lamps', singular: 'lamp', kind: 'Lamp', listKind: 'LampList' }
  const spec = { group: 'example.com', scope: 'Namespaced', names, versions: [versionOf('v1', 'v1'), versionOf('v2', 'v1')] }
  await server.send(definitions, { method: 'POST', body: { metadata: { name: 'lamps.example.com' }, spec } })
  await settled(definitions, 'lamps.example.com', has('Established', 'True'))
  const bodies = Array.from({ length: count }, (_, index) => ({
    apiVersion: 'example.com/v1',
    kind: 'Lamp',
    metadata: { name: `lamp-${index}` },
    watts: index,
  }))
  await Promise.all(bodies.map((body) => server.send(lamps, { method: 'POST', body })))
}, 60_000)

afterAll(() => server?.stop())

test('a migration rewrites every object once, and goes on after a crash', { timeout: 90_000 }, async () => {
  const before = await versions()
  expect(before.size).toBe(count)
  await store('v2')
  await server.send(`${lamps}/lamp-7`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { watts: 700 },
  })
  const written = (await versions()).get('lamp-7')
  expect((await migrate('first', 'example.com', 'lamps')).status).toBe(201)
  const { dataDirectory, port } = server
  await server.kill()
  server = await startServer({ dataDirectory, port, args: settings })
  const done = await settled(migrations, 'first', has('Running', 'False'))
  expect(done.status.conditions?.map(({ type, status, reason }) => [type, status, reason])).toEqual([
    ['Running', 'False', 'MigrationCompleted'],
    ['Succeeded', 'True', 'StorageVersionMigrationSucceeded'],
  ])
  const definition = (await server.send(`${definitions}/lamps.example.com`)).json() as unknown as WithStatus
  expect(definition.status.storedVersions).toEqual(['v2'])
  expect(has('StorageMigrating', 'False')(definition)).toBe(true)
  const after = await versions()
  // An object in the storage version is not written again.
  expect(after.get('lamp-7')).toBe(written)
  expect([...after].filter(([name, version]) => before.get(name) === version)).toEqual([])
  await migrate('second', 'example.com', 'lamps')
  await settled(migrations, 'second', has('Succeeded', 'True'))
  expect(await versions()).toEqual(after)
})

test('migrations of a resource run one after the other, oldest first', { timeout: 90_000 }, async () => {
  await store('v1')
  await migrate('a', 'example.com', 'lamps')
  await migrate('b', 'example.com', 'lamps')
  const [a, b] = await Promise.all(['a', 'b'].map((name) => settled(migrations, name, has('Running', 'False'))))
  expect(BigInt(a?.metadata.resourceVersion ?? 0)).toBeLessThan(BigInt(b?.metadata.resourceVersion ?? 0))
})

test('built-in kinds are stored in one version, and a Table shows the status', { timeout: 90_000 }, async () => {
  await migrate('deployments', 'apps', 'deployments')
  await settled(migrations, 'deployments', has('Succeeded', 'True'))
  const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1'
  const table = (await server.send(`${migrations}/deployments`, { headers: { accept } })).json<{
    rows: { cells: unknown[] }[]
  }>()
  expect(table.rows[0]?.cells).toEqual(['deployments', 'deployments.apps', 'Succeeded'])
})

test('a PodGroup is protected and has the priority of its class', async () => {
  const path = '/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups'
  const group = (name: string, spec: object) => ({ metadata: { name }, spec: { schedulingPolicy: { basic: {} }, ...spec } })
  const high = { metadata: { name: 'high' }, value: 7 }
  await server.send('/apis/scheduling.k8s.io/v1/priorityclasses', { method: 'POST', body: high })
  const made = await server.send(path, {
    method: 'POST',
    body: group('a', { priorityClassName: 'high', schedulingConstraints: { topology: [{ key: 'zone' }] } }),
  })
  expect(made.json()).toMatchObject({
    metadata: { finalizers: ['scheduling.k8s.io/podgroup-protection'] },
    spec: { priority: 7, disruptionMode: 'Pod', schedulingConstraints: { topology: [{ key: 'zone' }] } },
  })
  const refused = await server.send(path, { method: 'POST', body: group('b', { priorityClassName: 'unknown' }) })
  expect(refused.status).toBe(403)
  expect(refused.text).toContain('no PriorityClass with name unknown was found')
})

test('a ClusterTrustBundle of a signer needs the permission to attest', async () => {
  const rules = [{ apiGroups: ['certificates.k8s.io'], resources: ['clustertrustbundles'], verbs: ['*'] }]
  const name = 'trust'
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  await server.send('/api/v1/namespaces/default/serviceaccounts', { method: 'POST', body: { metadata: { name } } })
  await server.send(`${rbac}/clusterroles`, { method: 'POST', body: { metadata: { name }, rules } })
  const subjects = [{ kind: 'ServiceAccount', name, namespace: 'default' }]
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name }
  await server.send(`${rbac}/clusterrolebindings`, { method: 'POST', body: { metadata: { name }, subjects, roleRef } })
  const account = `/api/v1/namespaces/default/serviceaccounts/${name}/token`
  const token = (await server.send(account, { method: 'POST', body: {} })).json<{ status: { token: string } }>().status.token
  const bundle = { metadata: { name: 'example.com:foo:a' }, spec: { signerName: 'example.com/foo', trustBundle: authority } }
  const path = '/apis/certificates.k8s.io/v1beta1/clustertrustbundles'
  const refused = await server.send(path, { method: 'POST', body: bundle, token })
  expect(refused.text).toContain('user not permitted to attest for signerName \\"example.com/foo\\"')
  expect(refused.status).toBe(403)
  const made = await server.send(path, { method: 'POST', body: bundle })
  expect(made.status).toBe(201)
  const selected = await server.send(`${path}?fieldSelector=spec.signerName=example.com/foo`)
  expect(selected.json<{ items: unknown[] }>().items).toHaveLength(1)
})
