/** Group versions of other API servers: registration, requests in both directions, and discovery. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server.ts'
import { type Authority, makeAuthority } from '../certificate-authority.ts'
import {
  type Answer,
  type ExtensionServer,
  group,
  type Received,
  root,
  startExtensionServer,
  version,
} from './extension-server.ts'
import { apiService, available, collection, create, isFalse, isTrue, localService, serviceName } from './registration.ts'

let server: TestServer
let authority: Authority
let other: ExtensionServer
let proxies: string

beforeAll(async () => {
  server = await startServer()
  authority = await makeAuthority('extension')
  proxies = readFileSync(join(server.dataDirectory, 'tls/front-proxy-ca.crt'), 'utf8')
  other = await startExtensionServer(authority, proxies)
  await create(server, '/api/v1/namespaces', { metadata: { name: 'metrics' } })
  await create(server, '/api/v1/namespaces/metrics/services', localService(other.port))
  await create(server, collection, apiService(other.port, authority.certificate))
  await available(server, isTrue)
}, 60_000)

beforeEach(() => {
  other.received.length = 0
  other.answers.clear()
})

afterAll(async () => {
  await other.stop()
  await server.stop()
})

const valuesOf = ({ headers }: Received, name: string): string[] =>
  headers.filter(([one]) => one === name).map(([, value]) => value)

async function lastReceived(): Promise<Received> {
  const one = other.received.at(-1)
  if (one === undefined) throw new Error('nothing was received')
  return one
}

describe('a request for a group version of another server', () => {
  test('is passed on with its method, query and body, and the response with its code and headers', async () => {
    other.answers.set('things', (_request, response) => {
      response.writeHead(418, { 'content-type': 'text/plain', 'x-own': 'yes', warning: '299 - "old"' })
      response.end('short and stout')
    })
    const reply = await server.send(`${root}/things?a=b&a=c%20d`, { method: 'PATCH', body: '[1]', headers: { 'x-mine': 'yes' } })
    expect(reply).toMatchObject({ status: 418, text: 'short and stout', headers: { 'x-own': 'yes', warning: '299 - "old"' } })
    const received = await lastReceived()
    expect(received).toMatchObject({ method: 'PATCH', path: `${root}/things?a=b&a=c%20d`, body: '[1]' })
    expect(valuesOf(received, 'x-mine')).toEqual(['yes'])
    expect(valuesOf(received, 'x-forwarded-for')).toEqual(['127.0.0.1'])
  })

  test('names its user by headers of the front proxy, whose certificate proves them', async () => {
    await server.send(`${root}/nodes`)
    const received = await lastReceived()
    expect(received.certificate).toBe('front-proxy-client')
    expect(valuesOf(received, 'x-remote-user')).toEqual(['admin'])
    expect(valuesOf(received, 'x-remote-group')).toEqual(['system:masters', 'system:authenticated'])
    expect(valuesOf(received, 'authorization')).toEqual([])
  })

  test('cannot bring X-Remote headers of its own', async () => {
    const headers = { 'X-Remote-User': 'root', 'x-remote-group': 'system:masters', 'X-Remote-Extra-Scope': 'all' }
    await server.send(`${root}/nodes`, {
      headers: { ...headers, 'Impersonate-User': 'jane', 'Impersonate-Group': 'system:masters' },
    })
    const received = await lastReceived()
    expect(valuesOf(received, 'x-remote-user')).toEqual(['jane'])
    expect(received.headers.filter(([name]) => name.startsWith('x-remote-extra') || name.startsWith('impersonate'))).toEqual([])
  })

  test('403 without the permission, before it is passed on', async () => {
    const reply = await server.send(`${root}/nodes`, { headers: { 'Impersonate-User': 'jane' } })
    expect(reply.status).toBe(403)
    expect(reply.text).toContain(`cannot list resource \\"nodes\\" in API group \\"${group}\\" at the cluster scope`)
    expect(other.received).toEqual([])
  })

  test('502 for a redirect', async () => {
    other.answers.set('away', (_request, response) => response.writeHead(302, { location: 'https://example.com/' }).end())
    const reply = await server.send(`${root}/away`)
    expect(reply).toMatchObject({ status: 502, text: 'the backend attempted to redirect this request, which is not permitted' })
  })

  test('503 if the server closes the connection without a response', async () => {
    other.answers.set('cut', (request) => request.socket.destroy())
    const reply = await server.send(`${root}/cut`, { method: 'POST', body: '{}' })
    expect(reply).toMatchObject({ status: 503, text: 'error trying to reach service: EOF\n' })
  })

  test('keeps the compression of the response', async () => {
    const zipped = gzipSync('x'.repeat(100_000))
    other.answers.set('zip', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip', 'content-length': zipped.length })
      response.end(zipped)
    })
    const response = await server.open(`${root}/zip`, { headers: { 'accept-encoding': 'gzip' } })
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    expect(response.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(Buffer.concat(chunks)).length).toBe(100_000)
  })

  test('uses connections that are kept open', async () => {
    await server.send(`${root}/nodes`)
    const before = other.connections()
    for (let i = 0; i < 10; i++) await server.send(`${root}/nodes`, { method: i % 2 === 0 ? 'GET' : 'POST', body: '{}' })
    expect(other.connections() - before).toBeLessThanOrEqual(1)
  })
})

describe('a watch of another server', () => {
  async function begin(): Promise<{
    readonly client: IncomingMessage
    readonly events: (text: string) => void
    readonly gone: Promise<unknown>
  }> {
    const { promise, resolve } = Promise.withResolvers<{ events: (text: string) => void; gone: Promise<unknown> }>()
    other.answers.set('nodes', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.flushHeaders()
      resolve({ events: (text) => response.write(text), gone: once(response, 'close') })
    })
    const client = await server.open(`${root}/nodes?watch=true`)
    return { client, ...(await promise) }
  }

  test('passes each event on when it comes, and the disconnection of the client', async () => {
    const { client, events, gone } = await begin()
    for (const event of ['{"type":"ADDED"}\n', '{"type":"DELETED"}\n']) {
      events(event)
      const [data] = (await once(client, 'data')) as [Buffer]
      expect(data.toString()).toBe(event)
    }
    client.destroy()
    // The runtime notices a lost client when it writes.
    const writing = setInterval(() => events('{"type":"ADDED"}\n'), 10)
    await gone
    clearInterval(writing)
  })
})

describe('discovery', () => {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  interface Groups {
    readonly items: readonly { readonly metadata: { readonly name: string }; readonly versions: readonly object[] }[]
  }
  const groups = async () => (await server.send('/apis', { headers: { accept } })).json<Groups>().items
  const own = async () => (await groups()).find(({ metadata }) => metadata.name === group)?.versions

  test('shows the resources of another server, and nothing else that it says', async () => {
    expect(await own()).toEqual([
      {
        version,
        resources: [
          {
            resource: 'nodes',
            responseKind: { group: '', version: '', kind: 'NodeMetrics' },
            scope: 'Cluster',
            singularResource: 'node',
            verbs: ['get', 'list'],
          },
        ],
        freshness: 'Current',
      },
    ])
    const apps = (await groups()).find(({ metadata }) => metadata.name === 'apps')
    expect(JSON.stringify(apps)).toContain('"deployments"')
    // The lowest priority.
    expect((await groups()).at(-1)?.metadata.name).toBe(group)
  })

  test('lists the group at /apis, and describes it at its own path', async () => {
    const { groups: listed } = (await server.send('/apis')).json<{ groups: { name: string }[] }>()
    expect(listed.at(-1)?.name).toBe(group)
    const described = (await server.send(`/apis/${group}`)).json()
    expect(described).toMatchObject({ kind: 'APIGroup', preferredVersion: { version } })
    expect((await server.send(root)).json()).toMatchObject({ kind: 'APIResourceList' })
    expect((await server.send(`/apis/${group}/v2/nodes`)).status).toBe(404)
  })

  test('lists its OpenAPI 3, only for its own group version, and passes the document on', async () => {
    const { paths } = (await server.send('/openapi/v3')).json<{ paths: Record<string, { serverRelativeURL: string }> }>()
    expect(paths[`apis/${group}/${version}`]).toEqual({ serverRelativeURL: `/openapi/v3/apis/${group}/${version}?hash=ABC` })
    expect(paths['api/v1']?.serverRelativeURL).not.toContain('LIE')
    expect(paths[`apis/${group}`]).toBeUndefined()
    expect((await server.send(`/openapi/v3/apis/${group}/${version}?hash=ABC`)).json()).toMatchObject({
      info: { title: 'other' },
    })
  })
})

/** The `/openapi/v3` of a server that has only OpenAPI 2. */
const noVersion3: Answer = (_request, response) => void response.writeHead(404).end()

test('a server without OpenAPI 3 gets it: its document of version 2 is converted', async () => {
  other.answers.set('/openapi/v3', noVersion3)
  const type = { 'content-type': 'application/merge-patch+json' }
  const priority = (versionPriority: number) =>
    server.send(`${collection}/${serviceName}`, { method: 'PATCH', body: { spec: { versionPriority } }, headers: type })
  const indexed = async (): Promise<string> => {
    const { paths } = (await server.send('/openapi/v3')).json<{ paths: Record<string, { serverRelativeURL: string }> }>()
    return paths[`apis/${group}/${version}`]?.serverRelativeURL ?? ''
  }
  // A change of the APIService is a reason to ask the server again.
  await priority(101)
  await expect.poll(indexed, { timeout: 20_000 }).toMatch(/\?hash=[0-9A-F]{128}$/)
  const url = await indexed()
  const reply = await server.send(url)
  expect(reply.json()).toEqual({
    openapi: '3.0.0',
    info: {},
    paths: {
      [`${root}/nodes`]: {
        get: { responses: { 200: { description: 'OK', content: {} } } },
      },
    },
    components: { schemas: { NodeMetrics: { type: 'object' } } },
  })
  expect(reply.headers.etag).toBe(`"${url.split('hash=')[1]}"`)
  expect((await server.send(url, { headers: { 'if-none-match': String(reply.headers.etag) } })).status).toBe(304)
  expect((await server.send(url.replace(/hash=.*/, 'hash=OLD'))).headers.location).toBe(url)
  const binary = { accept: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf' }
  expect((await server.send(url, { headers: binary })).text).toContain(`${root}/nodes`)
  other.answers.clear()
  await priority(100)
  await expect.poll(indexed, { timeout: 20_000 }).toContain('hash=ABC')
})

describe('/openapi/v2', () => {
  interface Whole {
    readonly paths: Readonly<Record<string, object>>
    readonly definitions: Readonly<Record<string, object>>
  }

  test('contains the paths and definitions of another server, and an ETag for all of it', async () => {
    const reply = await server.send('/openapi/v2')
    const { paths, definitions } = reply.json<Whole>()
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/api/v1/pods', `${root}/nodes`]))
    expect(Object.keys(paths)).not.toContain('/api/v1/lies')
    expect(definitions).toMatchObject({ NodeMetrics: { type: 'object' } })
    const tag = String(reply.headers.etag)
    expect(tag).toMatch(/^"[0-9A-F]{128}"$/)
    expect((await server.send('/openapi/v2', { headers: { 'if-none-match': tag } })).status).toBe(304)
    const binary = await server.send('/openapi/v2', {
      headers: { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' },
    })
    expect(binary.text).toContain(`${root}/nodes`)
  })
})

test('the ConfigMap extension-apiserver-authentication names the front proxy, and is restored', async () => {
  const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication'
  const { data } = (await server.send(path)).json<{ data: Record<string, string> }>()
  expect(data['requestheader-client-ca-file']).toBe(proxies)
  expect(data['requestheader-allowed-names']).toBe('["front-proxy-client"]')
  const watch = await server.open(
    `${path.slice(0, path.lastIndexOf('/'))}?watch=1&fieldSelector=metadata.name%3Dextension-apiserver-authentication`,
  )
  const restored = (async () => {
    let text = ''
    for await (const chunk of watch) {
      text += String(chunk)
      if (text.split('"type":"MODIFIED"').length > 2) return
    }
  })()
  const changed = { data: { 'requestheader-client-ca-file': 'wrong' } }
  const type = { 'content-type': 'application/merge-patch+json' }
  expect((await server.send(path, { method: 'PATCH', body: changed, headers: type })).status).toBe(200)
  await restored
  watch.destroy()
  expect((await server.send(path)).json<{ data: object }>().data).toEqual(data)
})

describe('a ServiceAccount of an extension server that has only system:auth-delegator', () => {
  const accounts = '/api/v1/namespaces/metrics/serviceaccounts'
  const reviews = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' }
  const rbac = 'rbac.authorization.k8s.io'

  test('may review tokens and access, and nothing else', async () => {
    await create(server, accounts, { metadata: { name: 'api' } })
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
    const issued = await server.send(`${accounts}/api/token`, { method: 'POST', body: request })
    const { token } = issued.json<{ status: { token: string } }>().status
    const post = (path: string, body: object) => server.send(path, { method: 'POST', body, token })
    const tokenReview = () => post('/apis/authentication.k8s.io/v1/tokenreviews', { ...reviews, spec: { token: server.token } })
    expect((await tokenReview()).status).toBe(403)
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'system:auth-delegator' }
    const subjects = [{ kind: 'ServiceAccount', name: 'api', namespace: 'metrics' }]
    const binding = { metadata: { name: 'api:system:auth-delegator' }, roleRef, subjects }
    await create(server, `/apis/${rbac}/v1/clusterrolebindings`, binding)
    const reviewed = await tokenReview()
    expect(reviewed.status).toBe(201)
    expect(reviewed.json()).toMatchObject({ status: { authenticated: true, user: { username: 'admin' } } })
    const resourceAttributes = { group, version, resource: 'nodes', verb: 'list' }
    const access = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' }
    const decided = await post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      ...access,
      spec: { user: 'jane', groups: ['system:authenticated'], resourceAttributes },
    })
    expect(decided.json()).toMatchObject({ status: { allowed: false } })
    expect((await server.send('/api/v1/pods', { token })).status).toBe(403)
    expect((await server.send(`${root}/nodes`, { token })).status).toBe(403)
  })
})

describe('a server that ends', () => {
  test('makes its APIService unavailable: 503, and stale in discovery; and available again when it is back', async () => {
    const { port } = other
    const { promise: begun, resolve } = Promise.withResolvers<void>()
    other.answers.set('nodes', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"type":"ADDED"}\n', () => resolve())
    })
    const watch = await server.open(`${root}/nodes?watch=true`)
    const ended = new Promise((done) => watch.on('error', done).on('close', done).resume())
    await begun
    await other.stop()
    // A watch ends with its server.
    await ended
    // Requests are proof that the cluster is used; a changed Service is a reason to ask at once.
    const touched = { metadata: { annotations: { touched: 'yes' } } }
    const type = { 'content-type': 'application/merge-patch+json' }
    const touch = () => server.send('/api/v1/namespaces/metrics/services/api', { method: 'PATCH', body: touched, headers: type })
    await touch()
    const condition = await available(server, isFalse)
    expect(condition.reason).toBe('FailedDiscoveryCheck')
    const url = `https://localhost:${port}${root}`
    expect(condition.message).toBe(
      `failing or missing response from ${url}: Get "${url}": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    )
    // For a second, the server may be asked all the same.
    let text = ''
    while (!text.startsWith('service')) text = (await server.send(`${root}/nodes`)).text
    expect(await server.send(`${root}/nodes`)).toMatchObject({ status: 503, text: 'service unavailable\n' })
    const discovered = await server.send('/apis', {
      headers: { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' },
    })
    expect(discovered.text).toContain(`{"metadata":{"name":"${group}"},"versions":[{"version":"v1","freshness":"Stale"}]}`)
    other = await startExtensionServer(authority, proxies, port)
    await available(server, isTrue)
    expect((await server.send(`${root}/nodes`)).status).toBe(200)
  })
})

test('a deleted APIService: its paths are not found', async () => {
  await server.send(`${collection}/${serviceName}`, { method: 'DELETE' })
  expect((await server.send(`${root}/nodes`)).status).toBe(404)
  expect((await server.send(`/apis/${group}`)).status).toBe(404)
})
