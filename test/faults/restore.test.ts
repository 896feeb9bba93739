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

async function start(): Promise<TestServer> {
  const server = await startServer()
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

test('restore --replace brings back objects with uid and resourceVersion, versions never go back, and old watches get 410 Expired', async () => {
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

test('a backup restored to another, empty server is the same cluster: tokens, definitions, deletion of namespaces', async () => {
  const first = await start()
  const token = await fill(first)
  expect(await edgeplane(first, 'backup', file)).toMatchObject({ code: 0 })
  const before = await list(first, lamps)
  const second = await start()
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

test('an interrupted restore leaves 503 with Retry-After, also after kill -9 of the server, and can be repeated', async () => {
  let server = await start()
  await fill(server)
  expect(await edgeplane(server, 'backup', file)).toMatchObject({ code: 0 })
  const before = await list(server, configMaps)
  const { names } = (await server.send('/edgeplane/v1/objects')).json<{ names: string[] }>()
  for (const name of [names.at(-1), 'default//configmaps']) {
    const begun = await server.send(`/edgeplane/v1/begin?object=${name}`, {
      method: 'POST',
      body: { id: 'interrupted', names, contents: 'delete' },
    })
    expect(begun.status).toBe(200)
  }
  await server.kill()
  servers.pop()
  server = await startServer(server.dataDirectory, server.port)
  servers.push(server)
  const refused = await server.send(configMaps)
  expect(refused.status).toBe(503)
  expect(refused.headers['retry-after']).toBe('5')
  // Without the rules of the control object nobody else is served either.
  const stranger = await server.send('/api/v1/namespaces/default/secrets', { token: false })
  expect([401, 403, 500, 503]).toContain(stranger.status)
  expect(await edgeplane(server, 'restore', file)).toMatchObject({ code: 0 })
  expect((await list(server, configMaps)).items).toEqual(before.items)
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
    ['it has the format 2', whole.replace('"format":1', '"format":2')],
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
  const begin = { method: 'POST', body: { id: 'x', names: [], contents: 'delete' } }
  expect((await server.send('/edgeplane/v1/begin?object=default/control', { ...begin, token })).status).toBe(403)
  expect((await server.send('/edgeplane/v1/backup', { token: false })).status).toBe(403)
  expect((await server.send('/edgeplane/v1/begin?object=another/control', begin)).status).toBe(400)
  expect((await server.send('/edgeplane/v1/lines?object=default//pods&id=x', begin)).status).toBe(409)

  // A local server has no point-in-time recovery, and the command changes nothing.
  const at = new Date(Date.now() - 60_000).toISOString()
  expect(await edgeplane(server, 'recover', '--at', at)).toMatchObject({
    code: 1,
    output: expect.stringContaining('does not implement point-in-time recovery'),
  })
  expect((await server.send('/api/v1/namespaces')).status).toBe(200)
  expect(await edgeplane(server, 'recover', '--at', 'yesterday')).toMatchObject({ code: 1 })
}, 180_000)
