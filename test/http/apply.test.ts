/** Server-side apply over HTTPS, with the server's default settings. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
let counter = 0

beforeAll(async () => {
  server = await startServer()
}, 30_000)
afterAll(() => server.stop())

interface Entry {
  readonly manager: string
  readonly operation: string
  readonly apiVersion: string
  readonly subresource?: string
  readonly fieldsV1: Readonly<Record<string, unknown>>
}
interface Item {
  readonly metadata: {
    readonly uid: string
    readonly resourceVersion: string
    readonly generation?: number
    readonly annotations?: Readonly<Record<string, string>>
    readonly managedFields?: readonly Entry[]
  }
  readonly data?: Readonly<Record<string, string>>
  readonly spec: Readonly<Record<string, unknown>>
  readonly status: Readonly<Record<string, unknown>>
}
interface Status {
  readonly message: string
  readonly reason?: string
  readonly details?: { readonly causes?: readonly unknown[] }
}

const fresh = (): string => `applied-${counter++}`
const configMap = (name: string, data: Record<string, unknown>, metadata: Record<string, unknown> = {}): unknown => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})

/** Applies a document; one that is not a string is sent as JSON. */
function apply(path: string, document: unknown, parameters = 'fieldManager=alice'): Promise<Reply> {
  const headers = { 'content-type': 'application/apply-patch+yaml' }
  return server.send(`${path}?${parameters}`, { method: 'PATCH', headers, body: document })
}

function mergePatch(path: string, document: unknown, manager = 'editor'): Promise<Reply> {
  const headers = { 'content-type': 'application/merge-patch+json' }
  return server.send(`${path}?fieldManager=${manager}`, { method: 'PATCH', headers, body: document })
}

const owners = ({ metadata }: Item): [string, string, unknown][] =>
  (metadata.managedFields ?? []).map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1])

describe('server-side apply', () => {
  test('creates an object with 201, and updates it with 200', async () => {
    const name = fresh()
    const made = await apply(`${configMaps}/${name}`, configMap(name, { a: '1', b: '1' }))
    expect(made.status).toBe(201)
    expect(owners(made.json())).toEqual([['alice', 'Apply', { 'f:data': { 'f:a': {}, 'f:b': {} } }]])
    const changed = await apply(`${configMaps}/${name}`, configMap(name, { a: '2' }))
    expect([changed.status, changed.json<Item>().data]).toEqual([200, { a: '2' }])
    expect(changed.json<Item>().metadata.uid).toBe(made.json<Item>().metadata.uid)
  })

  test('without a change keeps the resourceVersion', async () => {
    const name = fresh()
    const path = `/apis/apps/v1/namespaces/default/deployments/${name}`
    const document = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        selector: { matchLabels: { app: 'a' } },
        strategy: { rollingUpdate: { maxSurge: 1 } },
        template: {
          metadata: { labels: { app: 'a' } },
          spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '1000m' } } }] },
        },
      },
    }
    const made = (await apply(path, document)).json<Item>()
    const again = (await apply(path, document)).json<Item>()
    expect(again.metadata).toEqual(made.metadata)
    expect((await server.send(path)).json<Item>().metadata.resourceVersion).toBe(made.metadata.resourceVersion)
  })

  test('with dryRun=All stores nothing', async () => {
    const name = fresh()
    const made = await apply(`${configMaps}/${name}`, configMap(name, { a: '1' }), 'fieldManager=alice&dryRun=All')
    expect(made.status).toBe(201)
    expect((await server.send(`${configMaps}/${name}`)).status).toBe(404)
  })

  test('of a status is 404 if the object does not exist', async () => {
    const name = fresh()
    const path = `/apis/apps/v1/namespaces/default/replicasets/${name}`
    const whole = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name } }
    expect((await apply(`${path}/status`, { ...whole, status: { replicas: 1 } })).status).toBe(404)
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    const spec = { replicas: 1, selector: { matchLabels: { a: 'b' } }, template }
    expect((await apply(path, { ...whole, spec, status: { replicas: 5 } })).json<Item>().status).toEqual({ replicas: 0 })
    const item = (await apply(`${path}/status`, { ...whole, spec: { replicas: 7 }, status: { replicas: 2 } })).json<Item>()
    expect([item.spec.replicas, item.status]).toEqual([1, { replicas: 2 }])
    expect(item.metadata.managedFields?.find(({ subresource }) => subresource === 'status')?.fieldsV1).toEqual({
      'f:status': { 'f:replicas': {} },
    })
  })

  test('accepts YAML and JSON; of a duplicate key the last value counts, with a warning', async () => {
    const name = fresh()
    const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  a: "1"\n  a: "2"\n`
    const made = await apply(`${configMaps}/${name}`, yaml)
    expect(made.json<Item>().data).toEqual({ a: '2' })
    expect(made.headers.warning).toBe('299 - "line 7: key \\"a\\" already set in map"')
    const strict = await apply(`${configMaps}/${name}`, yaml.replace('2', '3'), 'fieldManager=alice&fieldValidation=Strict')
    expect([strict.status, strict.json<Status>().message]).toEqual([
      400,
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 7: key "a" already set in map',
    ])
  })
})

describe('field ownership (managedFields)', () => {
  test("a changed value of another manager's field is 409 Conflict; force takes it over", async () => {
    const name = fresh()
    const path = `${configMaps}/${name}`
    await apply(path, configMap(name, { a: '1' }))
    const refused = await apply(path, configMap(name, { a: '2' }), 'fieldManager=bob')
    expect(refused.json<Status>()).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "alice": .data.a',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "alice"', field: '.data.a' }] },
    })
    expect((await server.send(path)).json<Item>().data).toEqual({ a: '1' })
    const forced = await apply(path, configMap(name, { a: '2' }), 'fieldManager=bob&force=true')
    expect(owners(forced.json())).toEqual([['bob', 'Apply', { 'f:data': { 'f:a': {} } }]])
  })

  test('after managedFields are cleared, an apply conflicts with all existing fields (before-first-apply)', async () => {
    const name = fresh()
    const path = `${configMaps}/${name}`
    await server.send(configMaps, { method: 'POST', body: configMap(name, { a: '1' }) })
    await mergePatch(path, { metadata: { managedFields: [{}] } })
    const refused = await apply(path, configMap(name, { a: '2' }))
    expect(refused.json<Status>().message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a',
    )
  })

  test('invalid managedFields in a patch are ignored', async () => {
    const name = fresh()
    const path = `${configMaps}/${name}`
    const made = (await apply(path, configMap(name, { a: '1' }))).json<Item>()
    const patched = await mergePatch(path, { metadata: { managedFields: [{ manager: 'x', operation: 'Own' }] } })
    expect(patched.json<Item>().metadata.managedFields).toEqual(made.metadata.managedFields)
  })

  test('an entry in another version of the kind is compared in that version', async () => {
    const name = fresh()
    const at = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers/${name}`
    const whole = (version: string, spec: unknown) => ({
      apiVersion: `autoscaling/${version}`,
      kind: 'HorizontalPodAutoscaler',
      metadata: { name },
      spec,
    })
    const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }
    await apply(at('v1'), whole('v1', { maxReplicas: 3, scaleTargetRef, targetCPUUtilizationPercentage: 50 }))
    const target = { type: 'Utilization', averageUtilization: 60 }
    const metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }]
    const refused = await apply(at('v2'), whole('v2', { metrics }), 'fieldManager=bob')
    expect(refused.json<Status>().message).toBe(
      'Apply failed with 1 conflict: conflict with "alice": .spec.targetCPUUtilizationPercentage',
    )
  })

  test('kubectl takes over from client-side apply, and its last-applied annotation is updated', async () => {
    const name = fresh()
    const path = `${configMaps}/${name}`
    const key = 'kubectl.kubernetes.io/last-applied-configuration'
    const annotations = { [key]: JSON.stringify(configMap(name, { a: '1' })) }
    const query = '?fieldManager=kubectl-client-side-apply'
    await server.send(`${configMaps}${query}`, { method: 'POST', body: configMap(name, { a: '1' }, { annotations }) })
    expect((await apply(path, configMap(name, { a: '2' }), 'fieldManager=other')).status).toBe(409)
    const applied = await apply(path, configMap(name, { a: '2', '10': 'x', '9': '<' }), 'fieldManager=kubectl')
    expect(applied.json<Item>().metadata.annotations?.[key]).toBe(
      `{"apiVersion":"v1","data":{"10":"x","9":"\\u003c","a":"2"},"kind":"ConfigMap","metadata":{"name":"${name}"}}\n`,
    )
  })
})

describe('server-side apply is refused for', () => {
  const path = `${configMaps}/refused`
  const good = configMap('refused', { a: '1' })

  test.each([
    [
      'a missing fieldManager',
      good,
      '',
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ],
    [
      'an object of another kind',
      { ...(good as object), kind: 'Secret' },
      undefined,
      400,
      'invalid object type: /v1, Kind=Secret',
    ],
    ['an empty body', '', undefined, 400, 'invalid object type: /, Kind='],
    ['owners', configMap('refused', {}, { managedFields: [] }), undefined, 400, 'metadata.managedFields must be nil'],
    [
      'an object with another name',
      configMap('other', {}),
      undefined,
      400,
      'the name of the object (other) does not match the name on the URL (refused)',
    ],
    [
      'invalid YAML',
      'a: *b',
      undefined,
      400,
      "error decoding YAML: error converting YAML to JSON: yaml: unknown anchor 'b' referenced",
    ],
    [
      'a number in place of a string',
      configMap('refused', { a: 1 }),
      undefined,
      500,
      'failed to create typed patch object (/refused; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:1}',
    ],
    [
      'a uid for an object that does not exist',
      configMap('refused', {}, { uid: 'u' }),
      undefined,
      409,
      'Operation cannot be fulfilled on configmaps "refused": uid mismatch: the provided object specified uid u, and no existing object was found',
    ],
  ])('%s', async (_what, document, parameters, code, message) => {
    const reply = await apply(path, document, parameters)
    expect([reply.status, reply.json<Status>().message]).toEqual([code, message])
    expect((await server.send(path)).status).toBe(404)
  })

  test('a namespace that does not exist', async () => {
    const reply = await apply('/api/v1/namespaces/nowhere/configmaps/c', configMap('c', {}))
    expect([reply.status, reply.json<Status>().message]).toEqual([404, 'namespaces "nowhere" not found'])
  })

  test('an invalid quantity', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', resources: { limits: { cpu: 'x' } } }] },
    }
    const reply = await apply('/api/v1/namespaces/default/pods/p', pod)
    expect(reply.status).toBe(500)
    expect(reply.json<Status>().message).toMatch(
      /^failed to convert new object \(\/p; \/v1, Kind=Pod\) to proper version: unable to convert unstructured object to \/v1, Kind=Pod: quantities must match/,
    )
  })
})

test('an empty list without omitempty is owned and stored as null', async () => {
  const path = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles'
  const body = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: fresh() }, rules: [] }
  const made = (await server.send(`${path}?fieldManager=maker`, { method: 'POST', body })).json<Item & { rules: unknown }>()
  expect([made.rules, owners(made)]).toEqual([null, [['maker', 'Update', { 'f:rules': {} }]]])
})
