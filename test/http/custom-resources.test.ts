/** Custom resources over HTTPS: usable directly after their definition is created, by the same rules as built-in kinds. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startServer()
})

afterAll(async () => {
  await server.stop()
})

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

interface Version {
  readonly name: string
  readonly storage: boolean
}

function definition(group: string, spec: object, versions: readonly Version[] = [{ name: 'v1', storage: true }]): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget', shortNames: ['wg'] },
      versions: versions.map((version) => ({
        ...version,
        served: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec, status: { type: 'object', properties: { replicas: { type: 'integer' } } } },
          },
        },
      })),
    },
  }
}

const sized = {
  type: 'object',
  properties: { size: { type: 'integer', minimum: 1 }, color: { type: 'string', default: 'red' }, replicas: { type: 'integer' } },
  'x-kubernetes-validations': [{ rule: 'self.size < 100', message: 'too large' }],
}

const create = (group: string, spec: object): Promise<Reply> =>
  server.send(definitions, { method: 'POST', body: definition(group, spec) })

const widgets = (group: string, version = 'v1'): string => `/apis/${group}/${version}/namespaces/default/widgets`

const widget = (group: string, name: string, spec: object): object => ({
  apiVersion: `${group}/v1`,
  kind: 'Widget',
  metadata: { name },
  spec,
})

const post = (group: string, name: string, spec: object): Promise<Reply> =>
  server.send(widgets(group), { method: 'POST', body: widget(group, name, spec) })

test('a definition is usable directly after its creation, in discovery and OpenAPI too', async () => {
  const group = 'at-once.example.com'
  expect((await create(group, sized)).status).toBe(201)
  const made = await post(group, 'a', { size: 3, unknown: 1 })
  expect(made.status).toBe(201)
  expect(made.headers.warning).toBe('299 - "unknown field \\"spec.unknown\\""')
  expect(made.json<{ spec: object }>().spec).toEqual({ size: 3, color: 'red' })
  const resources = (await server.send(`/apis/${group}/v1`)).json<{ resources: { name: string }[] }>().resources
  expect(resources.map(({ name }) => name)).toEqual(['widgets', 'widgets/status', 'widgets/scale'])
  expect((await server.send(`/openapi/v3/apis/${group}/v1`)).status).toBe(200)
  const table = await server.send(widgets(group), { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } })
  expect(table.json<{ rows: { cells: unknown[] }[] }>().rows.map(({ cells }) => cells)).toEqual([['a', 3]])
})

test('a definition with an unknown format, and a custom resource with a short finalizer: a warning', async () => {
  const group = 'warned.example.com'
  const made = await create(group, { type: 'object', properties: { a: { type: 'string', format: 'made-up' } } })
  expect([made.status, made.headers.warning]).toEqual([201, '299 - "unrecognized format \\"made-up\\""'])
  const body = { ...widget(group, 'a', {}), metadata: { name: 'a', finalizers: ['example.com/ok', 'short'] } }
  const kept = await server.send(`${widgets(group)}?dryRun=All`, { method: 'POST', body })
  expect([kept.status, kept.headers.warning]).toEqual([201, expect.stringContaining('prefer a domain-qualified finalizer name')])
})

test('schema and CEL rules are validated: 422', async () => {
  const group = 'rules.example.com'
  await create(group, sized)
  const wrong = await post(group, 'a', { size: 0 })
  expect([wrong.status, wrong.json().message]).toEqual([
    422,
    'Widget.rules.example.com "a" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
  ])
  const large = await post(group, 'a', { size: 100 })
  expect([large.status, large.json().message]).toEqual([
    422,
    'Widget.rules.example.com "a" is invalid: spec: Invalid value: too large',
  ])
})

test('a merge patch to another kind with malformed metadata: 422', async () => {
  const group = 'misnamed.example.com'
  await create(group, sized)
  await post(group, 'a', { size: 1 })
  const reply = await server.send(`${widgets(group)}/a`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { kind: 'Other', metadata: 5 },
  })
  expect(reply.status).toBe(422)
  expect(reply.json().message).toContain('json: cannot unmarshal number into Go value of type v1.ObjectMeta')
})

test('status and scale are subresources', async () => {
  const group = 'parts.example.com'
  await create(group, sized)
  await post(group, 'a', { size: 1, replicas: 2 })
  const patch = (path: string, body: object): Promise<Reply> =>
    server.send(`${widgets(group)}/a${path}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body,
    })
  expect((await patch('', { status: { replicas: 9 } })).json().status).toBeUndefined()
  const status = await patch('/status', { spec: { size: 50 }, status: { replicas: 2 } })
  expect(status.json()).toMatchObject({ spec: { size: 1 }, status: { replicas: 2 }, metadata: { generation: 1 } })
  const scaled = await patch('/scale', { spec: { replicas: 5 } })
  expect(scaled.json()).toMatchObject({ kind: 'Scale', spec: { replicas: 5 }, status: { replicas: 2 } })
  expect((await server.send(`${widgets(group)}/a`)).json()).toMatchObject({ spec: { replicas: 5 }, metadata: { generation: 2 } })
})

test('a changed schema applies to the next write, and stored objects get its defaults', async () => {
  const group = 'changes.example.com'
  await create(group, sized)
  await post(group, 'a', { size: 1 })
  const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/added'
  const body = [{ op: 'add', path, value: { type: 'string', default: 'new' } }]
  const headers = { 'content-type': 'application/json-patch+json' }
  expect((await server.send(`${definitions}/widgets.${group}`, { method: 'PATCH', headers, body })).status).toBe(200)
  expect((await post(group, 'b', { size: 1, added: 'x' })).json()).toMatchObject({ spec: { added: 'x' } })
  expect((await server.send(`${widgets(group)}/a`)).json()).toMatchObject({ spec: { added: 'new' } })
})

test('all versions serve the same objects', async () => {
  const group = 'versions.example.com'
  const versions = [
    { name: 'v1', storage: true },
    { name: 'v2', storage: false },
  ]
  await server.send(definitions, { method: 'POST', body: definition(group, sized, versions) })
  await post(group, 'a', { size: 1 })
  const other = await server.send(`${widgets(group, 'v2')}/a`)
  expect(other.json()).toMatchObject({ apiVersion: `${group}/v2`, spec: { size: 1 } })
})

test('deleting a definition deletes its objects, then its paths are 404', async () => {
  const group = 'gone.example.com'
  await create(group, sized)
  await post(group, 'a', { size: 1 })
  const deleted = await server.send(`${definitions}/widgets.${group}`, { method: 'DELETE' })
  expect(deleted.json()).toMatchObject({ metadata: { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] } })
  await expect
    .poll(async () => (await server.send(`${definitions}/widgets.${group}`)).status, { timeout: 20_000, interval: 100 })
    .toBe(404)
  // The policy snapshot may be one second old.
  await expect.poll(async () => (await server.send(widgets(group))).status, { timeout: 5000 }).toBe(404)
  await create(group, sized)
  expect((await server.send(widgets(group))).json<{ items: object[] }>().items).toEqual([])
})

test('a released name is accepted for the definition that waits for it, established or not', async () => {
  const named = (plural: string, names: object): object => {
    const { metadata, spec, ...rest } = definition('names.example.com', sized) as { metadata: object; spec: object }
    return {
      ...rest,
      metadata: { ...metadata, name: `${plural}.names.example.com` },
      spec: { ...spec, names: { plural, ...names } },
    }
  }
  const statusOf = async (plural: string): Promise<string> => {
    const { status } = (await server.send(`${definitions}/${plural}.names.example.com`)).json<{
      status: { acceptedNames: { shortNames?: string[] }; conditions: { type: string; status: string }[] }
    }>()
    const conditions = status.conditions.map(({ type, status: is }) => `${type}=${is}`).sort()
    return [...conditions, ...(status.acceptedNames.shortNames ?? [])].join(' ')
  }
  await server.send(definitions, { method: 'POST', body: named('owners', { kind: 'Owner', shortNames: ['o', 'wanted'] }) })
  await server.send(definitions, { method: 'POST', body: named('waiters', { kind: 'Waiter', shortNames: ['w'] }) })
  await server.send(definitions, { method: 'POST', body: named('laters', { kind: 'Owner' }) })
  const headers = { 'content-type': 'application/merge-patch+json' }
  const body = { spec: { names: { shortNames: ['w', 'wanted'] } } }
  await server.send(`${definitions}/waiters.names.example.com`, { method: 'PATCH', headers, body })
  expect(await statusOf('waiters')).toBe('Established=True NamesAccepted=False w')
  expect(await statusOf('laters')).toBe('Established=False NamesAccepted=False')
  await server.send(`${definitions}/owners.names.example.com`, { method: 'DELETE' })
  await expect.poll(() => statusOf('waiters'), { timeout: 20_000 }).toBe('Established=True NamesAccepted=True w wanted')
  await expect.poll(() => statusOf('laters'), { timeout: 20_000 }).toBe('Established=True NamesAccepted=True')
})

test('unknown fields of a schema are pruned, also within items and additionalProperties', async () => {
  const group = 'order.example.com'
  const items = { required: ['a'], unknown: 1, properties: { a: { type: 'string', also: true } }, type: 'object' }
  const additionalProperties = { maxLength: 3, type: 'string', unknown: 1 }
  const parts = { list: { type: 'array', items }, keys: { type: 'object', additionalProperties } }
  const made = await create(group, { type: 'object', properties: parts })
  expect([made.status, made.headers.warning]).toEqual([201, undefined])
  expect(made.text).toContain('"items":{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}')
  expect(made.text).toContain('"additionalProperties":{"type":"string","maxLength":3}')
  const wrong = await create('wrong.example.com', { type: 'object', additionalProperties: 'yes' })
  expect([wrong.status, wrong.json().message]).toEqual([
    400,
    'CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: boolean or JSON schema expected',
  ])
})

test('a new object has the default status, and the sent status is dropped', async () => {
  const group = 'status.example.com'
  const phase = { type: 'object', default: { phase: 'Pending' }, properties: { phase: { type: 'string' } } }
  const body = definition(group, { type: 'object' }) as { spec: { versions: { schema: { openAPIV3Schema: object } }[] } }
  const [version] = body.spec.versions
  if (version !== undefined) version.schema = { openAPIV3Schema: { type: 'object', properties: { status: phase } } }
  await server.send(definitions, { method: 'POST', body })
  const sent = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'a' }, status: { phase: 'Done' } }
  const made = await server.send(widgets(group), { method: 'POST', body: sent })
  expect(made.json()).toMatchObject({ status: { phase: 'Pending' } })
  expect((await server.send(`${widgets(group)}/a`)).json()).toMatchObject({ status: { phase: 'Pending' } })
})

test('a refused write still returns ratcheting warnings', async () => {
  const group = 'ratchet.example.com'
  const rule = { rule: "self != 'old'", message: 'must not be old' }
  const named = (rules: object[]): object => ({
    type: 'object',
    properties: {
      free: { type: 'string', 'x-kubernetes-validations': rules },
      size: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self < 2' }] },
    },
  })
  await create(group, named([]))
  await post(group, 'a', { free: 'old', size: 1 })
  const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec'
  const headers = { 'content-type': 'application/json-patch+json' }
  const body = [{ op: 'replace', path, value: { ...named([rule]) } }]
  expect((await server.send(`${definitions}/widgets.${group}`, { method: 'PATCH', headers, body })).status).toBe(200)
  const refused = await server.send(`${widgets(group)}/a`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { spec: { size: 2 } },
  })
  expect(refused.status).toBe(422)
  expect(refused.headers.warning).toBe('299 - "spec.free: Invalid value: \\"old\\": must not be old"')
})

test('a schema nested as deeply as JSON may be is answered with 400', async () => {
  const deep = (levels: number): string => `${'{"items":'.repeat(levels)}{}${'}'.repeat(levels)}`
  const text = JSON.stringify(definition('deep.example.com', { type: 'array', items: 'HERE' })).replace('"HERE"', deep(9000))
  const answer = await server.send(definitions, { method: 'POST', body: text })
  expect(answer.status).toBe(400)
  expect((await server.send('/livez')).status).toBe(200)
})
