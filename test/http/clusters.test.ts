import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'

const definition = readFileSync(resolve(import.meta.dirname, '../../manifests/clusters.json'), 'utf8')
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const clusters = '/apis/edgeplane.dev/v1/clusters'

interface Object {
  readonly metadata: { readonly name: string; readonly uid: string; readonly continue?: string }
}
interface Cluster extends Object {
  readonly status: { readonly phase: string; readonly url: string; readonly kubeconfigSecret: { readonly name: string } }
}
interface List {
  readonly metadata: { readonly continue?: string }
  readonly items: readonly Object[]
}

let server: TestServer

beforeAll(async () => {
  server = await startServer()
  expect((await server.send(definitions, { method: 'POST', body: definition })).status).toBe(201)
})

afterAll(() => server?.stop())

const manifest = (name: string, spec = {}): object => ({
  apiVersion: 'edgeplane.dev/v1',
  kind: 'Cluster',
  metadata: { name },
  spec,
})

/** Makes a cluster. Returns the token in its Secret. */
async function make(name: string, spec = {}): Promise<string> {
  const made = await server.send(clusters, { method: 'POST', body: manifest(name, spec) })
  expect(made.status, made.text).toBe(201)
  const secret = await server.send(`/api/v1/namespaces/edgeplane-clusters/secrets/${name}-kubeconfig`)
  const { data } = secret.json<{ data: { token: string } }>()
  return Buffer.from(data.token, 'base64').toString()
}

const remove = async (name: string): Promise<void> => {
  expect((await server.send(`${clusters}/${name}`, { method: 'DELETE' })).status).toBe(200)
}

const configMap = (name: string, value = ''): object => ({ metadata: { name }, data: { value } })
const serviceAccountToken = async (base: string, token: string): Promise<string> => {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
  const reply = await server.send(`${base}/api/v1/namespaces/default/serviceaccounts/default/token`, {
    method: 'POST',
    body,
    token,
  })
  return reply.json<{ status: { token: string } }>().status.token
}

test('the administrator of a cluster cannot reach what the server reaches', async () => {
  const token = await make('fenced')
  const nodes = '/clusters/fenced/api/v1/nodes'
  expect((await server.send(nodes, { method: 'POST', body: { metadata: { name: 'near' } }, token })).status).toBe(201)
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: server.port } },
  }
  const pods = '/clusters/fenced/api/v1/namespaces/default/pods'
  const headers = { 'content-type': 'application/merge-patch+json' }
  expect((await server.send(`${nodes}/near/status`, { method: 'PATCH', body: { status }, headers, token })).status).toBe(200)
  const spec = { nodeName: 'near', containers: [{ name: 'main', image: 'a' }] }
  expect((await server.send(pods, { method: 'POST', body: { metadata: { name: 'web' }, spec }, token })).status).toBe(201)
  const log = await server.send(`${pods}/web/log`, { token })
  expect(log.status).toBe(500)
  expect(log.json()).toMatchObject({
    message: expect.stringContaining('this cluster may not connect to nodes, Pods and Services'),
  })
})

describe('A cluster', () => {
  test('is ready with the answer to its creation, has a URL and a kubeconfig [C2]', async () => {
    const token = await make('ready')
    const { status } = (await server.send(`${clusters}/ready`)).json<Cluster>()
    expect(status).toMatchObject({ phase: 'Ready', url: `${server.url}/clusters/ready` })
    const namespaces = (await server.send('/clusters/ready/api/v1/namespaces', { token })).json<List>()
    expect(namespaces.items.map(({ metadata }) => metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ])
    await remove('ready')
  })

  test.each(['default', 'a.b'])('cannot be named %s [C1]', async (name) => {
    const { status, text } = await server.send(clusters, { method: 'POST', body: manifest(name) })
    expect(status).toBe(422)
    expect(text).toContain('the name must be a DNS label other than')
  })

  test('has its own issuer, and OpenAPI documents below its path', async () => {
    const token = await make('documents')
    const base = '/clusters/documents'
    const issuer = (await server.send(`${base}/.well-known/openid-configuration`, { token })).json<Record<string, string>>()
    expect(issuer.issuer).toMatch(/\/clusters\/documents$/)
    expect(issuer.jwks_uri).toBe(`${server.url}${base}/openid/v1/jwks`)
    const { paths } = (await server.send(`${base}/openapi/v3`, { token })).json<{
      paths: Record<string, { serverRelativeURL: string }>
    }>()
    const address = paths['api/v1']?.serverRelativeURL ?? ''
    expect(address).toMatch(/^\/clusters\/documents\/openapi\/v3\/api\/v1\?hash=/)
    expect((await server.send(address, { token })).status).toBe(200)
    await remove('documents')
  })

  test.each(['one-object', 'collections'])('has the placement %s, and keeps it [C3]', async (placement) => {
    const token = await make('placed', { placement })
    const base = '/clusters/placed'
    for (const kind of ['configmaps', 'secrets']) {
      const path = `${base}/api/v1/namespaces/default/${kind}`
      expect((await server.send(path, { method: 'POST', body: { metadata: { name: 'a' } }, token })).status).toBe(201)
    }
    const health = await server.send(`${base}/readyz`, { token })
    expect(health.status).toBe(200)
    const changed = await server.send(`${clusters}/placed`, {
      method: 'PATCH',
      body: { spec: { placement: placement === 'collections' ? 'one-object' : 'collections' } },
      headers: { 'content-type': 'application/merge-patch+json' },
    })
    expect(changed.status).toBe(422)
    expect(changed.text).toContain('the placement of a cluster cannot be changed')
    await remove('placed')
  })

  test('makes no clusters of its own [C16]', async () => {
    const token = await make('outer')
    const base = '/clusters/outer'
    await server.send(base + definitions, { method: 'POST', body: definition, token })
    const made = await server.send(base + clusters, { method: 'POST', body: manifest('inner'), token })
    expect(made.status).toBe(201)
    expect((await server.send(`${base}${clusters}/inner`, { token })).json<{ status?: object }>().status).toBeUndefined()
    expect((await server.send('/clusters/inner/api', { token: false })).status).toBe(404)
    await remove('outer')
  })
})

test('the paths for tests do not exist without --testing', async () => {
  expect((await server.send('/edgeplane/testing/v1/clusters', { method: 'POST', body: {} })).status).toBe(404)
  expect((await server.send('/edgeplane/testing/v1/clusters/default/requests')).status).toBe(404)
})

describe('Clusters are isolated', () => {
  const tokens: Record<string, string> = {}

  beforeAll(async () => {
    tokens.root = server.token
    tokens.blue = await make('blue')
    tokens.red = await make('red')
    tokens['account of blue'] = await serviceAccountToken('/clusters/blue', tokens.blue)
    tokens['account of root'] = await serviceAccountToken('', server.token)
    tokens.gone = await make('gone')
    await remove('gone')
  })

  const matrix: Readonly<Record<string, readonly [root: number, blue: number, red: number, gone: number, never: number]>> = {
    root: [200, 401, 401, 404, 404],
    blue: [401, 200, 401, 404, 404],
    red: [401, 401, 200, 404, 404],
    gone: [401, 401, 401, 404, 404],
    'account of blue': [401, 403, 401, 404, 404],
    'account of root': [403, 401, 401, 404, 404],
  }

  test.each(Object.entries(matrix))('the token of %s opens no other cluster [C6]', async (holder, expected) => {
    const found = []
    for (const base of ['', '/clusters/blue', '/clusters/red', '/clusters/gone', '/clusters/never']) {
      const { status } = await server.send(base + configMaps, { token: tokens[holder] ?? '' })
      // A cluster that does not exist has no users: a token of another one is wrong there, too.
      found.push(status === 401 && !['', '/clusters/blue', '/clusters/red'].includes(base) ? 404 : status)
    }
    expect(found).toEqual(expected)
  })

  test('objects, watches and continue tokens', async () => {
    const [blue, red] = [tokens.blue ?? '', tokens.red ?? '']
    const watch = await server.open(`/clusters/red${configMaps}?watch=true&resourceVersion=0`, { token: red })
    for (const name of ['a', 'b', 'c'])
      await server.send(`/clusters/blue${configMaps}`, { method: 'POST', body: configMap(name), token: blue })
    await server.send(`/clusters/red${configMaps}`, { method: 'POST', body: configMap('of-red'), token: red })
    let seen = ''
    for await (const chunk of watch) {
      seen += String(chunk)
      if (seen.includes('of-red')) break
    }
    expect(seen).not.toContain('"name":"a"')
    const page = (await server.send(`/clusters/blue${configMaps}?limit=1`, { token: blue })).json<List>()
    const token = encodeURIComponent(page.metadata.continue ?? '')
    const other = await server.send(`/clusters/red${configMaps}?limit=1&continue=${token}`, { token: red })
    expect(other.text).not.toContain('"name":"b"')
  })

  test('a TokenReview does not know the accounts of another cluster', async () => {
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token: tokens['account of blue'] },
    }
    const review = async (base: string, token: string): Promise<boolean | undefined> => {
      const path = `${base}/apis/authentication.k8s.io/v1/tokenreviews`
      const reply = await server.send(path, { method: 'POST', body, token })
      return reply.json<{ status: { authenticated?: boolean } }>().status.authenticated
    }
    expect(await review('/clusters/blue', tokens.blue ?? '')).toBe(true)
    expect(await review('/clusters/red', tokens.red ?? '')).toBeUndefined()
    expect(await review('', server.token)).toBeUndefined()
  })
})

describe('A deleted cluster', () => {
  test('leaves no data, ends its watches, and its token stays invalid when the name is used again [C8]', async () => {
    const token = await make('short')
    const base = `/clusters/short${configMaps}`
    await server.send(base, { method: 'POST', body: configMap('a', 'needle-in-the-data'), token })
    const grep = (): string => {
      try {
        return execFileSync('grep', ['-rl', 'needle-in-the-data', join(server.dataDirectory)], { encoding: 'utf8' })
      } catch {
        return ''
      }
    }
    expect(grep()).not.toBe('')
    const watch = await server.open(`${base}?watch=true`, { token })
    const ended = (async () => {
      for await (const _ of watch);
    })().catch(() => undefined)
    await remove('short')
    await ended
    expect(grep()).toBe('')
    // The policy snapshot of a Worker may be a second old.
    await expect.poll(async () => (await server.send(base, { token })).status).toBe(404)
    const next = await make('short')
    await expect.poll(async () => (await server.send(base, { token })).status, { timeout: 5000 }).toBe(401)
    const left = (await server.send(base, { token: next })).json<List>()
    expect(left.items.map(({ metadata }) => metadata.name)).toEqual(['kube-root-ca.crt'])
  })

  test('takes its Secret with it [C8]', async () => {
    await make('secret')
    const path = '/api/v1/namespaces/edgeplane-clusters/secrets/secret-kubeconfig'
    await remove('secret')
    await expect.poll(async () => (await server.send(path)).status).toBe(404)
  })
})

test('the definition of an earlier release gets the fields of this one when the server starts', async () => {
  const path = `${definitions}/clusters.edgeplane.dev`
  const fieldsOf = (text: string): Record<string, unknown> =>
    JSON.parse(text).spec.versions[0].schema.openAPIV3Schema.properties.spec.properties
  const now = await server.send(path)
  const earlier = now.json<{ spec: unknown }>()
  const fields = fieldsOf(now.text)
  expect(Object.keys(fields)).toContain('emulatedRelease')
  const { emulatedRelease: _, ...others } = fields
  const body = JSON.parse(JSON.stringify(earlier).replace(JSON.stringify(fields), () => JSON.stringify(others)))
  expect(fieldsOf((await server.send(path, { method: 'PUT', body })).text)).toEqual(others)
  await server.kill()
  server = await startServer({ dataDirectory: server.dataDirectory, port: server.port })
  expect(fieldsOf((await server.send(path)).text)).toEqual(fields)
})
