/**
 * The places that the objects of a named cluster make the server connect to: every way of a call, with every form of address, against
 * a listener on all addresses of this machine. Only 127.0.0.2 is listed.
 */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../../lab/free-port.ts'
import type { Reply, RequestOptions } from '../client.ts'
import { type Authority, makeAuthority } from './certificate-authority.ts'
import { type ClusterServer, startClusterServer } from './cluster-server.ts'

const listed = '127.0.0.2'
const cluster = 'tenant'

let server: ClusterServer
let authority: Authority
let token: string
let port: number
let closedPort: number
/** The address of this machine to which each connection came. */
let reached: string[] = []
let answer: (request: IncomingMessage, response: ServerResponse) => void
const stop: (() => void)[] = []

/** Allows every review. */
const allow = (request: IncomingMessage, response: ServerResponse): void => {
  let body = ''
  request.on('data', (chunk) => {
    body += String(chunk)
  })
  request.on('end', () => {
    const { uid } = (JSON.parse(body) as { request: { uid: string } }).request
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } }))
  })
}

const inside = (path: string, options: RequestOptions = {}): Promise<Reply> => server.inside(cluster, path, { token, ...options })

async function create(path: string, body: object): Promise<Reply> {
  const reply = await inside(path, { method: 'POST', body })
  expect(reply.status, reply.text).toBe(201)
  return reply
}

beforeAll(async () => {
  authority = await makeAuthority('webhooks')
  const names = ['localhost', 'inner.default.svc', 'named.default.svc']
  const addresses = ['127.0.0.1', '127.0.0.2']
  const { certificate: cert, key } = await authority.issue([['CN', 'webhook']], { usage: 'serverAuth', addresses, names })
  const listener = createServer({ cert, key }, (request, response) => answer(request, response)).listen(0, '::')
  listener.on('connection', (socket) => reached.push((socket as Socket).localAddress ?? ''))
  stop.push(() => listener.close())
  await once(listener, 'listening')
  port = (listener.address() as AddressInfo).port
  closedPort = await freePort()
  const route = `default/routed:443=https://${listed}:${port}`
  server = await startClusterServer(['--cluster-egress', listed, '--service-routes', route])
  token = await server.make(cluster)
}, 60_000)

beforeEach(() => {
  reached = []
  answer = allow
})

afterAll(async () => {
  for (const one of stop) one()
  await server.stop()
})

const own = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .filter(({ internal, address }) => !internal && !address.startsWith('fe80'))
  .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address))

/** Hosts that lead to this machine, as a URL may have them. */
const hosts = [
  ...['127.0.0.1', '127.0.0.3', '0.0.0.0', '127.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '127.0.0.1.'],
  ...['localhost', 'LOCALHOST.', hostname(), '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]'],
  ...['[2002:7f00:1::]', '169.254.169.254', '10.0.0.1', ...own],
]
/** Such hosts as an ExternalName. */
const externalNames = ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', 'localhost', hostname(), '169.254.169.254']

const refusal = /dial tcp.*: (?:address not allowed|connect: connection refused|lookup \S+: no such host)$/

/** Returns a webhook that is called for objects whose label `host` is the index. */
const webhook = (clientConfig: object, index = 0): object => ({
  name: `host-${index}.example.com`,
  clientConfig,
  objectSelector: { matchLabels: { host: String(index) } },
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  timeoutSeconds: 3,
})

const admission = '/apis/admissionregistration.k8s.io/v1'
const caBundle = (): string => Buffer.from(authority.certificate).toString('base64')
const configMap = (index = 0): Promise<Reply> =>
  inside('/api/v1/namespaces/default/configmaps?dryRun=All', {
    method: 'POST',
    body: { metadata: { name: 'x', labels: { host: String(index) } } },
  })

/** Calls webhooks one after the other, and returns the message for each. */
async function messagesOf(kind: 'mutating' | 'validating', configurations: readonly object[]): Promise<string[]> {
  const path = `${admission}/${kind}webhookconfigurations`
  const webhooks = configurations.map((one, index) => webhook(one, index))
  await create(path, { metadata: { name: 'matrix' }, webhooks })
  const messages: string[] = []
  for (const index of webhooks.keys()) {
    const reply = await configMap(index)
    messages.push(reply.status === 201 ? 'reached' : reply.json<{ message: string }>().message)
  }
  expect((await inside(`${path}/matrix`, { method: 'DELETE' })).status).toBe(200)
  return messages
}

const external = (name: string, externalName: string): Promise<Reply> =>
  create('/api/v1/namespaces/default/services', {
    metadata: { name },
    spec: { type: 'ExternalName', externalName, ports: [{ port }] },
  })

describe('objects of a named cluster connect to nothing of this machine:', () => {
  test.each([
    ['validating', 'with its authority', () => ({ caBundle: caBundle() })],
    ['mutating', 'that everybody trusts', () => ({})],
  ] as const)('a %s webhook %s', async (kind, _, more) => {
    const messages = await messagesOf(
      kind,
      hosts.map((host) => ({ url: `https://${host}:${port}/review`, ...more() })),
    )
    for (const [index, message] of messages.entries()) expect(message, hosts[index]).toMatch(refusal)
    expect(reached).toEqual([])
  })

  test('an open port and a closed one have the same error', async () => {
    for (const host of ['127.0.0.1', 'localhost', hostname()]) {
      const [open = '', closed] = await messagesOf('validating', [
        { url: `https://${host}:${port}/`, caBundle: caBundle() },
        { url: `https://${host}:${closedPort}/`, caBundle: caBundle() },
      ])
      expect(closed).toBe(open.replaceAll(String(port), String(closedPort)).replace('host-0', 'host-1'))
    }
    expect(reached).toEqual([])
  })

  test('webhooks at a Service with an external name, and at a route of the operator', async () => {
    for (const [index, name] of externalNames.entries()) await external(`inner-${index}`, name)
    const messages = await messagesOf('validating', [
      ...externalNames.map((_, index) => ({
        service: { namespace: 'default', name: `inner-${index}`, port },
        caBundle: caBundle(),
      })),
      { service: { namespace: 'default', name: 'routed' }, caBundle: caBundle() },
    ])
    expect(messages.pop()).toMatch(/service "routed" not found$/)
    for (const [index, message] of messages.entries()) expect(message, externalNames[index]).toMatch(refusal)
    expect(reached).toEqual([])
  })

  test('conversion webhooks', async () => {
    const schema = { openAPIV3Schema: { type: 'object' } }
    await create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'lamps.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'lamps', kind: 'Lamp' },
        versions: [
          { name: 'v1', served: true, storage: true, schema },
          { name: 'v2', served: true, storage: false, schema },
        ],
        conversion: {
          strategy: 'Webhook',
          webhook: {
            conversionReviewVersions: ['v1'],
            clientConfig: { url: `https://127.0.0.1:${port}/convert`, caBundle: caBundle() },
          },
        },
      },
    })
    const lamp = { apiVersion: 'example.com/v2', kind: 'Lamp', metadata: { name: 'desk' } }
    const reply = await inside('/apis/example.com/v2/lamps', { method: 'POST', body: lamp })
    expect(reply.status).toBe(500)
    expect(reply.text).toContain('address not allowed')
    expect(reached).toEqual([])
  })

  test('extension servers', async () => {
    const names = externalNames.map((_, index) => `outer-${index}`)
    for (const [index, name] of externalNames.entries()) {
      await external(`outer-${index}`, name)
      await create('/apis/apiregistration.k8s.io/v1/apiservices', {
        metadata: { name: `v1.outer-${index}.example` },
        spec: {
          group: `outer-${index}.example`,
          version: 'v1',
          groupPriorityMinimum: 10,
          versionPriority: 10,
          insecureSkipTLSVerify: true,
          service: { namespace: 'default', name: `outer-${index}`, port },
        },
      })
    }
    for (const name of names) {
      const { message, status } = await conditionOf(`v1.${name}.example`)
      expect(status).toBe('False')
      expect(message).toMatch(/address not allowed|connection refused|no such host/)
      expect(await inside(`/apis/${name}.example/v1/things`)).toMatchObject({ status: 503 })
    }
    expect((await inside('/apis')).status).toBe(200)
    expect((await inside('/openapi/v3')).status).toBe(200)
    expect(reached).toEqual([])
  })

  test('proxies, logs and commands of nodes and Pods', async () => {
    for (const [index, address] of ['127.0.0.1', 'localhost', hostname(), ...own].entries()) {
      const { node, pod } = await workload(`near-${index}`, address.replace(/^\[|\]$/g, ''))
      for (const path of [
        `${node}/proxy/`,
        `${node}:${port}/proxy/`,
        `${pod}/proxy/`,
        `${pod}/log`,
        `${pod}/exec?command=ls&stdout=1`,
      ])
        expect((await inside(path)).status, path).toBeGreaterThanOrEqual(400)
    }
    expect(reached).toEqual([])
  })
})

/** Makes a node at an address, and a Pod on it. Returns their paths. */
async function workload(name: string, address: string): Promise<{ readonly node: string; readonly pod: string }> {
  const headers = { 'content-type': 'application/merge-patch+json' }
  const pods = '/api/v1/namespaces/default/pods'
  const [node, pod] = [`/api/v1/nodes/${name}`, `${pods}/${name}`]
  const setStatus = (path: string, status: object): Promise<Reply> =>
    inside(`${path}/status`, { method: 'PATCH', body: { status }, headers })
  await create('/api/v1/nodes', { metadata: { name } })
  const addresses = [{ type: 'InternalIP', address }]
  await setStatus(node, { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } })
  const containers = [{ name: 'main', image: 'app:1', ports: [{ containerPort: port }] }]
  await create(pods, { metadata: { name }, spec: { nodeName: name, containers, automountServiceAccountToken: false } })
  await setStatus(pod, { podIPs: [{ ip: own[0] ?? '192.0.2.1' }] })
  return { node, pod }
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly message: string
}

/** Resolves to the condition of an APIService when its server has been asked. */
async function conditionOf(name: string): Promise<Condition> {
  const path = `/clusters/${cluster}/apis/apiregistration.k8s.io/v1/apiservices?watch=1&fieldSelector=metadata.name%3D${name}`
  const response = await server.open(path, { token })
  let text = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      text += String(chunk)
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines.filter((one) => one.trim() !== '')) {
        const { object } = JSON.parse(line) as { object: { status?: { conditions?: readonly Condition[] } } }
        const condition = object.status?.conditions?.find(({ type }) => type === 'Available')
        if (condition?.message.includes('failing or missing response') === true) return condition
      }
    }
  } finally {
    response.destroy()
  }
  throw new Error('the watch has ended')
}

describe('objects of a named cluster connect to a listed address:', () => {
  test('a webhook by its URL and by a Service', async () => {
    await external('named', listed)
    const service = { namespace: 'default', name: 'named', port }
    const messages = await messagesOf('validating', [
      { url: `https://${listed}:${port}/`, caBundle: caBundle() },
      { service, caBundle: caBundle() },
    ])
    expect(messages).toEqual(['reached', 'reached'])
    expect(new Set(reached)).toEqual(new Set([`::ffff:${listed}`]))
  })

  test('a kubelet', async () => {
    answer = (_request, response) => void response.end('a line')
    const { pod } = await workload('far', listed)
    expect(await inside(`${pod}/log`)).toMatchObject({ status: 200, text: 'a line' })
  })

  test('its redirects are not followed', async () => {
    const asked: (string | undefined)[] = []
    answer = ({ headers }, response) => {
      asked.push(headers.host)
      response.writeHead(307, { location: `https://127.0.0.1:${port}/` }).end()
    }
    const [message] = await messagesOf('validating', [{ url: `https://${listed}:${port}/`, caBundle: caBundle() }])
    expect(message).toContain('the server responded with the status code 307')
    expect(asked).toEqual([`${listed}:${port}`])
  })
})

test('objects of the default cluster connect to this machine', async () => {
  const path = `${admission}/validatingwebhookconfigurations`
  const webhooks = [webhook({ url: `https://127.0.0.1:${port}/`, caBundle: caBundle() })]
  expect((await server.send(path, { method: 'POST', body: { metadata: { name: 'near' }, webhooks } })).status).toBe(201)
  const body = { metadata: { name: 'x', labels: { host: '0' } } }
  expect((await server.send('/api/v1/namespaces/default/configmaps?dryRun=All', { method: 'POST', body })).status).toBe(201)
  expect(reached).toEqual(['::ffff:127.0.0.1'])
})
