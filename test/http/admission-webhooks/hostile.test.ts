/** Admission webhooks that hang, lie, flood or cannot be trusted. */
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer as createPlainServer } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../../client.ts'
import { configMaps } from '../../paths.ts'
import { startServer, type TestServer } from '../../server.ts'
import { type Authority, makeAuthority, type Pair } from '../certificate-authority.ts'

interface Received {
  readonly path: string
  readonly uid: string
  readonly host: string | undefined
  readonly authorization: string | undefined
}

type Respond = (received: Received, response: import('node:http').ServerResponse) => void

let server: TestServer
let authority: Authority
let listener: Server
let port: number
let respond: Respond
const received: Received[] = []

const reviewOf = (response: object): string =>
  JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response })

async function listen({ certificate, key }: Pair, options: object = {}): Promise<Server> {
  const made = createServer({ cert: certificate, key, ...options }, async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { request: review } = JSON.parse(text) as { readonly request: { readonly uid: string } }
    const one = {
      path: request.url ?? '',
      uid: review.uid,
      host: request.headers.host,
      authorization: request.headers.authorization,
    }
    received.push(one)
    respond(one, response)
  })
  made.listen(0, '127.0.0.1')
  await once(made, 'listening')
  return made
}

const portOf = (made: Server): number => (made.address() as AddressInfo).port

beforeAll(async () => {
  authority = await makeAuthority('webhooks')
  listener = await listen(
    await authority.issue([['CN', 'server']], { usage: 'serverAuth', addresses: ['127.0.0.1'], names: ['routed.default.svc'] }),
  )
  port = portOf(listener)
  const routes = `default/routed:443=https://127.0.0.1:${port}`
  server = await startServer({ args: ['--service-routes', routes, ...credentialOptions()] })
})

afterAll(async () => {
  await server.stop()
  listener.closeAllConnections()
  listener.close()
})

/** Writes the credentials for webhooks, and returns the options with which the server reads them. */
function credentialOptions(): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'edgeplane-credentials-'))
  const kubeConfigFile = join(directory, 'webhooks.kubeconfig')
  const users = [{ name: 'routed.default.svc', user: { token: 'secret-of-routed' } }]
  writeFileSync(kubeConfigFile, JSON.stringify({ apiVersion: 'v1', kind: 'Config', users }))
  const configuration = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'WebhookAdmissionConfiguration', kubeConfigFile }
  const file = join(directory, 'admission.json')
  const plugins = [{ name: 'MutatingAdmissionWebhook', configuration }]
  writeFileSync(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins }))
  return ['--admission-control-config-file', file]
}

const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
const bundle = (pem: string): string => Buffer.from(pem).toString('base64')
const created: string[] = []
let counter = 0

/** Creates a webhook for ConfigMaps with a label, and returns the label. */
async function hook(clientConfig: object, fields: object = {}): Promise<string> {
  const name = `hook-${++counter}`
  const webhook = {
    name: `${name}.example.com`,
    clientConfig: { caBundle: bundle(authority.certificate), ...clientConfig },
    rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    objectSelector: { matchLabels: { hook: name } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...fields,
  }
  const body = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name },
    webhooks: [webhook],
  }
  expect((await server.send(configurations, { method: 'POST', body })).status).toBe(201)
  created.push(name)
  return name
}

afterEach(async () => {
  for (const name of created.splice(0)) await server.send(`${configurations}/${name}`, { method: 'DELETE' })
  received.length = 0
})

const url = (path = '/'): object => ({ url: `https://127.0.0.1:${port}${path}` })

const configMap = (name: string, label?: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...(label !== undefined && { labels: { hook: label } }) },
})

const post = (name: string, label?: string): Promise<Reply> =>
  server.send(configMaps, { method: 'POST', body: configMap(name, label) })

const messageOf = (reply: Reply): string => reply.json<{ message: string }>().message

describe('a webhook that hangs', () => {
  test('does not hold up other writes, and fails after its timeout', async () => {
    const { promise: reached, resolve } = Promise.withResolvers<void>()
    respond = () => resolve()
    const label = await hook(url('/hang'), { timeoutSeconds: 1 })
    const hanging = post('hanging', label)
    await reached
    expect((await post('beside')).status).toBe(201)
    const reply = await hanging
    expect(reply.status).toBe(500)
    expect(messageOf(reply)).toContain(`Post "https://127.0.0.1:${port}/hang?timeout=1s": context deadline exceeded`)
  })
})

describe('a response of a webhook', () => {
  test('may not be larger than 32 MiB', async () => {
    respond = (_one, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const chunk = Buffer.alloc(1024 * 1024, ' ')
      const write = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', write)
      }
      write()
    }
    const closed = new Promise((done) => listener.once('secureConnection', (socket: Socket) => socket.once('close', done)))
    const reply = await post('endless', await hook(url()))
    expect(messageOf(reply)).toContain('the response is larger than 33554432 bytes')
    await closed
  })

  test('may not be larger than 32 MiB when it is unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    respond = (_one, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      response.end(bomb)
    }
    const reply = await post('bomb', await hook(url()))
    expect(messageOf(reply)).toContain('the response is larger than 33554432 bytes')
  })

  test('with a redirect is not followed', async () => {
    respond = (_one, response) => {
      response.writeHead(307, { location: `https://127.0.0.1:${port}/other` })
      response.end()
    }
    const reply = await post('redirected', await hook(url('/moved')))
    expect(messageOf(reply)).toContain('the server responded with the status code 307 but did not return more information')
    expect(received.map(({ path }) => path)).toEqual(['/moved?timeout=10s'])
  })

  test('may patch an object up to its maximum size', async () => {
    const value = 'x'.repeat(1_000_000)
    const operation = { op: 'add', path: '/data', value: { a: value } }
    const patch = Buffer.from(JSON.stringify([operation, operation])).toString('base64')
    respond = ({ uid }, response) => response.end(reviewOf({ uid, allowed: true, patchType: 'JSONPatch', patch }))
    const reply = await post('patched', await hook(url()))
    expect(reply.status).toBe(201)
    expect(reply.json<{ data: { a: string } }>().data.a).toHaveLength(1_000_000)
  })

  test('in small chunks is read', async () => {
    respond = ({ uid }, response) => {
      for (const character of reviewOf({ uid, allowed: false, status: { message: 'chunked' } })) response.write(character)
      response.end()
    }
    expect(messageOf(await post('chunked', await hook(url())))).toContain('denied the request: chunked')
  })

  test('that is not HTTP fails the call', async () => {
    respond = (_one, response) => response.socket?.end('garbage\r\n\r\n')
    expect(messageOf(await post('garbage', await hook(url())))).toContain('malformed HTTP response')
  })
})

describe('the certificate of a webhook', () => {
  const servers: Server[] = []
  afterEach(() => {
    for (const each of servers.splice(0)) each.close()
  })

  const failing = async (pair: Pair, clientConfig: object = {}, options: object = {}): Promise<string> => {
    const own = await listen(pair, options)
    servers.push(own)
    const reply = await post(`certificate-${counter}`, await hook({ url: `https://127.0.0.1:${portOf(own)}/`, ...clientConfig }))
    expect(reply.status).toBe(500)
    expect(received).toEqual([])
    return messageOf(reply).replace(/.*timeout=10s": /, '')
  }

  test('must be of the caBundle', async () => {
    const other = await makeAuthority('others')
    const pair = await other.issue([['CN', 'server']], { usage: 'serverAuth', addresses: ['127.0.0.1'] })
    expect(await failing(pair)).toBe('tls: failed to verify certificate: x509: certificate signed by unknown authority')
  })

  test('must be signed by the key of the authority that it names', async () => {
    const impostor = await makeAuthority('webhooks')
    const pair = await impostor.issue([['CN', 'server']], { usage: 'serverAuth', addresses: ['127.0.0.1'] })
    expect(await failing(pair)).toBe(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority (possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority certificate "webhooks")',
    )
  })

  test('must be valid for the address', async () => {
    const pair = await authority.issue([['CN', 'server']], { usage: 'serverAuth', addresses: ['10.1.2.3'] })
    expect(await failing(pair)).toBe('tls: failed to verify certificate: x509: certificate is valid for 10.1.2.3, not 127.0.0.1')
  })

  test('must have names', async () => {
    const pair = await authority.issue([['CN', '127.0.0.1']], { usage: 'serverAuth' })
    expect(await failing(pair)).toContain(
      "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
    )
  })

  test('must not have expired', async () => {
    const pair = await authority.issue([['CN', 'server']], { usage: 'serverAuth', addresses: ['127.0.0.1'], from: -3, to: -2 })
    expect(await failing(pair)).toMatch(/x509: certificate has expired or is not yet valid: current time .*Z is after .*Z$/)
  })

  test('must be one of servers', async () => {
    const pair = await authority.issue([['CN', 'server']], { usage: 'clientAuth', addresses: ['127.0.0.1'] })
    expect(await failing(pair)).toContain('x509: certificate specifies an incompatible key usage')
  })

  test('may have an RSA key', async () => {
    const pair = await authority.issue([['CN', 'server']], { usage: 'serverAuth', addresses: ['127.0.0.1'], key: 'rsa' })
    const own = await listen(pair)
    servers.push(own)
    respond = ({ uid }, response) => response.end(reviewOf({ uid, allowed: true }))
    expect((await post('rsa', await hook({ url: `https://127.0.0.1:${portOf(own)}/` }))).status).toBe(201)
  })

  test('must be of its authority over TLS 1.2 too', async () => {
    const wish = { usage: 'serverAuth', addresses: ['127.0.0.1'] } as const
    const pair = await (await makeAuthority('others')).issue([['CN', 'server']], wish)
    expect(await failing(pair, {}, { maxVersion: 'TLSv1.2' })).toContain('x509: certificate signed by unknown authority')
    const own = await listen(await authority.issue([['CN', 'server']], wish), { maxVersion: 'TLSv1.2' })
    servers.push(own)
    respond = ({ uid }, response) => response.end(reviewOf({ uid, allowed: true }))
    expect((await post('older', await hook({ url: `https://127.0.0.1:${portOf(own)}/` }))).status).toBe(201)
  })

  test('is needed: an HTTP server is recognised', async () => {
    const plain = createPlainServer((_request, response) => response.end('{}'))
    plain.listen(0, '127.0.0.1')
    await once(plain, 'listening')
    const plainPort = (plain.address() as AddressInfo).port
    const reply = await post('plain', await hook({ url: `https://127.0.0.1:${plainPort}/` }))
    plain.close()
    expect(messageOf(reply)).toContain('http: server gave HTTP response to HTTPS client')
  })
})

describe('the Service of a webhook', () => {
  test('is reached by its route, under the name of the Service', async () => {
    respond = ({ uid, host }, response) => response.end(reviewOf({ uid, allowed: false, status: { message: `at ${host}` } }))
    const label = await hook({ service: { namespace: 'default', name: 'routed', path: '/in' } })
    expect(messageOf(await post('routed', label))).toContain('denied the request: at routed.default.svc:443')
    expect(received.map(({ path, authorization }) => [path, authorization])).toEqual([
      ['/in?timeout=10s', 'Bearer secret-of-routed'],
    ])
  })

  test('without endpoints cannot be reached', async () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'empty' }, spec: { ports: [{ port: 443 }] } }
    expect((await server.send('/api/v1/namespaces/default/services', { method: 'POST', body: service })).status).toBe(201)
    const label = await hook({ service: { namespace: 'default', name: 'empty' } })
    const expected = 'Post "https://empty.default.svc:443/?timeout=10s": no endpoints available for service "empty"'
    expect(messageOf(await post('empty', label))).toContain(expected)
  })

  test('with an external name needs a certificate of the Service', async () => {
    const spec = { type: 'ExternalName', externalName: 'localhost' }
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'external' }, spec }
    expect((await server.send('/api/v1/namespaces/default/services', { method: 'POST', body: service })).status).toBe(201)
    const label = await hook({ service: { namespace: 'default', name: 'external', port } })
    expect(messageOf(await post('external', label))).toContain(
      'x509: certificate is valid for routed.default.svc, not external.default.svc',
    )
  })
})
