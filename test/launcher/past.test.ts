/** `edgeplane at`, `diff` and `undo` on one server. */
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enableClusters, makeCluster } from '../forks.ts'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'

const program = resolve(import.meta.dirname, '../../bin/edgeplane.mjs')
const merge = { 'content-type': 'application/merge-patch+json' }

let server: TestServer
/** Before the first named cluster. */
let earliest: string
let time: string

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command against the server. */
const edgeplane = (command: string, ...args: string[]): Promise<Outcome> =>
  new Promise((done) => {
    const all = [program, command, '--kubeconfig', server.kubeconfig, ...args]
    execFile(process.execPath, all, { timeout: 60_000 }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr })
    })
  })

const dataOf = async (name: string): Promise<string | number | undefined> => {
  const reply = await server.send(`${configMaps}/${name}`)
  return reply.status === 200 ? reply.json<{ data: { is: string } }>().data.is : reply.status
}

beforeAll(async () => {
  server = await startServer()
  await sleep(2)
  earliest = new Date().toISOString()
  await sleep(2)
  await enableClusters(server)
  for (const name of ['changed', 'deleted', 'same']) {
    await server.send(configMaps, { method: 'POST', body: { metadata: { name, labels: { name } }, data: { is: 'old' } } })
  }
  const secret = { metadata: { name: 'password' }, stringData: { word: 'first' } }
  await server.send('/api/v1/namespaces/default/secrets', { method: 'POST', body: secret })
  await server.send('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: 'shop' } } })
  await server.send('/api/v1/namespaces/shop/configmaps', { method: 'POST', body: { metadata: { name: 'in-shop' } } })
  await sleep(2)
  time = new Date().toISOString()
  await sleep(2)
  await server.send(`${configMaps}/changed`, { method: 'PATCH', headers: merge, body: { data: { is: 'new' } } })
  const second = { stringData: { word: 'second' } }
  await server.send('/api/v1/namespaces/default/secrets/password', { method: 'PATCH', headers: merge, body: second })
  await server.send(`${configMaps}/deleted`, { method: 'DELETE' })
  await server.send(configMaps, { method: 'POST', body: { metadata: { name: 'added' }, data: { is: 'new' } } })
})

afterAll(() => server?.stop())

test('at runs a program with a kubeconfig of the past, and passes its exit code on', async () => {
  const read = `
    const { clusters, users } = JSON.parse(require('node:fs').readFileSync(process.env.KUBECONFIG, 'utf8'))
    console.log(clusters[0].cluster.server, users[0].user.token.length > 0)
    process.exit(7)`
  const { code, stdout } = await edgeplane('at', time, '--', process.execPath, '-e', read)
  expect(stdout).toBe(`${server.url}/clusters/default@${time} true\n`)
  expect(code).toBe(7)
  expect((await edgeplane('at', '-5m', '--', process.execPath, '-e', '')).code).toBe(0)
  expect((await edgeplane('at', 'yesterday', '--', 'true')).stderr).toContain('"yesterday" is no time such as')
  expect((await edgeplane('at', time)).stderr).toContain('A program is missing')
})

test('diff prints the changes as kubectl diff does, and the later objects', async () => {
  const { code, stdout } = await edgeplane('diff', `@${time}`)
  expect(code).toBe(1)
  expect(stdout).toContain('diff -u -N BEFORE/v1.ConfigMap.default.changed AFTER/v1.ConfigMap.default.changed')
  expect(stdout).toContain('-  is: old\n+  is: new')
  expect(stdout).toContain("-  word: '*** (before)'\n+  word: '*** (after)'")
  expect(stdout).not.toContain('same')
  const manifests = await edgeplane('diff', `@${time}`, '--output', 'manifests')
  expect(manifests.stdout).toContain('# deleted: ConfigMap default/deleted')
  expect(manifests.stdout).toContain('name: added')
})

test('a fork does not differ from its parent until one of them is changed', async () => {
  const fork = await makeCluster(server, 'fork', { forkedFrom: { name: 'default' } })
  expect(await edgeplane('diff', '.', 'fork')).toEqual({ code: 0, stdout: '', stderr: '' })
  await fork.send(`${configMaps}/same`, { method: 'DELETE' })
  expect((await edgeplane('diff', '.', 'fork', '--output', 'manifests')).stdout).toBe('# deleted: ConfigMap default/same\n')
})

/** Returns the command that an undo has printed. */
const commandIn = (stdout: string): readonly string[] => /^ {2}edgeplane (.*)$/m.exec(stdout)?.[1]?.split(' ') ?? []

test('undo shows what it would write, and the command that writes just that', async () => {
  const tried = await edgeplane('undo', '--to', time, '--namespace', 'default')
  const lines = tried.stdout.split('\n')
  expect(lines.slice(-8)).toEqual([
    'update ConfigMap default/changed',
    'create ConfigMap default/deleted',
    'update Secret default/password',
    'delete ConfigMap default/added',
    'edgeplane: nothing was written. This command writes it, unless anything of it has changed by then:',
    '',
    expect.stringContaining(`undo --to ${time} --kubeconfig ${server.kubeconfig} --namespace default --yes --plan `),
    '',
  ])
  expect(tried.stdout).toContain('-  is: new\n+  is: old')
  expect(tried.stdout).not.toContain('second')
  expect([await dataOf('changed'), await dataOf('deleted'), await dataOf('added')]).toEqual(['new', 404, 'new'])
  const all = commandIn(tried.stdout)
  await edgeplane('undo', '--to', time, '--selector', 'name=deleted', '--yes')
  expect([await dataOf('changed'), await dataOf('deleted'), await dataOf('added')]).toEqual(['new', 'old', 'new'])
  // The shown undo would create the deleted object, too.
  const outdated = await edgeplane('undo', ...all.slice(1))
  expect(outdated.code).toBe(1)
  expect(outdated.stdout).toMatch(/^edgeplane: the cluster has changed since this undo was shown/)
  expect([await dataOf('changed'), await dataOf('added')]).toEqual(['new', 'new'])
  expect((await edgeplane('undo', ...commandIn(outdated.stdout).slice(1))).code).toBe(0)
  expect([await dataOf('changed'), await dataOf('deleted'), await dataOf('added')]).toEqual(['old', 'old', 404])
  expect((await edgeplane('diff', `@${time}`)).stdout).toBe('')
})

test('undo restores field managers, the annotation of kubectl apply, and nothing that controllers keep', async () => {
  const deployments = '/apis/apps/v1/namespaces/default/deployments'
  const last = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' }
  const apply = (manager: string, spec: object, annotations = {}) =>
    server.send(`${deployments}/web?fieldManager=${manager}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', annotations }, spec },
    })
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'a', image: 'a' }] } }
  const spec = { selector: { matchLabels: { app: 'web' } }, template }
  expect((await apply('owner', spec, last)).status).toBe(201)
  await apply('scaler', { replicas: 1 })
  const read = async () =>
    (await server.send(`${deployments}/web`)).json<{ metadata: Record<string, unknown>; spec: { replicas: number } }>()
  const revision = (value: string) =>
    server.send(`${deployments}/web?fieldManager=controller`, {
      method: 'PATCH',
      headers: merge,
      body: { metadata: { annotations: { 'deployment.kubernetes.io/revision': value } } },
    })
  await revision('1')
  const status = { status: { observedGeneration: 1 } }
  await server.send(`${deployments}/web/status`, { method: 'PATCH', headers: merge, body: status })
  const former = await read()
  await sleep(2)
  const then = new Date().toISOString()
  await sleep(2)
  await apply('scaler', { replicas: 5 })
  await revision('2')
  await server.send(`${deployments}/web`, {
    method: 'PATCH',
    headers: merge,
    body: { metadata: { annotations: { ...last, [Object.keys(last)[0] ?? '']: null } } },
  })
  const undone = await edgeplane('undo', '--to', then, '--yes')
  expect(undone.stdout).toContain('update Deployment default/web\n')
  const { metadata, spec: now } = await read()
  expect(now.replicas).toBe(1)
  expect(metadata.managedFields).toEqual(former.metadata.managedFields)
  expect(metadata.annotations).toEqual({ ...last, 'deployment.kubernetes.io/revision': '2' })
  expect((await apply('scaler', { replicas: 2 })).status).toBe(200)
  await server.send(`${deployments}/web`, { method: 'DELETE' })
  await edgeplane('undo', '--to', then, '--yes')
  const again = await read()
  expect(again.metadata.managedFields).toEqual(
    (former.metadata.managedFields as { subresource?: string }[]).filter(({ subresource }) => subresource !== 'status'),
  )
  expect((await apply('owner', spec, last)).status).toBe(200)
  await server.send(`${deployments}/web`, { method: 'DELETE' })
})

test('undo says what it cannot write', async () => {
  await server.send(`${configMaps}/same`, { method: 'PATCH', headers: merge, body: { immutable: true, data: { is: 'new' } } })
  const { code, stdout } = await edgeplane('undo', '--to', time, '--yes')
  expect(code).toBe(1)
  expect(stdout).toContain('impossible: update ConfigMap default/same: ConfigMap "same" is invalid: [immutable: Forbidden')
})

test('undo never deletes the named clusters and their definition', async () => {
  const { stdout } = await edgeplane('undo', '--to', earliest, '--yes')
  expect(stdout).toContain('delete Namespace shop')
  expect(stdout).not.toMatch(/^delete .*edgeplane/m)
  const { json } = await server.send('/apis/edgeplane.dev/v1/clusters')
  expect(json<{ items: { metadata: { name: string } }[] }>().items.map(({ metadata }) => metadata.name)).toEqual(['fork'])
})
