/** Backup and restore by the commands: the same cluster, versions that never go back, kill -9 in between. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startServer, type TestServer } from '../server.ts'

const program = resolve(import.meta.dirname, '../../bin/edgeplane.mjs')
let folder: string
let file: string
const servers: TestServer[] = []
/** The server of the tests that leave a working one. */
let shared: TestServer

beforeAll(async () => {
  shared = await startServer()
}, 180_000)

afterAll(() => shared.stop())

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'edgeplane-test-'))
  file = join(folder, 'backup.ndjson')
})

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Starts a server of a deployment of its own, or of that of another server, whose admin token it gets. */
async function start(deployment?: TestServer): Promise<TestServer> {
  const directory = mkdtempSync(join(tmpdir(), 'edgeplane-test-'))
  if (deployment !== undefined) writeFileSync(join(directory, 'admin-token'), deployment.token, { mode: 0o600 })
  const server = await startServer({ dataDirectory: directory })
  servers.push(server)
  return server
}

interface Result {
  readonly code: number
  readonly output: string
}

async function edgeplane(server: TestServer, ...args: string[]): Promise<Result> {
  const child = spawn(process.execPath, [program, ...args, '--kubeconfig', server.kubeconfig], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: code as number, output: stdout + stderr }
}

interface Item {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string }
}
interface List {
  readonly metadata: { readonly resourceVersion: string }
  readonly items: readonly Item[]
}

const configMaps = '/api/v1/namespaces/shop/configmaps'
const lamps = '/apis/example.com/v1/namespaces/shop/lamps'
const create = (server: TestServer, path: string, body: object) => server.send(path, { method: 'POST', body })
const list = async (server: TestServer, path: string): Promise<List> => (await server.send(path)).json<List>()

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
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
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

/** Fills a server with a namespace, objects, a definition and its object, and a token. Returns the token. */
async function fill(server: TestServer): Promise<string> {
  await create(server, '/api/v1/namespaces', { metadata: { name: 'shop' } })
  for (let i = 0; i < 5; i++) {
    // A line separator of Unicode ends no line of the backup.
    await create(server, configMaps, { metadata: { name: `settings-${i}` }, data: { text: `äö\u2028${'x'.repeat(300_000)}` } })
  }
  await create(server, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
  await create(server, lamps, { apiVersion: 'example.com/v1', kind: 'Lamp', metadata: { name: 'desk' }, spec: { watts: 5 } })
  await create(server, '/api/v1/namespaces/shop/serviceaccounts', { metadata: { name: 'bot' } })
  const made = await create(server, '/api/v1/namespaces/shop/serviceaccounts/bot/token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  })
  return made.json<{ status: { token: string } }>().status.token
}

/** Returns the user of a token. */
async function userOf(server: TestServer, token: string): Promise<string> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const reply = await server.send('/apis/authentication.k8s.io/v1/selfsubjectreviews', { method: 'POST', body, token })
  return reply.json<{ status?: { userInfo?: { username?: string } } }>().status?.userInfo?.username ?? String(reply.status)
}

const patient = { timeout: 20_000 }

test('restore --replace brings back objects with uid and resourceVersion, versions never go back, and old watches get 410 Expired [V10]', async () => {
  const server = shared
  const token = await fill(server)
  expect(await edgeplane(server, 'backup', file)).toMatchObject({ code: 0 })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const before = await list(server, configMaps)
  await server.send(`${configMaps}/settings-0`, { method: 'DELETE' })
  await create(server, configMaps, { metadata: { name: 'later' } })
  const seen = await list(server, configMaps)
  const watch = await server.open(`${configMaps}?watch=1&resourceVersion=${seen.metadata.resourceVersion}`)
  const ended = once(
    watch.resume().on('error', () => undefined),
    'close',
  )

  expect(await edgeplane(server, 'restore', file)).toMatchObject({ code: 1, output: expect.stringContaining('--replace') })
  expect((await list(server, configMaps)).items).toHaveLength(seen.items.length)
  expect(await edgeplane(server, 'restore', file, '--replace')).toMatchObject({ code: 0 })

  await ended
  const after = await list(server, configMaps)
  expect(after.items).toEqual(before.items)
  expect(Number(after.metadata.resourceVersion)).toBeGreaterThan(Number(seen.metadata.resourceVersion))
  const resumed = await server.send(`${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=${seen.metadata.resourceVersion}`)
  expect(resumed.text).toContain('"code":410')
  const made = (await create(server, configMaps, { metadata: { name: 'new' } })).json() as unknown as Item
  expect(Number(made.metadata.resourceVersion)).toBeGreaterThan(Number(after.metadata.resourceVersion))
  expect(await userOf(server, token)).toBe('system:serviceaccount:shop:bot')
  expect((await list(server, lamps)).items.map(({ metadata }) => metadata.name)).toEqual(['desk'])
}, 180_000)

test('a backup restored to another, empty server of the deployment is the same cluster: tokens, definitions, deletion of namespaces', async () => {
  const first = await start()
  const token = await fill(first)
  expect(await edgeplane(first, 'backup', file)).toMatchObject({ code: 0 })
  const before = await list(first, lamps)
  const second = await start(first)
  // A server is empty with all the objects that it creates itself.
  await vi.waitFor(async () => {
    const { items } = await list(second, '/api/v1/configmaps')
    expect(items.filter(({ metadata }) => metadata.name === 'kube-root-ca.crt')).toHaveLength(4)
  }, patient)
  expect(await edgeplane(second, 'restore', file)).toMatchObject({ code: 0 })
  expect((await list(second, lamps)).items).toEqual(before.items)
  expect(await userOf(second, token)).toBe('system:serviceaccount:shop:bot')
  await second.send('/api/v1/namespaces/shop', { method: 'DELETE' })
  await vi.waitFor(async () => expect((await second.send('/api/v1/namespaces/shop')).status).toBe(404), patient)
  expect((await list(second, lamps)).items).toEqual([])
}, 180_000)

test('another deployment restores all objects, and makes keys of its own: earlier tokens are not valid, new ones are', async () => {
  const first = await start()
  const former = await fill(first)
  await create(first, '/api/v1/namespaces/shop/secrets', {
    metadata: { name: 'bot-token', annotations: { 'kubernetes.io/service-account.name': 'bot' } },
    type: 'kubernetes.io/service-account-token',
  })
  const tokenIn = async (server: TestServer): Promise<string> => {
    const secret = (await server.send('/api/v1/namespaces/shop/secrets/bot-token')).json<{ data?: { token?: string } }>()
    return Buffer.from(secret.data?.token ?? '', 'base64').toString()
  }
  await vi.waitFor(async () => expect(await tokenIn(first)).not.toBe(''), 20_000)
  expect(await edgeplane(first, 'backup', file)).toMatchObject({ code: 0 })
  const second = await start()
  expect(await edgeplane(second, 'restore', file)).toMatchObject({ code: 0 })
  expect((await list(second, lamps)).items).toEqual((await list(first, lamps)).items)
  // The ConfigMap kube-root-ca.crt is that of the server's own authority.
  const own = ({ metadata }: Item): boolean => metadata.name.startsWith('settings')
  expect((await list(second, configMaps)).items.filter(own)).toEqual((await list(first, configMaps)).items.filter(own))
  for (const token of [former, await tokenIn(first)]) expect(await userOf(second, token)).toBe('401')
  await vi.waitFor(async () => expect(await userOf(second, await tokenIn(second))).toBe('system:serviceaccount:shop:bot'), 20_000)
}, 180_000)

test('a restore that ends before all lines have arrived leaves the contents as they are, also after kill -9, and can be repeated [C17]', async () => {
  let server = await start()
  await fill(server)
  expect(await edgeplane(server, 'backup', file)).toMatchObject({ code: 0 })
  const before = await list(server, configMaps)
  await create(server, configMaps, { metadata: { name: 'later' } })
  const section = readFileSync(file, 'utf8').split('\n')
  const begin = section.findIndex((line) => line.startsWith('{"section":"default//configmaps"'))
  const body = `${section.slice(begin + 1, begin + 4).join('\n')}\n`
  const sent = await server.send('/edgeplane/v1/lines?object=default//configmaps&id=interrupted', { method: 'POST', body })
  expect(sent.json()).toEqual({ leftOut: 0 })
  await server.kill()
  servers.pop()
  server = await startServer({ dataDirectory: server.dataDirectory, port: server.port })
  servers.push(server)
  expect((await list(server, configMaps)).items).toHaveLength(before.items.length + 1)
  const missing = { id: 'interrupted', objects: [{ name: 'default//configmaps', objects: 4, atLeast: 0 }] }
  const refused = await server.send('/edgeplane/v1/finish?object=default/control', { method: 'POST', body: missing })
  expect({ status: refused.status, text: refused.text }).toMatchObject({
    status: 409,
    text: expect.stringContaining('instead of 4'),
  })
  expect((await list(server, configMaps)).items).toHaveLength(before.items.length + 1)
  expect(await edgeplane(server, 'restore', file, '--replace')).toMatchObject({ code: 0 })
  expect((await list(server, configMaps)).items).toEqual(before.items)
}, 180_000)

test('a restore goes on to its end after kill -9 of the server while contents are replaced [C17]', async () => {
  let server = await start()
  await fill(server)
  expect(await edgeplane(server, 'backup', file)).toMatchObject({ code: 0 })
  const before = await list(server, configMaps)
  await server.send(`${configMaps}/settings-0`, { method: 'DELETE' })
  const restoring = edgeplane(server, 'restore', file, '--replace')
  // The control object answers nothing once it is empty.
  await vi.waitFor(async () => expect((await server.send('/api/v1/namespaces')).status).toBe(503), {
    timeout: 20_000,
    interval: 1,
  })
  await server.kill()
  servers.pop()
  server = await startServer({ dataDirectory: server.dataDirectory, port: server.port })
  servers.push(server)
  await vi.waitFor(async () => expect((await list(server, configMaps)).items).toEqual(before.items), 60_000)
  expect(await restoring).toMatchObject({ code: 0 })
}, 180_000)

test('a torn or changed backup is refused before anything is written', async () => {
  const server = shared
  await create(server, configMaps.replace('shop', 'default'), { metadata: { name: 'settings' } })
  expect(await edgeplane(server, 'backup', file)).toMatchObject({ code: 0 })
  const whole = readFileSync(file, 'utf8')
  const damaged: [string, string][] = [
    ['its end is missing', whole.split('\n').slice(0, -2).join('\n').concat('\n')],
    ['not complete', whole.slice(0, -5)],
    ['not as they were written', whole.replace('"settings', '"Settings')],
    ['sections are missing', whole.replace(/\{"section":"default\/\/configmaps"[\s\S]*?\n\{"end".*\n/, '')],
    ['it has the format 3', whole.replace('"format":2', '"format":3')],
    ['no backup of edgeplane', '{"kind":"List"}\n'],
  ]
  for (const [message, contents] of damaged) {
    writeFileSync(file, contents)
    const { code, output } = await edgeplane(server, 'restore', file, '--replace')
    expect({ code, output }).toMatchObject({ code: 1, output: expect.stringContaining(message) })
    expect(output.trim().split('\n')).toHaveLength(1)
  }
  expect((await server.send('/api/v1/namespaces/default/configmaps/settings')).status).toBe(200)
}, 180_000)

test('403 for everybody outside system:masters, also with a role for all non-resource paths; recover is refused here', async () => {
  const server = shared
  const token = await fill(server)
  await create(server, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'bot' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'bot', namespace: 'shop' }],
  })
  expect((await server.send('/api/v1/secrets', { token })).status).toBe(200)
  expect((await server.send('/edgeplane/v1/backup', { token })).status).toBe(403)
  const finish = { method: 'POST', body: { id: 'x', objects: [] } }
  expect((await server.send('/edgeplane/v1/finish?object=default/control', { ...finish, token })).status).toBe(403)
  expect((await server.send('/edgeplane/v1/backup', { token: false })).status).toBe(403)
  expect((await server.send('/edgeplane/v1/finish?object=another/control', finish)).status).toBe(400)
  expect((await server.send('/edgeplane/v1/finish?object=default//pods', finish)).status).toBe(400)
  expect((await server.send('/edgeplane/v1/lines?object=default//pods&id=x', { method: 'POST', body: '{"a":1}' })).status).toBe(
    400,
  )

  // A local server has no point-in-time recovery, and the command changes nothing.
  const at = new Date(Date.now() - 60_000).toISOString()
  expect(await edgeplane(server, 'recover', '--at', at)).toMatchObject({
    code: 1,
    output: expect.stringContaining('does not implement point-in-time recovery'),
  })
  expect((await server.send('/api/v1/namespaces')).status).toBe(200)
  expect(await edgeplane(server, 'recover', '--at', 'yesterday')).toMatchObject({ code: 1 })
}, 180_000)
