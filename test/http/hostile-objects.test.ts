/** Hostile objects: each is refused or accepted within limited time, and the server continues to work. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
}, 30_000)
afterAll(() => server.stop())

/** The time limit of one request on a busy machine, in milliseconds. */
const patience = 10_000

const namespaced = (resource: string): string => `/api/v1/namespaces/default/${resource}?dryRun=All`
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const container = { name: 'c', image: 'i' }

async function answerTo(path: string, body: string, type = 'application/json'): Promise<number> {
  const { status, text } = await server.send(path, { method: 'POST', body, headers: { 'content-type': type } })
  if (status >= 400) expect(JSON.parse(text)).toMatchObject({ kind: 'Status', code: status })
  return status
}

const configMap = (data: string): string => `{"metadata":{"name":"hostile"},"data":${data}}`
const pod = (spec: object): string =>
  JSON.stringify({ metadata: { name: 'hostile' }, spec: { containers: [container], ...spec } })
const limits = (cpu: string): string => pod({ containers: [{ ...container, resources: { limits: { cpu } } }] })
const selecting = (selector: object): string =>
  pod({
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', labelSelector: selector }],
  })
const aliases = (depth: number): string =>
  Array.from({ length: depth }, (_none, i) => `a${i}: &a${i} [${`*a${i - 1},`.repeat(i === 0 ? 0 : 9)}x]`).join('\n')

const hostile: readonly (readonly [what: string, path: string, body: () => string, allowed: readonly number[], type?: string])[] =
  [
    ['with objects nested 300,000 deep', namespaced('configmaps'), () => configMap(nested(300_000)), [400, 413]],
    ['with lists nested a million deep', namespaced('configmaps'), () => configMap('['.repeat(1_000_000)), [400]],
    [
      'with 100,000 keys',
      namespaced('configmaps'),
      () => configMap(`{${Array.from({ length: 100_000 }, (_none, i) => `"k${i}":"v"`).join()}}`),
      [201, 422],
    ],
    ['with one key 100,000 times', namespaced('configmaps'), () => configMap(`{${'"a":"b",'.repeat(100_000)}"a":"c"}`), [201]],
    [
      'with inherited property names in resource requests',
      namespaced('pods'),
      () =>
        pod({ containers: [{ ...container, resources: { requests: { constructor: '1', 'example.com/a': '1' }, limits: {} } }] }),
      [422],
    ],
    [
      'with inherited property names in limit ranges',
      namespaced('limitranges'),
      () =>
        JSON.stringify({
          metadata: { name: 'hostile' },
          spec: { limits: [{ type: 'Container', max: { cpu: '4' }, min: { constructor: '100m' } }] },
        }),
      [422],
    ],
    ['with __proto__ as a key', namespaced('configmaps'), () => configMap('{"__proto__":"a","constructor":"b"}'), [201]],
    ['with a quantity with an enormous exponent', namespaced('pods'), () => limits('1e1000000'), [201, 400, 422]],
    ['with a quantity with an enormous negative exponent', namespaced('pods'), () => limits('1e-1000000'), [201, 400, 422]],
    ['with a quantity with an exponent of 1,000 digits', namespaced('pods'), () => limits(`1e${'9'.repeat(1000)}`), [400, 422]],
    ['with a quantity of 100,000 digits', namespaced('pods'), () => limits('9'.repeat(100_000)), [201, 400, 422]],
    ['with a quantity of 100,000 decimals', namespaced('pods'), () => limits(`0.${'1'.repeat(100_000)}`), [201, 400, 422]],
    ['with a number of 100,000 digits', namespaced('pods'), () => pod({}).replace('"i"', '9'.repeat(100_000)), [400]],
    [
      'with an invalid label value of 100,000 characters in a selector',
      namespaced('pods'),
      () => selecting({ matchLabels: { a: '('.repeat(100_000) } }),
      [422],
    ],
    [
      'with 50,000 label selector requirements',
      namespaced('pods'),
      () => selecting({ matchExpressions: Array.from({ length: 50_000 }, () => ({ key: 'a', operator: 'Exists' })) }),
      [201, 422],
    ],
    [
      'with a name that causes backtracking in regular expressions',
      namespaced('configmaps'),
      () => `{"metadata":{"name":"${'a-'.repeat(50_000)}!"}}`,
      [422],
    ],
    [
      'with 10,000 containers',
      namespaced('pods'),
      () => pod({ containers: Array.from({ length: 10_000 }, () => container) }),
      [422],
    ],
    [
      'with 16,000 equal container ports, of which kube-apiserver warns 128 million times',
      namespaced('pods'),
      () => pod({ containers: [{ ...container, ports: Array.from({ length: 16_000 }, () => ({ containerPort: 1 })) }] }),
      [201],
    ],
    [
      'with 50,000 files of a volume',
      namespaced('pods'),
      () => {
        const items = Array.from({ length: 50_000 }, (_none, index) => ({ key: 'a', path: `f${index}` }))
        return pod({ volumes: [{ name: 'v', configMap: { name: 'x', items } }] })
      },
      [201],
    ],
    [
      'with a million errors',
      namespaced('pods'),
      () => {
        const terms = Array.from({ length: 250_000 }, () => ({}))
        return pod({ affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms } } })
      },
      [413],
    ],
    [
      'with an iSCSI name of many beginnings',
      namespaced('pods'),
      () => pod({ volumes: [{ name: 'v', iscsi: { targetPortal: 'a', lun: 0, iqn: 'iqn.2001-01.'.repeat(50_000) } }] }),
      [422],
    ],
    [
      'with a certificate of PEM blocks that never end',
      namespaced('secrets'),
      () => {
        const data = { 'tls.crt': Buffer.from('-----BEGIN -----\n'.repeat(40_000)).toString('base64'), 'tls.key': '' }
        return JSON.stringify({ metadata: { name: 'hostile' }, type: 'kubernetes.io/tls', data })
      },
      [201],
    ],
    ['of YAML aliases of aliases', namespaced('configmaps'), () => aliases(12), [400], 'application/yaml'],
    ['nested 10,000 deep in YAML', namespaced('configmaps'), () => `data: ${'['.repeat(10_000)}`, [400], 'application/yaml'],
  ]

const rows = hostile.map(([what, path, body, allowed, type]) => ({ what, path, body, allowed, type }))
test.each(rows)(
  'a hostile object $what',
  async ({ path, body, allowed, type }) => {
    const status = await answerTo(path, body(), type)
    expect(allowed).toContain(status)
    expect((await server.send('/livez')).status).toBe(200)
  },
  patience,
)

test.each([
  ['a label selector of 6,000 parts', `labelSelector=${'a,'.repeat(6000)}b`],
  ['a label selector of 6,000 open parentheses', `labelSelector=${encodeURIComponent(`a in (${'('.repeat(6000)}`)}`],
  ['a field selector of 600 parts', `fieldSelector=${encodeURIComponent('metadata.name=a,'.repeat(600))}metadata.name=a`],
])('a hostile list with %s', async (_what, query) => {
  const { status } = await server.send(`/api/v1/namespaces/default/configmaps?${query}`)
  expect([200, 400, 414, 431]).toContain(status)
})

const aMegabyte = 1_000_000

test.each([
  ['line breaks after a key', `{"apiVersion"${'\n'.repeat(aMegabyte)}`, [400]],
  ['line breaks before a colon', `{"apiVersion"${'\n \t'.repeat(300_000)}:"v1"}`, [400]],
  ['quotation marks', `{${'"'.repeat(aMegabyte)}`, [400]],
  ['replaced values', `{"data":{"k":1${',"k":""'.repeat(100_000)}}}`, [400]],
])(
  'a hostile configuration of many %s',
  async (_what, body, allowed) => {
    const path = '/api/v1/namespaces/default/configmaps/hostile?fieldManager=m'
    const headers = { 'content-type': 'application/apply-patch+yaml' }
    const { status, text } = await server.send(path, { method: 'PATCH', body, headers })
    expect(allowed, text.slice(0, 500)).toContain(status)
    expect((await server.send('/livez')).status).toBe(200)
  },
  patience,
)

test('hostile values that are replaced by many others of the same key', async () => {
  const path = namespaced('configmaps')
  const bad = `"${'x'.repeat(aMegabyte)}!"`
  expect(await answerTo(path, `{"binaryData":{"k":${bad}${',"k":""'.repeat(100_000)}}}`)).toBe(400)
}, 10_000)

const manyPorts = Array.from({ length: 2000 }, () => ({ containerPort: 1 }))
const manyTerms = Array.from({ length: 5000 }, () => ({}))

test('a hostile object gets as many warnings as from kube-apiserver, and no more errors than that could join', async () => {
  const headers = { 'content-type': 'application/json' }
  const send = (spec: object): ReturnType<TestServer['send']> =>
    server.send(namespaced('pods'), { method: 'POST', body: pod(spec), headers })
  const warned = await send({ containers: [{ ...container, ports: manyPorts }] })
  expect(String(warned.headers.warning).match(/duplicate port definition/g)).toHaveLength(48)
  const refused = await send({ affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: manyTerms } } })
  expect(refused.json<{ details: { causes: unknown[] } }>().details.causes).toHaveLength(10_000)
})

/** Makes a kind whose objects have a text or a list that is validated. */
async function widgetsOf(plural: string, spec: object): Promise<string> {
  const names = { plural, singular: plural, kind: plural, listKind: `${plural}List` }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  const versions = [{ name: 'v1', served: true, storage: true, schema }]
  const definition = {
    metadata: { name: `${plural}.hostile.example` },
    spec: { group: 'hostile.example', scope: 'Namespaced', names, versions },
  }
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  expect(await answerTo(path, JSON.stringify(definition))).toBe(201)
  const collection = `/apis/hostile.example/v1/namespaces/default/${plural}`
  await expect.poll(async () => (await server.send(collection)).status, { timeout: 5000 }).toBe(200)
  return `${collection}?dryRun=All`
}

const text = { type: 'string', maxLength: 1_400_000 }
const rule = (expression: string): object => ({
  type: 'object',
  properties: { a: text },
  'x-kubernetes-validations': [{ rule: expression }],
})
const numbers = { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } }

test.each([
  [
    'durations',
    'of the format duration, of digits',
    { type: 'object', properties: { a: { type: 'string', format: 'duration' } } },
    { a: '1'.repeat(aMegabyte) },
    422,
  ],
  [
    'patterns',
    'with a pattern of 1,000 states',
    { type: 'object', properties: { a: { type: 'string', pattern: '.{1,999}z' } } },
    { a: 'a'.repeat(aMegabyte) },
    504,
  ],
  [
    'matches',
    'with a CEL rule that matches 1,000 states',
    rule("!self.a.matches('.{1,999}z')"),
    { a: 'a'.repeat(aMegabyte) },
    422,
  ],
  [
    'usuals',
    'with a usual pattern',
    { type: 'object', properties: { a: { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' } } },
    { a: 'a'.repeat(aMegabyte) },
    201,
  ],
  [
    'numbers',
    'with 300,000 values of the wrong type',
    { type: 'object', properties: { a: numbers } },
    { a: Array.from({ length: 300_000 }, () => 'x') },
    504,
  ],
] as const)(
  'a hostile custom resource (%s) %s',
  async (plural, _what, schema, spec, expected) => {
    const path = await widgetsOf(plural, schema)
    const body = JSON.stringify({ apiVersion: 'hostile.example/v1', kind: plural, metadata: { name: 'a' }, spec })
    expect(await answerTo(path, body)).toBe(expected)
    expect((await server.send('/livez')).status).toBe(200)
  },
  patience,
)
