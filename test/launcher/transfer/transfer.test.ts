/** `edgeplane cluster`, `export` and `import`, with clusters of one server and a recorded cluster of kube-apiserver. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClusterServer, startClusterServer } from '../../http/cluster-server.ts'

const program = resolve(import.meta.dirname, '../../../bin/edgeplane.mjs')
const folder = mkdtempSync(join(tmpdir(), 'edgeplane-transfer-'))
const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'reference-cluster.json'), 'utf8')) as Record<string, string>
let server: ClusterServer
let reference: Server
/** The requests that the recorded cluster got and does not know, or that are no reads. */
const strange: string[] = []

interface Outcome {
  readonly code: number
  readonly output: string
}

/** Runs a command. */
const edgeplane = (...args: string[]): Promise<Outcome> =>
  new Promise((done) => {
    execFile(process.execPath, [program, ...args], { timeout: 60_000 }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr })
    })
  })

async function successfully(...args: string[]): Promise<string> {
  const { code, output } = await edgeplane(...args)
  expect(code, output).toBe(0)
  return output
}

/** Makes a cluster. Returns the file with its kubeconfig. */
async function cluster(name: string): Promise<string> {
  await successfully('cluster', 'create', name, '--kubeconfig', server.kubeconfig)
  const file = join(folder, `${name}.kubeconfig`)
  writeFileSync(file, await successfully('cluster', 'kubeconfig', name, '--kubeconfig', server.kubeconfig))
  return file
}

/** Reads all files below a directory, by their paths. */
function filesIn(directory: string): Record<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(directory.length + 1), readFileSync(path, 'utf8')]
    }),
  )
}

async function exported(kubeconfig: string, ...options: string[]): Promise<Record<string, string>> {
  const directory = mkdtempSync(join(folder, 'export-'))
  await successfully('export', directory, '--kubeconfig', kubeconfig, ...options)
  return filesIn(directory)
}

/** Serves the recorded responses. Returns a kubeconfig. */
async function startReference(): Promise<string> {
  reference = createServer((request, response) => {
    const path = request.url?.replace(/\?.*$/, '') ?? ''
    const body = request.method === 'GET' ? recorded[path] : undefined
    if (body === undefined) strange.push(`${request.method} ${path}`)
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(body ?? '{}')
  })
  await new Promise<void>((done) => reference.listen(0, '127.0.0.1', done))
  const { port } = reference.address() as AddressInfo
  const file = join(folder, 'reference.kubeconfig')
  const context = (name: string): object => ({ name, context: { cluster: name } })
  writeFileSync(
    file,
    JSON.stringify({
      clusters: [
        { name: 'other', cluster: { server: 'http://127.0.0.1:1' } },
        { name: 'reference', cluster: { server: `http://127.0.0.1:${port}` } },
      ],
      contexts: [context('other'), context('reference')],
      'current-context': 'other',
    }),
  )
  return file
}

beforeAll(async () => {
  server = await startClusterServer()
})

afterAll(async () => {
  reference?.close()
  rmSync(folder, { recursive: true, force: true })
  await server?.stop()
})

test('clusters are made, listed and deleted', async () => {
  const options = ['--kubeconfig', server.kubeconfig]
  await successfully(
    'cluster',
    'create',
    'listed',
    '--expiry',
    '2h',
    '--placement',
    'collections',
    '--emulated-release',
    '1.21',
    ...options,
  )
  const { json } = await server.send('/apis/edgeplane.dev/v1/clusters/listed')
  expect(json()).toMatchObject({ spec: { placement: 'collections', emulatedRelease: '1.21' } })
  const list = await successfully('cluster', 'list', ...options)
  expect(list.split('\n', 1)[0]?.split(/\s+/)).toEqual(['NAME', 'URL', 'PHASE', 'OBJECTS', 'BYTES', 'AGE', 'EXPIRES'])
  expect(list).toMatch(/^listed +https:\S+ +Ready +\d+ +\d+ +\d+s +\d{4}-\S+Z$/m)
  expect((await edgeplane('cluster', 'create', 'listed', ...options)).output).toContain('"listed" already exists')
  await successfully('cluster', 'delete', 'listed', ...options)
  expect(await successfully('cluster', 'list', ...options)).not.toContain('listed')
  expect((await edgeplane('cluster', 'kubeconfig', 'listed', ...options)).output).toContain('There is no cluster listed')
  expect((await edgeplane('cluster', 'delete', 'listed', ...options)).code).toBe(1)
  expect((await edgeplane('cluster', 'create', ...options)).output).toContain('The name of the cluster is missing')
  expect((await edgeplane('cluster', 'rename', 'a', ...options)).output).toContain('create, list, delete or kubeconfig')
})

describe('A cluster of kube-apiserver with 20 definitions', () => {
  let source = ''
  let copy = ''

  beforeAll(async () => {
    source = await startReference()
    copy = await cluster('copy')
  })

  test('is copied without a difference, and only read', async () => {
    const from = ['--from-kubeconfig', source, '--from-context', 'reference']
    expect(await successfully('import', ...from, '--kubeconfig', copy)).toContain('96 objects were imported')
    const [theirs, ours] = [await exported(source, '--secrets', '--context', 'reference'), await exported(copy, '--secrets')]
    expect(ours).toEqual(theirs)
    expect(Object.keys(ours).filter((file) => file.startsWith('0-definitions/'))).toHaveLength(20)
    expect(strange).toEqual([])
    // A number that a double cannot hold.
    expect(ours['3-namespaced/shop/gadget2.team2.example.com/g.yaml']).toContain('size: 9007199254740995')
  })

  test('has the owners of its objects, with their new uids', async () => {
    const read = async (path: string) =>
      (await server.inside('copy', path, { token: tokenIn(copy) })).json<{
        metadata: { uid: string; ownerReferences: { uid: string }[] }
      }>()
    const owner = await read('/apis/apps/v1/namespaces/shop/deployments/web')
    const owned = await read('/api/v1/namespaces/shop/configmaps/owned')
    expect(owned.metadata.ownerReferences.map(({ uid }) => uid)).toEqual([owner.metadata.uid])
    const theirs = JSON.parse(recorded['/api/v1/configmaps'] ?? '') as { items: { metadata: { name: string; uid: string } }[] }
    expect(theirs.items.map(({ metadata }) => metadata.uid)).not.toContain(owned.metadata.uid)
  })

  test('is written as files that a person would commit, and read again', async () => {
    const directory = join(folder, 'manifests')
    await successfully('export', directory, '--kubeconfig', copy)
    const files = filesIn(directory)
    expect(Object.keys(files).filter((file) => file.includes('/secret/'))).toEqual([])
    expect(files['3-namespaced/shop/configmap/settings.yaml']).toBe(
      'apiVersion: v1\nbinaryData:\n  b: AAEC\ndata:\n  a: |\n    multi\n    line\n  "n": "007"\nkind: ConfigMap\nmetadata:\n' +
        "  annotations:\n    x: 'y: z'\n  name: settings\n  namespace: shop\n",
    )
    expect(files['2-cluster/clusterrole.rbac.authorization.k8s.io/example%3Aviewer.yaml']).toContain('name: example:viewer')
    // A controller makes it again from its owner.
    expect(files['3-namespaced/shop/configmap/owned.yaml']).toBeUndefined()
    const again = await cluster('again')
    await successfully('import', directory, '--kubeconfig', again)
    expect(await exported(again)).toEqual(files)
    await successfully('export', directory, '--kubeconfig', again)
    expect(filesIn(directory)).toEqual(files)
  })

  test('is archived with uids and versions, and restored under another name', async () => {
    const archive = join(folder, 'copy.archive')
    await successfully('export', '--archive', archive, '--kubeconfig', copy)
    const other = await cluster('other')
    await successfully('import', archive, '--kubeconfig', other)
    const path = '/api/v1/namespaces/shop/configmaps/settings'
    const before = (await server.inside('copy', path, { token: tokenIn(copy) })).text
    await expect.poll(async () => (await server.inside('other', path, { token: tokenIn(other) })).text).toBe(before)
    expect((await edgeplane('import', archive, '--kubeconfig', other)).output).toContain('--replace')
    await successfully('import', archive, '--replace', '--kubeconfig', other)
  })
})

const tokenIn = (file: string): string =>
  (JSON.parse(readFileSync(file, 'utf8')) as { users: { user: { token: string } }[] }).users[0]?.user.token ?? ''

describe('An import', () => {
  test('takes lists and several documents, leaves out owners that do not exist, and names what is refused', async () => {
    const kubeconfig = await cluster('files')
    const directory = join(folder, 'files')
    mkdirSync(directory)
    writeFileSync(
      join(directory, 'a.yaml'),
      `# a comment
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: late, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: gone, uid: x}]}}
---
apiVersion: v1
kind: Namespace
metadata: {name: late}
`,
    )
    const output = await successfully('import', directory, '--kubeconfig', kubeconfig)
    expect(output).toContain('2 objects were imported')
    expect(output).toContain('ConfigMap gone')
    writeFileSync(join(directory, 'b.json'), '{"apiVersion":"v1","kind":"Service","metadata":{"name":"-"},"spec":{}}')
    const refused = await edgeplane('import', directory, '--kubeconfig', kubeconfig)
    expect([refused.code, refused.output]).toEqual([
      1,
      expect.stringMatching(/^edgeplane: Service - was not imported: .*invalid/),
    ])
    writeFileSync(join(directory, 'b.json'), '{"apiVersion":"v1"}')
    expect((await edgeplane('import', directory, '--kubeconfig', kubeconfig)).output).toContain('no apiVersion or kind')
  })

  test.each([
    [['import'], 'Name either a file or directory'],
    [['export'], 'Name either a directory'],
    [['export', tmpdir()], 'holds other files'],
    [['import', '/nowhere/at/all'], 'cannot be imported'],
  ])('%j is refused', async (args, message) => {
    const { code, output } = await edgeplane(...args, '--kubeconfig', server.kubeconfig)
    expect([code, output]).toEqual([1, expect.stringContaining(message)])
  })
})
