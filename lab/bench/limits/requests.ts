/** Requests that are as expensive as a body of at most 3 MiB can make them. */

interface HostileRequest {
  readonly method: string
  readonly path: string
  readonly body: string
  readonly type?: string
}

interface Hostile {
  /** Requests that must succeed before. */
  readonly prepare?: readonly HostileRequest[]
  /** @param i the number of the request */
  request(i: number): HostileRequest
}

const configMaps = '/api/v1/namespaces/default/configmaps'
const pods = '/api/v1/namespaces/default/pods'
const group = 'limits.example.com'
const customs = `/apis/${group}/v1/namespaces/default/customs`
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i)
/** Returns a name of six characters for a number. */
const key = (i: number): string => `k${i.toString(36).padStart(5, '0')}`
const entries = (count: number, value: unknown = ''): object => Object.fromEntries(range(count).map((i) => [key(i), value]))

/** As many empty entries as a ConfigMap may hold by its size. */
const mostKeys = 170_000
const yamlEntries = range(mostKeys)
  .map((i) => `  ${key(i)}: ""\n`)
  .join('')
const yaml = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${yamlEntries}`

const post = (path: string, body: object): HostileRequest => ({ method: 'POST', path, body: JSON.stringify(body) })
const patch = (path: string, type: string, body: unknown): HostileRequest => ({
  method: 'PATCH',
  path,
  type: `application/${type}`,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `customs.${group}` },
  spec: {
    group,
    names: { plural: 'customs', singular: 'custom', kind: 'Custom', listKind: 'CustomList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
              list: {
                type: 'array',
                'x-kubernetes-list-type': 'map',
                'x-kubernetes-list-map-keys': ['name'],
                items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, v: { type: 'string' } } },
              },
            },
          },
        },
      },
    ],
  },
}

const custom = (name: string, more: object): object => ({
  apiVersion: `${group}/v1`,
  kind: 'Custom',
  metadata: { name },
  ...more,
})

const container = (i: number): object => ({ name: key(i), image: 'a' })
const pod = (name: string, spec: object): object => ({ metadata: { name }, spec: { containers: [container(0)], ...spec } })

/** A schema of so many properties, each with a description. */
const properties = (count: number): object =>
  Object.fromEntries(range(count).map((i) => [key(i), { type: 'string', pattern: '^[a-z]+$', maxLength: 10 }]))

const wideDefinition = (i: number): object => {
  const plural = `wide${i}s`
  const [version] = definition.spec.versions
  return {
    ...definition,
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...definition.spec,
      names: { plural, kind: `Wide${i}` },
      versions: [{ ...version, schema: { openAPIV3Schema: { type: 'object', properties: properties(20_000) } } }],
    },
  }
}

const requests = {
  'keys in JSON': { request: (i) => post(configMaps, { metadata: { name: `keys-${i}` }, data: entries(mostKeys) }) },
  'keys in YAML': { request: (i) => ({ method: 'POST', path: configMaps, type: 'application/yaml', body: yaml(`keys-${i}`) }) },
  'keys applied': {
    request: (i) => patch(`${configMaps}/keys-${i}?fieldManager=bench`, 'apply-patch+yaml', yaml(`keys-${i}`)),
  },
  'keys applied again': {
    prepare: [
      patch(`${configMaps}/keys?fieldManager=bench`, 'apply-patch+yaml', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'keys' },
        data: entries(40_000),
      }),
    ],
    request: (i) =>
      patch(`${configMaps}/keys?fieldManager=bench-${i}&force=true`, 'apply-patch+yaml', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'keys' },
        data: entries(40_000, String(i)),
      }),
  },
  'keys in a merge patch': {
    prepare: [post(configMaps, { metadata: { name: 'patched' } })],
    request: () => patch(`${configMaps}/patched`, 'merge-patch+json', { data: entries(mostKeys) }),
  },
  labels: { request: (i) => post(configMaps, { metadata: { name: `labels-${i}`, labels: entries(mostKeys) } }) },
  finalizers: {
    request: (i) =>
      post(configMaps, { metadata: { name: `finalizers-${i}`, finalizers: range(80_000).map((n) => `a.b/${key(n)}`) } }),
  },
  owners: {
    request: (i) =>
      post(configMaps, {
        metadata: {
          name: `owners-${i}`,
          ownerReferences: range(25_000).map((n) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: key(n), uid: key(n) })),
        },
      }),
  },
  containers: { request: (i) => post(pods, pod(`containers-${i}`, { containers: range(60_000).map(container) })) },
  'equal containers': {
    request: (i) => post(pods, pod(`containers-${i}`, { containers: range(60_000).map(() => container(0)) })),
  },
  environment: {
    request: (i) =>
      post(
        pods,
        pod(`environment-${i}`, { containers: [{ ...container(0), env: range(90_000).map((n) => ({ name: key(n) })) }] }),
      ),
  },
  'containers in a strategic merge patch': {
    prepare: [post(pods, pod('merged', { containers: range(1_000).map(container) }))],
    request: () =>
      patch(`${pods}/merged`, 'strategic-merge-patch+json', {
        spec: { containers: range(30_000).map((n) => ({ name: key(30_000 - n), image: 'b' })) },
      }),
  },
  'operations of a JSON patch': {
    prepare: [post(configMaps, { metadata: { name: 'operated' }, data: entries(40_000) })],
    request: () =>
      patch(
        `${configMaps}/operated`,
        'json-patch+json',
        range(10_000).map((n) => ({ op: 'copy', from: '/data/k00000', path: `/data/c${n}` })),
      ),
  },
  'insertions of a JSON patch': {
    prepare: [post(definitions, definition), post(customs, custom('operated', { set: range(50_000).map(key) }))],
    request: () =>
      patch(
        `${customs}/operated`,
        'json-patch+json',
        range(10_000).map((n) => ({ op: 'add', path: '/set/0', value: `n${n}` })),
      ),
  },
  'a custom resource': {
    prepare: [post(definitions, definition)],
    request: (i) => post(customs, custom(`keys-${i}`, { spec: entries(mostKeys) })),
  },
  'a set': {
    prepare: [post(definitions, definition)],
    request: (i) => post(customs, custom(`set-${i}`, { set: range(150_000).map(key) })),
  },
  'a list by keys': {
    prepare: [post(definitions, definition)],
    request: (i) => post(customs, custom(`list-${i}`, { list: range(100_000).map((n) => ({ name: key(n) })) })),
  },
  'numbers in a custom resource': {
    prepare: [post(definitions, definition)],
    request: (i) => post(customs, custom(`numbers-${i}`, { spec: { all: range(700_000).map(() => 1.5) } })),
  },
  'depth of a custom resource': {
    prepare: [post(definitions, definition)],
    request: (i) => ({
      ...post(customs, {}),
      body: `{"apiVersion":"${group}/v1","kind":"Custom","metadata":{"name":"deep-${i}"},"spec":${'{"a":'.repeat(500_000)}1${'}'.repeat(500_001)}`,
    }),
  },
  'unknown fields': { request: (i) => post(configMaps, { metadata: { name: `unknown-${i}` }, ...entries(mostKeys) }) },
  'repeated keys': {
    request: (i) => ({
      ...post(configMaps, {}),
      body: `{"metadata":{"name":"repeated-${i}"},"data":{${range(200_000)
        .map(() => '"a":""')
        .join(',')}}}`,
    }),
  },
  'a wide definition': { request: (i) => post(definitions, wideDefinition(i)) },
  'rules of a role': {
    request: (i) =>
      post('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
        metadata: { name: `rules-${i}` },
        rules: range(25_000).map((n) => ({ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: [key(n)] })),
      }),
  },
} satisfies Readonly<Record<string, Hostile>>

export type HostileName = keyof typeof requests

/** The requests by what is large in them. */
export const hostileRequests: Readonly<Record<HostileName, Hostile>> = requests
