/** `edgeplane at`, `diff` and `undo` on one server. */
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enableClusters, makeCluster } from '../forks.ts'
import { startServer, type TestServer } from '../server.ts'

const program = resolve(import.meta.dirname, '../../bin/edgeplane.mjs')
const configMaps = '/api/v1/namespaces/default/configmaps'
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

test('undo says what it would write, and writes it', async () => {
  const tried = await edgeplane('undo', '--to', time, '--namespace', 'default')
  expect(tried.stdout.split('\n')).toEqual([
    'update ConfigMap default/changed',
    'create ConfigMap default/deleted',
    'update Secret default/password',
    'delete ConfigMap default/added',
    'edgeplane: nothing was written; --yes writes',
    '',
  ])
  expect([await dataOf('changed'), await dataOf('deleted'), await dataOf('added')]).toEqual(['new', 404, 'new'])
  await edgeplane('undo', '--to', time, '--selector', 'name=deleted', '--yes')
  expect([await dataOf('changed'), await dataOf('deleted'), await dataOf('added')]).toEqual(['new', 'old', 'new'])
  expect((await edgeplane('undo', '--to', time, '--namespace', 'default', '--yes')).code).toBe(0)
  expect([await dataOf('changed'), await dataOf('deleted'), await dataOf('added')]).toEqual(['old', 'old', 404])
  expect((await edgeplane('diff', `@${time}`)).stdout).toBe('')
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
