/** No credential of a cluster leaves it: in no fork, no export, no import. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Api } from '../../../src/launcher/api.ts'
import { groupPath, resourcesOf } from '../../../src/launcher/transfer/source.ts'
import { type ClusterServer, clustersPath, startClusterServer } from '../../http/cluster-server.ts'

const program = resolve(import.meta.dirname, '../../../bin/edgeplane.mjs')
const folder = mkdtempSync(join(tmpdir(), 'edgeplane-credentials-'))
const systemSecrets = '/api/v1/namespaces/kube-system/secrets'
const secrets = '/api/v1/namespaces/default/secrets'
/** The owner of a named cluster, whose permissions are objects of the default cluster. */
const owner = 'jane@example.com'

let server: ClusterServer
/** The credentials that no other cluster may get, by the name of their cluster. */
const credentials = new Map<string, readonly string[]>()

/** Runs a command. Returns its output. */
const edgeplane = (...args: string[]): Promise<string> =>
  new Promise((done, failed) => {
    execFile(process.execPath, [program, ...args], { timeout: 60_000 }, (error, stdout, stderr) => {
      if (error === null) done(stdout + stderr)
      else failed(new Error(stdout + stderr))
    })
  })

/** Makes a cluster. Returns the file with its kubeconfig. */
async function cluster(name: string, spec: object = {}): Promise<string> {
  credentials.set(name, [await server.make(name, spec)])
  const file = join(folder, `${name}.kubeconfig`)
  writeFileSync(file, await server.kubeconfigOf(name))
  return file
}

/** Reads all files below a directory as one text, with their paths. */
const textIn = (directory: string): string =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path}\n${readFileSync(path, 'utf8')}`)
    .join('\n')

/** Reads every list of a cluster as one text. */
async function everythingIn(kubeconfig: string): Promise<string> {
  const api = await Api.of(kubeconfig)
  try {
    const resources = await resourcesOf(api)
    const paths = resources.map(({ group, version, name }) => `${groupPath(group, version)}/${name}`)
    const lists = await Promise.all(paths.map((path) => api.send({ method: 'GET', path })))
    return lists.map(({ text }) => text).join('\n')
  } finally {
    api.close()
  }
}

/** Returns the clusters whose credentials are in a text, in plain form or in base64, and the objects of the deployment. */
function leaksIn(text: string, own: string): readonly string[] {
  const forms = (value: string): readonly string[] => [value, Buffer.from(value).toString('base64')]
  const ofOthers = [...credentials].filter(([name]) => name !== own)
  return [
    ...ofOthers.filter(([, values]) => values.flatMap(forms).some((form) => text.includes(form))).map(([name]) => name),
    ...['edgeplane-clusters', 'clusters.edgeplane.dev', owner].filter((word) => text.includes(word)),
  ]
}

/** Returns the token of an account, which a controller writes into its Secret. */
const accountToken = (): Promise<string> =>
  vi.waitFor(
    async () => {
      const { data } = (await server.send(`${secrets}/account-token`)).json<{ data?: { token?: string } }>()
      return Buffer.from(data?.token ?? expect.fail('no token yet'), 'base64').toString()
    },
    { timeout: 20_000 },
  )

beforeAll(async () => {
  server = await startClusterServer()
  const account = { name: 'account-token', annotations: { 'kubernetes.io/service-account.name': 'default' } }
  const token = { metadata: account, type: 'kubernetes.io/service-account-token' }
  const bootstrap = {
    metadata: { name: 'bootstrap-token-abcdef' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': 'abcdef',
      'token-secret': 'secretofbootstrp',
      'usage-bootstrap-authentication': 'true',
    },
  }
  const kept = { metadata: { name: 'kept' }, stringData: { word: 'kept' } }
  for (const [path, body] of [
    [secrets, token],
    [systemSecrets, bootstrap],
    [secrets, kept],
  ] as const) {
    const made = await server.send(path, { method: 'POST', body })
    expect(made.status, made.text).toBe(201)
  }
  credentials.set('default', [server.token, await accountToken(), 'secretofbootstrp'])
  await cluster('blue')
  const made = await server.send(clustersPath, {
    method: 'POST',
    headers: { 'impersonate-user': owner, 'impersonate-group': 'system:masters' },
    body: {
      apiVersion: 'edgeplane.dev/v1',
      kind: 'Cluster',
      metadata: { name: 'owned', annotations: { 'edgeplane.dev/owner': owner } },
    },
  })
  expect(made.status, made.text).toBe(201)
})

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await server?.stop()
})

test('the default cluster itself has the credentials of all clusters', async () => {
  const leaks = leaksIn(await everythingIn(server.kubeconfig), '')
  expect(leaks).toEqual(expect.arrayContaining(['default', 'blue', 'edgeplane-clusters', owner]))
})

test('an export with Secrets has no credential, and no object of the deployment', async () => {
  const directory = join(folder, 'manifests')
  await edgeplane('export', directory, '--secrets', '--kubeconfig', server.kubeconfig)
  const text = textIn(directory)
  expect(text).toContain('default/secret/kept.yaml')
  expect(leaksIn(text, '')).toEqual([])
})

test('an import of the default cluster brings no credential', async () => {
  const red = await cluster('red')
  await edgeplane('import', '--from-kubeconfig', server.kubeconfig, '--kubeconfig', red)
  const text = await everythingIn(red)
  expect(text).toContain('"name":"kept"')
  expect(leaksIn(text, 'red')).toEqual([])
})

test('an import of manifests leaves out objects of a deployment, and says so', async () => {
  const file = join(folder, 'earlier.json')
  const metadata = { name: 'blue-kubeconfig', namespace: 'edgeplane-clusters' }
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'edgeplane-clusters' } }
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { token: credentials.get('blue')?.[0] } }
  const items = [namespace, secret, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept', namespace: 'default' } }]
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  const blank = await cluster('blank')
  const output = await edgeplane('import', file, '--kubeconfig', blank)
  expect(output).toContain('1 objects were imported')
  expect(output).toContain('they belong to a deployment: 2 objects')
  expect(leaksIn(await everythingIn(blank), 'blank')).toEqual([])
})

test('a fork of a cluster with one object has nothing of the namespace of credentials', async () => {
  const parentFile = await cluster('parent', { placement: 'one-object' })
  const asParent = { method: 'POST', token: credentials.get('parent')?.[0] ?? '' }
  const inside = '/api/v1/namespaces/edgeplane-clusters/secrets'
  const stolen = { metadata: { name: 'stolen' }, stringData: { token: credentials.get('blue')?.[0] } }
  const namespace = { metadata: { name: 'edgeplane-clusters' } }
  expect((await server.inside('parent', '/api/v1/namespaces', { ...asParent, body: namespace })).status).toBe(201)
  expect((await server.inside('parent', inside, { ...asParent, body: stolen })).status).toBe(201)
  expect(leaksIn(await everythingIn(parentFile), 'parent')).toContain('blue')
  const file = await cluster('child', { forkedFrom: { name: 'parent' } })
  const asChild = { token: credentials.get('child')?.[0] ?? '' }
  // Read from the parent, before the collection is copied.
  expect((await server.inside('child', `${inside}/stolen`, asChild)).status).toBe(404)
  expect(leaksIn(await everythingIn(file), 'child')).toEqual([])
})

test('a fork of the default cluster has no credential of its parent, nor gets any by an import', async () => {
  const file = await cluster('fork', { forkedFrom: { name: 'default' } })
  const asFork = { token: credentials.get('fork')?.[0] ?? '' }
  // Read from the parent, before the collection is copied.
  expect((await server.inside('fork', '/api/v1/namespaces/edgeplane-clusters/secrets/blue-kubeconfig', asFork)).status).toBe(404)
  expect((await server.inside('fork', `${secrets}/kept`, asFork)).status).toBe(200)
  expect((await server.inside('fork', clustersPath, asFork)).status).toBe(404)
  expect(leaksIn(await everythingIn(file), 'fork')).toEqual([])
  await edgeplane('import', '--from-kubeconfig', server.kubeconfig, '--kubeconfig', file)
  expect(leaksIn(await everythingIn(file), 'fork')).toEqual([])
  const past = join(folder, 'past')
  await edgeplane('at', '-0s', '--kubeconfig', file, '--', process.execPath, program, 'export', past, '--secrets')
  expect(leaksIn(textIn(past), 'fork')).toEqual([])
})
