/** `edgeplane migrate`, and its endpoint, on one server. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MigrationReport } from '../../src/migration/report.ts'
import { startServer, type TestServer } from '../server.ts'

const program = resolve(import.meta.dirname, '../../bin/edgeplane.mjs')
const endpoint = '/edgeplane/v1/migration'

let server: TestServer
let directory: string

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const migrate = (...args: string[]): Promise<Outcome> =>
  new Promise((done) => {
    const all = [program, 'migrate', '--kubeconfig', server.kubeconfig, ...args]
    execFile(process.execPath, all, { timeout: 60_000 }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr })
    })
  })

const post = async (path: string, body: unknown): Promise<void> => {
  expect((await server.send(path, { method: 'POST', body })).status).toBe(201)
}

const applied = { apiVersion: 'batch/v1beta1', kind: 'CronJob', metadata: { name: 'nightly' }, spec: { schedule: '@daily' } }
const containers = [{ name: 'a', image: 'b' }]
const jobTemplate = { spec: { template: { spec: { containers, restartPolicy: 'Never' } } } }

/** A Helm release as Helm 3 stores it. */
const release = (manifest: string) => {
  const compressed = gzipSync(JSON.stringify({ name: 'shop', namespace: 'default', manifest })).toString('base64')
  return {
    metadata: { name: 'sh.helm.release.v1.shop.v1', labels: { owner: 'helm', status: 'deployed' } },
    type: 'helm.sh/release.v1',
    stringData: { release: compressed },
  }
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'edgeplane-migrate-'))
  server = await startServer({ args: ['--emulated-version', '1.21'] })
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(applied)}\n` }
  const metadata = { name: 'nightly', annotations }
  await post('/apis/batch/v1/namespaces/default/cronjobs', { metadata, spec: { schedule: '@daily', jobTemplate } })
  const rules = [{ apiGroups: ['extensions'], resources: ['ingresses'], verbs: ['get'] }]
  await post('/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: "it's old" }, rules })
  const manifest = '---\napiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: shop}\n'
  await post('/api/v1/namespaces/default/secrets', release(manifest))
}, 60_000)

afterAll(async () => {
  rmSync(directory, { recursive: true, force: true })
  await server?.stop()
})

const summaryOf = ({ objects }: MigrationReport): string[] =>
  objects.flatMap(({ kind, name, uses }) => uses.map(({ by, apiVersion }) => `${kind} ${name} ${by} ${apiVersion}`))

const found = [
  "ClusterRole it's old rule extensions/v1beta1",
  'CronJob nightly lastApplied batch/v1beta1',
  'Secret sh.helm.release.v1.shop.v1 helmRelease extensions/v1beta1',
]

test('the command and the endpoint tell the same; exit code 1', async () => {
  const { code, stdout } = await migrate('--output', 'json')
  const report = JSON.parse(stdout) as MigrationReport
  expect(code).toBe(1)
  expect(summaryOf(report)).toEqual(found)
  expect((await server.send(endpoint)).json()).toEqual(report)
  const text = await migrate()
  expect(text.stdout).toContain("kubectl patch clusterroles.v1.rbac.authorization.k8s.io 'it'\\''s old' --type json --patch ")
  expect(text.stdout).toContain('spec.backend is named spec.defaultBackend')
})

test('one check runs at a time', async () => {
  const codes = await Promise.all(Array.from({ length: 5 }, async () => (await server.send(endpoint)).status))
  expect(new Set(codes)).toEqual(new Set([200, 429]))
  expect((await server.send(endpoint)).status).toBe(200)
})

test('a user of the endpoint gets no more than the permissions allow', async () => {
  const name = 'checker'
  await post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name } })
  const account = `/api/v1/namespaces/default/serviceaccounts/${name}/token`
  const token = (await server.send(account, { method: 'POST', body: {} })).json<{ status: { token: string } }>().status.token
  expect((await server.send(endpoint, { token })).status).toBe(403)
  const rules = [
    { nonResourceURLs: ['/edgeplane/v1/migration'], verbs: ['get'] },
    { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['list'] },
  ]
  await post('/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name }, rules })
  const subjects = [{ kind: 'ServiceAccount', name, namespace: 'default' }]
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name }
  await post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { metadata: { name }, subjects, roleRef })
  const reply = await server.send(endpoint, { token })
  expect(reply.status).toBe(200)
  const report = reply.json<MigrationReport>()
  expect(summaryOf(report)).toEqual(['CronJob nightly lastApplied batch/v1beta1'])
  expect(report.unread).toContainEqual({ what: 'secrets', why: expect.stringContaining('cannot list resource "secrets"') })
  expect((await server.send('/edgeplane/v1/migration?from=1.30&to=1.20')).status).toBe(400)
  expect((await server.send(endpoint, { method: 'POST', body: {} })).status).toBe(405)
})

test('exit code 0 when all patches are applied', async () => {
  const report = (await server.send(endpoint)).json<MigrationReport>()
  for (const { apiVersion, resource, namespace, name, uses } of report.objects) {
    const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
    const path = `${group}/${namespace === undefined ? '' : `namespaces/${namespace}/`}${resource}/${encodeURIComponent(name)}`
    const headers = { 'content-type': 'application/json-patch+json' }
    const body = uses.flatMap(({ mend }) => (mend.type === 'json-patch' ? mend.patch : []))
    if (body.length > 0) expect((await server.send(path, { method: 'PATCH', headers, body })).status).toBe(200)
    else await server.send(path, { method: 'DELETE' })
  }
  const { code, stdout } = await migrate()
  expect(stdout).toBe('From 1.21 to 1.36, nothing that was found breaks.\n')
  expect(code).toBe(0)
})

test('requests are recorded by user agent, also over a crash', { timeout: 60_000 }, async () => {
  const path = '/apis/batch/v1beta1/namespaces/default/cronjobs'
  const headers = { 'user-agent': 'old-controller/1.0' }
  for (let i = 0; i < 3; i++) expect((await server.send(path, { headers })).status).toBe(200)
  expect((await server.send('/apis/batch/v1/cronjobs', { headers })).status).toBe(200)
  const found = { userAgent: 'old-controller/1.0', verb: 'list', group: 'batch', version: 'v1beta1', resource: 'cronjobs' }
  const recorded = async () => {
    const { items } = (await server.send('/edgeplane/v1/deprecated-requests')).json<{ items: { userAgent: string }[] }>()
    return items.filter(({ userAgent }) => userAgent === found.userAgent)
  }
  expect(await recorded()).toEqual([{ ...found, subresource: '', count: 3, lastTime: expect.any(String) }])
  const { dataDirectory, port } = server
  await server.kill()
  server = await startServer({ dataDirectory, port, args: ['--emulated-version', '1.21'] })
  await server.send(path, { headers })
  expect(await recorded()).toMatchObject([{ ...found, count: 4 }])
  const { code, stdout } = await migrate('--to', '1.25')
  expect(code).toBe(1)
  expect(stdout).toContain('  old-controller/1.0: list batch/v1beta1 cronjobs (4 requests, the last at ')
  expect((await migrate('--to', '1.24')).code).toBe(0)
})

test('a directory of manifests is checked and converted', async () => {
  writeFileSync(join(directory, 'nightly.yaml'), `# A comment\n---\n${JSON.stringify(applied)}\n`)
  writeFileSync(join(directory, 'template.yaml'), 'a: {{ .Values.a }}\n')
  const { code, stdout } = await migrate('--manifests', directory)
  expect(code).toBe(1)
  expect(stdout).toContain('  CronJob nightly in nightly.yaml\n    batch/v1beta1 CronJob: is one')
  expect(stdout).toContain('  template.yaml: ')
  const { stdout: manifests } = await migrate('--manifests', directory, '--output', 'manifests')
  expect(manifests).toContain('apiVersion: batch/v1\nkind: CronJob\n')
  expect((await migrate('--manifests', directory, '--to', '1.24')).code).toBe(0)
})

test.each([
  [['--from', '1.x'], '"1.x" is no release'],
  [['--output', 'xml'], '--output must be text, json, yaml or manifests'],
  [['--server', 'https://127.0.0.1:1'], 'cannot be reached'],
  [['--bogus'], "Unknown option '--bogus'"],
  [['--manifests', '/no/such/directory'], 'cannot be checked'],
])('exit code 2 for %j', async (args, message) => {
  const { code, stderr } = await migrate(...args)
  expect(stderr).toContain(message)
  expect(code).toBe(2)
})
