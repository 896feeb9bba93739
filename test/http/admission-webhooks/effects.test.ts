/** The audit annotations and metrics of admission webhooks, and custom resources in several versions. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Reply } from '../../client.ts'
import { startServer, type TestServer } from '../../server.ts'
import { startWebhookServer, type WebhookServer } from './webhook-server.ts'

const policy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: Request, namespaces: [default]}
- level: Metadata
`

let server: TestServer
let webhook: WebhookServer
let directory: string

const configurations = '/apis/admissionregistration.k8s.io/v1'

async function configure(kind: 'mutating' | 'validating', name: string, webhooks: readonly object[]): Promise<void> {
  const title = kind === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration'
  const body = { apiVersion: 'admissionregistration.k8s.io/v1', kind: title, metadata: { name }, webhooks }
  const reply = await server.send(`${configurations}/${kind}webhookconfigurations`, { method: 'POST', body })
  expect(reply.status).toBe(201)
}

const hook = (name: string, path: string, fields: object = {}): object => ({
  name: `${name}.example.com`,
  clientConfig: { url: `https://127.0.0.1:${webhook.port}/${path}`, caBundle: webhook.caBundle },
  rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
  objectSelector: { matchLabels: { effects: 'yes' } },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...fields,
})

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'edgeplane-effects-'))
  writeFileSync(join(directory, 'policy.yaml'), policy)
  webhook = await startWebhookServer()
  const log = join(directory, 'audit.log')
  server = await startServer({ args: ['--audit-policy-file', join(directory, 'policy.yaml'), '--audit-log-path', log] })
  await server.send('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: 'other' } } })
  await configure('mutating', 'first', [hook('a', 'label-a'), hook('b', 'close', { failurePolicy: 'Ignore' })])
  await configure('mutating', 'second', [hook('c', 'no-change')])
  await configure('validating', 'third', [hook('d', 'annotate'), hook('e', 'garbage', { failurePolicy: 'Ignore' })])
})

afterAll(async () => {
  await server.stop()
  webhook.stop()
  rmSync(directory, { recursive: true, force: true })
})

const create = (namespace: string, name: string): Promise<Reply> =>
  server.send(`/api/v1/namespaces/${namespace}/configmaps`, {
    method: 'POST',
    body: { metadata: { name, labels: { effects: 'yes' } } },
  })

const annotationsOf = (reply: Reply): Promise<Record<string, string> | undefined> =>
  vi.waitFor(() => {
    const lines = readFileSync(join(directory, 'audit.log'), 'utf8').trim().split('\n')
    const events = lines.map((line) => JSON.parse(line) as { auditID: string; annotations?: Record<string, string> })
    const event = events.find(({ auditID }) => auditID === reply.headers['audit-id'])
    expect(event).toBeDefined()
    return event?.annotations
  })

const mutation = 'mutation.webhook.admission.k8s.io'
const text = (configuration: string, name: string, mutated: boolean): string =>
  JSON.stringify({ configuration, webhook: `${name}.example.com`, mutated })

const common = {
  [`${mutation}/round_0_index_0`]: text('first', 'a', true),
  [`${mutation}/round_0_index_1`]: text('first', 'b', false),
  [`failed-open.${mutation}/round_0_index_1`]: 'b.example.com',
  [`${mutation}/round_0_index_2`]: text('second', 'c', false),
  'd.example.com/key': 'value',
  'failed-open.validating.webhook.admission.k8s.io/round_0_index_1': 'e.example.com',
}

test('the audit log has annotations of webhooks, and patches at the level Request', async () => {
  const annotations = await annotationsOf(await create('default', 'recorded'))
  expect(annotations).toMatchObject(common)
  expect(JSON.parse(annotations?.['patch.webhook.admission.k8s.io/round_0_index_0'] ?? '')).toEqual({
    configuration: 'first',
    webhook: 'a.example.com',
    patch: [{ op: 'add', path: '/metadata/labels/a', value: '1' }],
    patchType: 'JSONPatch',
  })
})

test('the audit log has no patches of webhooks at the level Metadata', async () => {
  const annotations = await annotationsOf(await create('other', 'recorded'))
  expect(annotations).toMatchObject(common)
  expect(Object.keys(annotations ?? {}).filter((key) => key.startsWith('patch.'))).toEqual([])
})

test('apiserver_admission_webhook_* metrics count calls, rejections and ignored failures', async () => {
  await create('default', 'counted')
  const { text: metrics } = await server.send('/metrics')
  const line = (name: string, labels: string): RegExp => new RegExp(`^${name}\\{${labels}\\} [1-9]`, 'm')
  expect(metrics).toMatch(
    line(
      'apiserver_admission_webhook_request_total',
      'code="200",name="a.example.com",operation="CREATE",rejected="false",type="admit"',
    ),
  )
  expect(metrics).toMatch(line('apiserver_admission_webhook_fail_open_count', 'name="b.example.com",type="admit"'))
  expect(metrics).toMatch(line('apiserver_admission_webhook_fail_open_count', 'name="e.example.com",type="validating"'))
})

const versions = ['v1', 'v2'].map((name) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
  },
}))

test('a webhook sees a custom resource in the version of its rules, and patches it there', async () => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gears.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'gears', kind: 'Gear' }, versions },
  }
  await server.send('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { method: 'POST', body: definition })
  const rules = [{ operations: ['CREATE'], apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['gears'] }]
  await configure('mutating', 'gears', [hook('g', 'label-a', { rules, objectSelector: {} })])
  await configure('validating', 'gears', [hook('h', 'allow', { rules, objectSelector: {} })])
  webhook.received.length = 0
  const body = { apiVersion: 'example.com/v2', kind: 'Gear', metadata: { name: 'g', labels: {} }, spec: { teeth: 7 } }
  const withLabels = { ...body, metadata: { name: 'g', labels: { x: 'y' } } }
  const reply = await server.send('/apis/example.com/v2/namespaces/default/gears', { method: 'POST', body: withLabels })
  expect(reply.status).toBe(201)
  expect(reply.json()).toMatchObject({
    apiVersion: 'example.com/v2',
    metadata: { labels: { a: '1', x: 'y' } },
    spec: { teeth: 7 },
  })
  const seen = webhook.received.map(({ review: { request } }) => [
    (request.object as unknown as { apiVersion: string }).apiVersion,
    (request.resource as { version: string }).version,
    (request.requestResource as { version: string }).version,
  ])
  expect(seen).toEqual([
    ['example.com/v1', 'v1', 'v2'],
    ['example.com/v1', 'v1', 'v2'],
  ])
})

test('webhook calls of a collection one after the other share a connection', async () => {
  const called = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }
  await configure('validating', 'sharing', [hook('sharing', 'allow', { rules: [called], objectSelector: {} })])
  const before = webhook.connections()
  for (const name of ['one', 'two', 'three', 'four']) {
    const reply = await server.send('/api/v1/namespaces/default/secrets', { method: 'POST', body: { metadata: { name } } })
    expect(reply.status).toBe(201)
  }
  // In a cluster with one object, it is the one of earlier calls.
  expect(webhook.connections() - before).toBeLessThanOrEqual(1)
})

interface SeenService {
  readonly spec: { readonly clusterIP?: string; readonly ports: readonly { readonly nodePort?: number }[] }
}

test('a validating webhook sees the allocated clusterIP and nodePort of a Service, in one call', async () => {
  const rules = [{ operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['services'] }]
  await configure('validating', 'services', [hook('services', 'allow', { rules, objectSelector: {} })])
  webhook.received.length = 0
  const path = '/api/v1/namespaces/default/services'
  const spec = (type: string): object => ({
    type,
    ports: [
      { name: 'a', port: 80 },
      { name: 'b', port: 81 },
    ],
  })
  const replies = [
    await server.send(path, { method: 'POST', body: { metadata: { name: 'internal' }, spec: spec('ClusterIP') } }),
    await server.send(path, { method: 'POST', body: { metadata: { generateName: 'outer-' }, spec: spec('NodePort') } }),
    await server.send(`${path}/internal`, { method: 'PUT', body: { metadata: { name: 'internal' }, spec: spec('NodePort') } }),
  ]
  expect(replies.map(({ status }) => status)).toEqual([201, 201, 200])
  const written = replies.map((reply) => (reply.json() as SeenService).spec)
  expect(written[1]?.ports.map(({ nodePort }) => nodePort)).toEqual([expect.any(Number), expect.any(Number)])
  expect(webhook.received.map(({ review }) => (review.request.object as unknown as SeenService).spec)).toEqual(written)
})

test('a LimitRange without a name is created under a validating webhook, in one call', async () => {
  const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['limitranges'] }]
  await configure('validating', 'limits', [hook('limits', 'allow', { rules, objectSelector: {} })])
  webhook.received.length = 0
  const body = { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } }
  const reply = await server.send('/api/v1/namespaces/default/limitranges', { method: 'POST', body })
  expect(reply.status).toBe(201)
  expect(webhook.received.length).toBe(1)
})

test('a mutating webhook is called once for a Namespace that a policy with parameters matches', async () => {
  const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['namespaces'] }]
  const paramKind = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' }
  const validations = [{ expression: 'params.metadata.name == "view"' }]
  const spec = { paramKind, matchConstraints: { resourceRules: rules }, validations }
  const paramRef = { name: 'view', parameterNotFoundAction: 'Deny' }
  const binding = { policyName: 'parameters', validationActions: ['Deny'], paramRef }
  const post = async (resource: string, body: object): Promise<void> => {
    const { status } = await server.send(`${configurations}/${resource}`, { method: 'POST', body })
    expect(status).toBe(201)
  }
  await post('validatingadmissionpolicies', { metadata: { name: 'parameters' }, spec })
  await post('validatingadmissionpolicybindings', { metadata: { name: 'parameters' }, spec: binding })
  await configure('mutating', 'namespaces', [hook('namespaces', 'allow', { rules, objectSelector: {} })])
  webhook.received.length = 0
  const reply = await server.send('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: 'once' } } })
  expect(reply.status).toBe(201)
  expect(webhook.received.map(({ review }) => review.request.name)).toEqual(['once'])
})
