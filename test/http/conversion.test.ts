/** Custom resources with a conversion webhook, in each version. */
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'
import { type ConversionWebhook, type Host, startWebhook, success } from './conversion-webhook.ts'
import { openSocket } from './socket.ts'

let server: TestServer
let webhook: ConversionWebhook

beforeAll(async () => {
  webhook = await startWebhook()
  server = await startServer()
})

afterAll(async () => {
  await server.stop()
  webhook.stop()
})

beforeEach(() => {
  webhook.answer = success
  webhook.requests.length = 0
})

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const namespace = 'default'

const schema = (properties: object): object => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
})
const text = { type: 'string' }

interface Choice {
  readonly storage?: 'v1' | 'v2'
  readonly clientConfig?: object
}

const caBundle = (): string => Buffer.from(webhook.authority).toString('base64')
const clientConfig = (path = '/convert'): object => ({ url: `https://127.0.0.1:${webhook.port}${path}`, caBundle: caBundle() })

function definition(group: string, { storage = 'v2', clientConfig: config = clientConfig() }: Choice = {}): object {
  const version = (name: string, properties: object): object => ({
    name,
    served: true,
    storage: name === storage,
    schema: schema({ replicas: { type: 'integer' }, ...properties }),
    subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
    selectableFields: name === 'v1' ? [{ jsonPath: '.spec.hostPort' }] : [{ jsonPath: '.spec.host' }],
    additionalPrinterColumns: [{ name: 'At', type: 'string', jsonPath: name === 'v1' ? '.spec.hostPort' : '.spec.host' }],
  })
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `hosts.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'hosts', kind: 'Host' },
      versions: [version('v1', { hostPort: text }), version('v2', { host: text, port: text })],
      conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: config } },
    },
  }
}

/** A client for one group. */
interface Hosts {
  readonly group: string
  path(version: string, rest?: string): string
  create(version: 'v1' | 'v2', name: string, metadata?: object): Promise<Reply>
  get(version: 'v1' | 'v2', name: string): Promise<Reply>
  patch(version: 'v1' | 'v2', name: string, patch: object): Promise<Reply>
  redefine(choice: Choice): Promise<void>
}

const groups = (function* () {
  for (let i = 1; ; i++) yield `g${i}.example.com`
})()

async function hostsOf(choice?: Choice): Promise<Hosts> {
  const group = groups.next().value
  expect((await server.send(definitions, { method: 'POST', body: definition(group, choice) })).status).toBe(201)
  const path = (version: string, rest = ''): string => `/apis/${group}/${version}/namespaces/${namespace}/hosts${rest}`
  const specs = { v1: (name: string) => ({ hostPort: `${name}:80` }), v2: (name: string) => ({ host: name, port: '80' }) }
  return {
    group,
    path,
    create: (version, name, metadata = {}) =>
      server.send(path(version), {
        method: 'POST',
        body: { apiVersion: `${group}/${version}`, kind: 'Host', metadata: { name, ...metadata }, spec: specs[version](name) },
      }),
    get: (version, name) => server.send(path(version, `/${name}`)),
    patch: (version, name, patch) =>
      server.send(path(version, `/${name}`), {
        method: 'PATCH',
        body: patch,
        headers: { 'content-type': 'application/merge-patch+json' },
      }),
    async redefine(changed) {
      const current = (await server.send(`${definitions}/hosts.${group}`)).json<{ metadata: { resourceVersion: string } }>()
      const { resourceVersion } = current.metadata
      const next = definition(group, changed) as { metadata: object }
      const body = { ...next, metadata: { ...next.metadata, resourceVersion } }
      expect((await server.send(`${definitions}/hosts.${group}`, { method: 'PUT', body })).status).toBe(200)
    },
  }
}

const specOf = (reply: Reply): unknown => reply.json<Host>().spec
const messageOf = (reply: Reply): string => reply.json<{ message: string }>().message
const refuse = (): { readonly response: unknown } => ({ response: undefined })

interface WatchEvent {
  readonly type: string
  readonly object: Host & { readonly message?: string }
}

/** Yields the events of a watch. */
async function* eventsOf(response: IncomingMessage): AsyncGenerator<WatchEvent> {
  let waiting = ''
  for await (const chunk of response) {
    waiting += String(chunk)
    for (let end = waiting.indexOf('\n'); end >= 0; end = waiting.indexOf('\n')) {
      const line = waiting.slice(0, end)
      waiting = waiting.slice(end + 1)
      if (line !== '') yield JSON.parse(line) as WatchEvent
    }
  }
}

test('every verb works in the requested version', async () => {
  const hosts = await hostsOf()
  expect(specOf(await hosts.create('v1', 'a'))).toEqual({ hostPort: 'a:80' })
  expect(specOf(await hosts.get('v2', 'a'))).toEqual({ host: 'a', port: '80' })
  expect(specOf(await hosts.patch('v2', 'a', { spec: { port: '81' } }))).toEqual({ host: 'a', port: '81' })
  expect(specOf(await hosts.patch('v1', 'a', { spec: { hostPort: 'b:82' } }))).toEqual({ hostPort: 'b:82' })
  const got = (await hosts.get('v1', 'a')).json<Host>()
  const put = { ...got, spec: { hostPort: 'c:83', replicas: 2 } }
  expect(specOf(await server.send(hosts.path('v1', '/a'), { method: 'PUT', body: put }))).toEqual(put.spec)
  const scaled = await server.send(hosts.path('v1', '/a/scale'))
  expect(scaled.json<{ spec: object }>().spec).toEqual({ replicas: 2 })
  const configuration = { apiVersion: `${hosts.group}/v1`, kind: 'Host', metadata: { name: 'a' }, spec: { hostPort: 'd:84' } }
  const applied = await server.send(hosts.path('v1', '/a?fieldManager=one&force=true'), {
    method: 'PATCH',
    body: configuration,
    headers: { 'content-type': 'application/apply-patch+yaml' },
  })
  expect(specOf(applied)).toEqual({ hostPort: 'd:84', replicas: 2 })
  const conflict = await server.send(hosts.path('v2', '/a?fieldManager=two'), {
    method: 'PATCH',
    body: { ...configuration, apiVersion: `${hosts.group}/v2`, spec: { host: 'e' } },
    headers: { 'content-type': 'application/apply-patch+yaml' },
  })
  expect(messageOf(conflict)).toBe('Apply failed with 1 conflict: conflict with "one": .spec.hostPort')
  expect((await server.send(hosts.path('v1', '/a'), { method: 'DELETE' })).status).toBe(200)
})

test('a list is converted in one webhook call, in order, without objects already in the version', async () => {
  const hosts = await hostsOf()
  for (const name of ['c', 'a', 'b']) await hosts.create('v2', name, { labels: { of: name } })
  webhook.requests.length = 0
  const specs = (reply: Reply): unknown[] => reply.json<{ items: Host[] }>().items.map(({ spec }) => spec)
  expect(specs(await server.send(hosts.path('v1')))).toEqual(['a', 'b', 'c'].map((name) => ({ hostPort: `${name}:80` })))
  expect(webhook.requests.map(({ objects }) => objects.length)).toEqual([3])
  expect(webhook.requests[0]?.objects.map(({ metadata }) => metadata.resourceVersion)).toEqual([undefined, undefined, undefined])
  await server.send(hosts.path('v2'))
  expect(webhook.requests.length).toBe(1)
  expect(specs(await server.send(hosts.path('v1', '?fieldSelector=spec.hostPort%3Db:80')))).toEqual([{ hostPort: 'b:80' }])
  expect(specs(await server.send(hosts.path('v1', '?labelSelector=of%3Dc')))).toEqual([{ hostPort: 'c:80' }])
  const table = await server.send(hosts.path('v1'), { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } })
  expect(table.json<{ rows: { cells: string[] }[] }>().rows.map(({ cells }) => cells)).toEqual(
    ['a', 'b', 'c'].map((name) => [name, `${name}:80`]),
  )
  const deleted = await server.send(hosts.path('v1', '?labelSelector=of%3Da'), { method: 'DELETE' })
  expect(specs(deleted)).toEqual([{ hostPort: 'a:80' }])
})

test('a long list needs few webhook calls and is complete', async () => {
  const hosts = await hostsOf()
  const names = Array.from({ length: 130 }, (_, i) => `h${String(i).padStart(3, '0')}`)
  await Promise.all(names.map((name) => hosts.create('v2', name)))
  webhook.requests.length = 0
  const listed = (await server.send(hosts.path('v1'))).json<{ items: Host[] }>().items
  expect(listed.map(({ metadata }) => metadata.name)).toEqual(names)
  expect(webhook.requests.length).toBe(1)
  const first = (await server.send(hosts.path('v1', '?limit=100'))).json<{ items: Host[]; metadata: { continue: string } }>()
  expect(first.items.length).toBe(100)
  const rest = await server.send(hosts.path('v1', `?limit=100&continue=${first.metadata.continue}`))
  expect(rest.json<{ items: Host[] }>().items.map(({ spec }) => spec?.hostPort)).toEqual(
    names.slice(100).map((name) => `${name}:80`),
  )
})

test('labelSelector uses the labels that the webhook returns', async () => {
  const hosts = await hostsOf()
  await hosts.create('v2', 'a', { labels: { stored: 'yes' } })
  webhook.answer = ({ uid, objects, desiredAPIVersion: apiVersion }) => ({
    response: {
      uid,
      result: { status: 'Success' },
      convertedObjects: objects.map((host) => ({
        ...host,
        apiVersion,
        metadata: { ...host.metadata, labels: { received: 'yes' } },
      })),
    },
  })
  await hosts.redefine({ clientConfig: clientConfig('/other') })
  const names = async (selector: string): Promise<unknown[]> => {
    const reply = await server.send(hosts.path('v1', `?labelSelector=${selector}`))
    return reply.json<{ items: Host[] }>().items.map(({ metadata }) => metadata.name)
  }
  expect(await names('received%3Dyes')).toEqual(['a'])
  expect(await names('stored%3Dyes')).toEqual([])
})

test('a watch converts events, and its selectors use the converted object', async () => {
  const hosts = await hostsOf()
  await hosts.create('v2', 'a')
  const all = eventsOf(await server.open(hosts.path('v1', '?watch=1&resourceVersion=0')))
  const some = eventsOf(await server.open(hosts.path('v1', '?watch=1&resourceVersion=0&fieldSelector=spec.hostPort%3Db:80')))
  const next = async (events: AsyncGenerator<WatchEvent>): Promise<unknown[]> => {
    const { type, object } = (await events.next()).value as WatchEvent
    return [type, object.apiVersion, object.spec]
  }
  const v1 = `${hosts.group}/v1`
  expect(await next(all)).toEqual(['ADDED', v1, { hostPort: 'a:80' }])
  await hosts.create('v1', 'b')
  await hosts.patch('v2', 'b', { spec: { host: 'c' } })
  await server.send(hosts.path('v2', '/b'), { method: 'DELETE' })
  expect(await next(all)).toEqual(['ADDED', v1, { hostPort: 'b:80' }])
  expect(await next(all)).toEqual(['MODIFIED', v1, { hostPort: 'c:80' }])
  expect(await next(all)).toEqual(['DELETED', v1, { hostPort: 'c:80' }])
  expect(await next(some)).toEqual(['ADDED', v1, { hostPort: 'b:80' }])
  expect(await next(some)).toEqual(['DELETED', v1, { hostPort: 'b:80' }])
  await all.return(undefined)
  await some.return(undefined)
})

test('a WebSocket watch converts events', async () => {
  const hosts = await hostsOf()
  await hosts.create('v2', 'a')
  const headers = { authorization: `Bearer ${server.token}` }
  const { frames } = await openSocket(server, hosts.path('v1', '?watch=1&resourceVersion=0'), headers)
  const received: unknown[] = []
  for await (const frame of frames()) {
    const { type, object } = JSON.parse(frame.text) as WatchEvent
    received.push([type, object.spec ?? object.message])
    if (received.length === 1) await hosts.create('v2', 'b')
    if (received.length === 2) webhook.answer = refuse
    if (received.length === 2) await hosts.create('v2', 'c')
    if (received.length === 3) break
  }
  const failed = `conversion webhook for ${hosts.group}/v2, Kind=Host failed: no response provided`
  expect(received).toEqual([
    ['ADDED', { hostPort: 'a:80' }],
    ['ADDED', { hostPort: 'b:80' }],
    ['ERROR', failed],
  ])
})

test("with a failing webhook the other version is unusable, with kube-apiserver's messages; the storage version works", async () => {
  const hosts = await hostsOf()
  await hosts.create('v2', 'a', { finalizers: ['example.com/hold'] })
  webhook.answer = refuse
  const why = `conversion webhook for ${hosts.group}/v2, Kind=Host failed: no response provided`
  const cached = `storage is (re)initializing: failed to list ${hosts.group}/v1, Kind=Host: ${why}`
  const answer = (reply: Reply): unknown[] => [reply.status, messageOf(reply)]
  expect(answer(await hosts.get('v1', 'a'))).toEqual([500, why])
  expect(answer(await hosts.patch('v1', 'a', {}))).toEqual([500, why])
  expect(answer(await server.send(hosts.path('v1', '/a'), { method: 'DELETE' }))).toEqual([500, why])
  expect(answer(await server.send(hosts.path('v1'), { method: 'DELETE' }))).toEqual([500, why])
  expect(answer(await server.send(hosts.path('v1', '?limit=500')))).toEqual([500, why])
  expect(answer(await server.send(hosts.path('v1')))).toEqual([429, cached])
  expect(answer(await server.send(hosts.path('v1', '?watch=1')))).toEqual([429, cached])
  expect(answer(await hosts.create('v1', 'b'))).toEqual([500, why.replace('/v2', '/v1')])
  expect((await hosts.patch('v2', 'a', { spec: { port: '1' } })).status).toBe(200)
  expect((await server.send(hosts.path('v2'))).json<{ items: Host[] }>().items.length).toBe(1)
  expect((await server.send(hosts.path('v2', '/a'), { method: 'DELETE' })).status).toBe(200)
})

test('an update succeeds if the webhook cannot convert managedFields; an apply fails', async () => {
  const hosts = await hostsOf()
  await hosts.create('v1', 'a')
  webhook.answer = refuse
  const body = { apiVersion: `${hosts.group}/v2`, kind: 'Host', metadata: { name: 'a' }, spec: { host: 'b' } }
  const headers = { 'content-type': 'application/apply-patch+yaml' }
  const path = hosts.path('v2', '/a?fieldManager=one&force=true')
  expect((await server.send(path, { method: 'PATCH', body, headers })).status).toBe(500)
  const patched = await hosts.patch('v2', 'a', { spec: { host: 'c' } })
  expect(patched.json<Host>()).toMatchObject({ spec: { host: 'c' } })
  expect(patched.json<Host>().metadata.managedFields).toBeUndefined()
})

test('a watch that cannot be converted ends with an ERROR event', async () => {
  const hosts = await hostsOf()
  await hosts.create('v2', 'a')
  const events = eventsOf(await server.open(hosts.path('v1', '?watch=1&resourceVersion=0')))
  expect((await events.next()).value?.type).toBe('ADDED')
  webhook.answer = refuse
  await hosts.create('v2', 'b')
  const { type, object } = (await events.next()).value as WatchEvent
  expect(type).toBe('ERROR')
  expect(object.message).toBe(`conversion webhook for ${hosts.group}/v2, Kind=Host failed: no response provided`)
  expect((await events.next()).done).toBe(true)
})

test('a slow webhook does not block other writes, and a patch applies to the current object', async () => {
  const hosts = await hostsOf()
  await hosts.create('v2', 'a')
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  webhook.answer = async (request) => {
    begun.resolve()
    await gate.promise
    return success(request)
  }
  const patched = hosts.patch('v1', 'a', { spec: { replicas: 3 } })
  await begun.promise
  expect((await hosts.patch('v2', 'a', { spec: { port: '99' } })).status).toBe(200)
  expect((await hosts.create('v2', 'b')).status).toBe(201)
  gate.resolve()
  expect(specOf(await patched)).toEqual({ hostPort: 'a:99', replicas: 3 })
})

test('objects keep their stored version until they are written', async () => {
  const hosts = await hostsOf({ storage: 'v1' })
  await hosts.create('v1', 'old')
  await hosts.create('v1', 'gone', { finalizers: ['example.com/hold'] })
  await hosts.redefine({ storage: 'v2' })
  await hosts.create('v2', 'new')
  webhook.requests.length = 0
  expect(specOf(await hosts.get('v1', 'old'))).toEqual({ hostPort: 'old:80' })
  expect(webhook.requests).toEqual([])
  expect(specOf(await hosts.get('v2', 'old'))).toEqual({ host: 'old', port: '80' })
  const specs = (reply: Reply): unknown[] => reply.json<{ items: Host[] }>().items.map(({ spec }) => spec)
  const names = ['gone', 'new', 'old']
  expect(specs(await server.send(hosts.path('v1')))).toEqual(names.map((name) => ({ hostPort: `${name}:80` })))
  expect(specs(await server.send(hosts.path('v2')))).toEqual(names.map((host) => ({ host, port: '80' })))
  const before = (await hosts.get('v2', 'old')).json<Host>()
  const after = (await server.send(hosts.path('v2', '/old'), { method: 'PUT', body: before })).json<Host>()
  expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion)
  const again = (await server.send(hosts.path('v2', '/old'), { method: 'PUT', body: after })).json<Host>()
  expect(again.metadata.resourceVersion).toBe(after.metadata.resourceVersion)
  await server.send(hosts.path('v1', '/gone'), { method: 'DELETE' })
  expect(specOf(await hosts.get('v2', 'gone'))).toEqual({ host: 'gone', port: '80' })
  const { storedVersions } = (await server.send(`${definitions}/hosts.${hosts.group}`)).json<{
    status: { storedVersions: string[] }
  }>().status
  expect(storedVersions).toEqual(['v1', 'v2'])
})

test('a namespace deletion does not need the webhook', async () => {
  const hosts = await hostsOf({ storage: 'v1' })
  const name = 'leaving'
  await server.send('/api/v1/namespaces', { method: 'POST', body: { metadata: { name } } })
  const path = `/apis/${hosts.group}/v1/namespaces/${name}/hosts`
  const body = { apiVersion: `${hosts.group}/v1`, kind: 'Host', metadata: { name: 'a' }, spec: { hostPort: 'a:80' } }
  expect((await server.send(path, { method: 'POST', body })).status).toBe(201)
  await hosts.redefine({ storage: 'v2' })
  webhook.answer = refuse
  const events = eventsOf(await server.open(`/api/v1/namespaces?watch=1&fieldSelector=metadata.name%3D${name}`))
  await server.send(`/api/v1/namespaces/${name}`, { method: 'DELETE' })
  for await (const { type } of events) if (type === 'DELETED') break
  expect(webhook.requests).toEqual([])
})

test.each([
  [
    'a 403 Status',
    { status: 403, type: 'application/json', text: '{"kind":"Status","apiVersion":"v1","message":"go away"}' },
    'go away',
  ],
  [
    'a 500 with text',
    { status: 500, type: 'text/plain', text: 'boom' },
    'an error on the server ("boom") has prevented the request from succeeding',
  ],
  [
    'nothing',
    { status: 200, type: 'application/json', text: '' },
    '0-length response with status code: 200 and content type: application/json',
  ],
  [
    'a redirect',
    { status: 307, type: 'text/plain', text: '' },
    'the server responded with the status code 307 but did not return more information',
  ],
])('a webhook response with %s is reported', async (_what, answer, why) => {
  const hosts = await hostsOf()
  await hosts.create('v2', 'a')
  webhook.answer = () => answer
  expect(messageOf(await hosts.get('v1', 'a'))).toBe(`conversion webhook for ${hosts.group}/v2, Kind=Host failed: ${why}`)
})

test('a webhook without a caBundle for its private CA is not trusted', async () => {
  const hosts = await hostsOf({ clientConfig: { url: `https://127.0.0.1:${webhook.port}/convert` } })
  await hosts.create('v2', 'a')
  const failure = messageOf(await hosts.get('v1', 'a'))
  expect(failure).toContain(
    '/convert?timeout=30s": tls: failed to verify certificate: x509: certificate signed by unknown authority',
  )
  expect(webhook.requests).toEqual([])
})

test('a webhook URL that refuses connections or has an unknown host is reported', async () => {
  const refused = await hostsOf({ clientConfig: { url: 'https://127.0.0.1:1' } })
  await refused.create('v2', 'a')
  expect(messageOf(await refused.get('v1', 'a'))).toBe(
    `conversion webhook for ${refused.group}/v2, Kind=Host failed: Post "https://127.0.0.1:1/?timeout=30s": dial tcp 127.0.0.1:1: connect: connection refused`,
  )
  const unknown = await hostsOf({ clientConfig: { url: 'https://host.invalid/convert' } })
  await unknown.create('v2', 'a')
  expect(messageOf(await unknown.get('v1', 'a'))).toContain(
    'Post "https://host.invalid/convert?timeout=30s": dial tcp: lookup host.invalid: no such host',
  )
})

test('a webhook response that is too long or incomplete is reported', async () => {
  const hosts = await hostsOf()
  await hosts.create('v2', 'a')
  const failed = `conversion webhook for ${hosts.group}/v2, Kind=Host failed: Post "https://127.0.0.1:${webhook.port}/convert?timeout=30s": `
  webhook.answer = () => ({ status: 200, type: 'application/json', text: ' '.repeat(33 * 1024 * 1024) })
  expect(messageOf(await hosts.get('v1', 'a'))).toBe(`${failed}the response is larger than 33554432 bytes`)
  webhook.answer = () => undefined
  expect(messageOf(await hosts.get('v1', 'a'))).toBe(`${failed}EOF`)
})

test('a webhook Service is called if its name is reachable, otherwise the reason is reported', async () => {
  const service = { namespace, name: 'converter', path: '/convert', port: webhook.port }
  const hosts = await hostsOf({ clientConfig: { service, caBundle: caBundle() } })
  await hosts.create('v2', 'a')
  const failed = `conversion webhook for ${hosts.group}/v2, Kind=Host failed: Post "https://converter.default.svc:${webhook.port}/convert?timeout=30s": `
  expect(messageOf(await hosts.get('v1', 'a'))).toBe(`${failed}service "converter" not found`)
  const spec = { type: 'ExternalName', externalName: 'localhost' }
  const services = `/api/v1/namespaces/${namespace}/services`
  await server.send(services, { method: 'POST', body: { metadata: { name: 'converter' }, spec } })
  expect(specOf(await hosts.get('v1', 'a'))).toEqual({ hostPort: 'a:80' })
})

test('a definition with an invalid caBundle is not established', async () => {
  const hosts = await hostsOf({ clientConfig: { ...clientConfig(), caBundle: Buffer.from('junk').toString('base64') } })
  const established = async (): Promise<unknown> => {
    const { status } = (await server.send(`${definitions}/hosts.${hosts.group}`)).json<{
      status: { conditions: { type: string; status: string; reason: string }[] }
    }>()
    const { status: value, reason } = status.conditions.find(({ type }) => type === 'Established') ?? {}
    return [value, reason]
  }
  expect(await established()).toEqual(['False', 'InvalidCABundle'])
  await hosts.redefine({ clientConfig: clientConfig() })
  expect(await established()).toEqual(['True', 'InitialNamesAccepted'])
  expect((await hosts.create('v1', 'a')).status).toBe(201)
})

test('a write whose webhook responds after the request timeout is a 504 and is not stored', async () => {
  const hosts = await hostsOf()
  await hosts.create('v2', 'late')
  let release: (() => void) | undefined
  const released = new Promise<void>((done) => {
    release = done
  })
  webhook.answer = async (request) => {
    await released
    return success(request)
  }
  const late = await server.send(`${hosts.path('v1', '/late')}?timeout=300ms`, {
    method: 'PATCH',
    body: { spec: { hostPort: 'other:81' } },
    headers: { 'content-type': 'application/merge-patch+json' },
  })
  expect(late.status).toBe(504)
  release?.()
  expect((await hosts.patch('v1', 'late', { metadata: { labels: { next: 'write' } } })).status).toBe(200)
  expect(specOf(await hosts.get('v1', 'late'))).toEqual({ hostPort: 'late:80' })
})
