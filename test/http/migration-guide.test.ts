/**
 * The notable changes that the guide to migrate from deprecated versions names, each as a test: an object is written in one version
 * and read in the other, by a cluster of a release that serves both.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { type ClusterServer, startClusterServer } from './cluster-server.ts'

let server: ClusterServer
const tokens = new Map<number, string>()
const minors = [15, 21, 24, 25, 28, 31]

beforeAll(async () => {
  server = await startClusterServer()
  await Promise.all(
    minors.map(async (minor) => tokens.set(minor, await server.make(`g${minor}`, { emulatedRelease: `1.${minor}` }))),
  )
}, 60_000)

afterAll(() => server?.stop())

type Fields = Readonly<Record<string, unknown>>

interface Made {
  readonly metadata: { readonly name: string }
  readonly spec: Fields
}

let count = 0

/** Sends a request to the cluster of a release. */
const ask = (minor: number, path: string, options = {}): Promise<Reply> =>
  server.inside(`g${minor}`, path, { token: tokens.get(minor) ?? '', ...options })

/** Creates an object under a new name. @param path of the collection: `apps/v1/deployments`, with `n/` before a namespaced resource */
function create(minor: number, path: string, { metadata = {}, ...rest }: Fields): Promise<Reply> {
  const body = { metadata: { name: `a${count++}`, ...(metadata as object) }, ...rest }
  return ask(minor, pathOf(path), { method: 'POST', body })
}

function pathOf(path: string): string {
  const [group, version, ...rest] = path.split('/')
  return `/apis/${group}/${version}/${rest.length === 2 ? `namespaces/default/${rest[1]}` : rest[0]}`
}

/** Creates an object, which must succeed, and returns it. */
async function made(minor: number, path: string, object: Fields): Promise<Made> {
  const reply = await create(minor, path, object)
  expect(reply.status, reply.text).toBe(201)
  return reply.json<Made>()
}

/** Creates an object in one version and returns it as another one shows it. */
async function converted(minor: number, [from, to]: readonly [string, string], object: Fields): Promise<Made> {
  const { metadata } = await made(minor, from, object)
  const reply = await ask(minor, `${pathOf(to)}/${metadata.name}`)
  expect(reply.status, reply.text).toBe(200)
  return reply.json<Made>()
}

/** Returns the message with which a creation is rejected. */
async function refusal(minor: number, path: string, object: Fields): Promise<string> {
  const reply = await create(minor, path, object)
  expect(reply.status, reply.text).toBe(422)
  return reply.json<{ message: string }>().message
}

const mergePatch = { 'content-type': 'application/merge-patch+json' }

describe('flow control', () => {
  const group = 'flowcontrol.apiserver.k8s.io'
  const level = (limited: Fields) => ({ spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...limited } } })
  const of = (version: string): string => `${group}/${version}/prioritylevelconfigurations`

  test('v1: nominalConcurrencyShares is 30 only if it is not specified, and an explicit 0 stays', async () => {
    expect(await made(31, of('v1'), level({}))).toMatchObject(level({ nominalConcurrencyShares: 30 }))
    expect(await made(31, of('v1'), level({ nominalConcurrencyShares: 0 }))).toMatchObject(level({ nominalConcurrencyShares: 0 }))
    expect(await made(31, of('v1beta3'), level({ nominalConcurrencyShares: 0 }))).toMatchObject(
      level({ nominalConcurrencyShares: 30 }),
    )
  })

  test('v1beta3: assuredConcurrencyShares is nominalConcurrencyShares', async () => {
    const found = await converted(28, [of('v1beta2'), of('v1beta3')], level({ assuredConcurrencyShares: 7 }))
    expect(found).toMatchObject(level({ nominalConcurrencyShares: 7 }))
    expect(JSON.stringify(found)).not.toContain('"assuredConcurrencyShares"')
  })
})

describe('EndpointSlice', () => {
  const versions = ['discovery.k8s.io/v1beta1/n/endpointslices', 'discovery.k8s.io/v1/n/endpointslices'] as const
  const slice = (endpoint: Fields) => ({ addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'], ...endpoint }] })

  test('v1: nodeName instead of the topology kubernetes.io/hostname', async () => {
    const found = await converted(21, versions, slice({ nodeName: 'n', topology: { 'kubernetes.io/hostname': 'n' } }))
    expect(found).toMatchObject(slice({ nodeName: 'n' }))
    expect(JSON.stringify(found)).not.toContain('"deprecatedTopology"')
  })

  test('v1: zone instead of the topology topology.kubernetes.io/zone', async () => {
    const found = await converted(21, versions, slice({ topology: { 'topology.kubernetes.io/zone': 'z' } }))
    expect(found).toMatchObject(slice({ zone: 'z' }))
  })

  test('v1: topology is deprecatedTopology, which cannot be written', async () => {
    expect(await converted(21, versions, slice({ topology: { rack: 'r' } }))).toMatchObject(
      slice({ deprecatedTopology: { rack: 'r' } }),
    )
    const written = await made(21, versions[1], slice({ deprecatedTopology: { rack: 'r' } }))
    expect(JSON.stringify(written)).not.toContain('"deprecatedTopology"')
  })
})

describe('Event', () => {
  const versions = ['events.k8s.io/v1beta1/n/events', 'events.k8s.io/v1/n/events'] as const
  const regarding = { kind: 'Pod', name: 'p', namespace: 'default' }
  const event = {
    eventTime: '2026-01-01T00:00:00.000000Z',
    ...{ type: 'Normal', action: 'a', reason: 'r', reportingController: 'c.example.com/c', reportingInstance: 'i', regarding },
  }
  const core = async (object: Fields): Promise<Fields> => {
    const name = `a${count++}`
    const body = { metadata: { name }, involvedObject: regarding, ...object }
    const reply = await ask(21, '/api/v1/namespaces/default/events', { method: 'POST', body })
    expect(reply.status, reply.text).toBe(201)
    return (await ask(21, `${pathOf(versions[1])}/${name}`)).json<Fields>()
  }

  test('v1: type is Normal or Warning', async () => {
    expect(await refusal(21, versions[1], { ...event, type: 'Bad' })).toContain('type: Invalid value: "": has invalid value: Bad')
    await made(21, versions[0], { ...event, type: 'Bad' })
  })

  test('v1: involvedObject is regarding', async () => {
    expect(await core({})).toMatchObject({ regarding })
  })

  test.each(['action', 'reason', 'reportingController', 'reportingInstance'])(
    'v1: %s is required for new Events',
    async (field) => {
      const { [field]: _, ...rest } = event as Fields
      expect(await refusal(21, versions[1], rest)).toContain(`${field}: Required value`)
    },
  )

  test.each([
    ['eventTime', 'firstTimestamp', 'deprecatedFirstTimestamp', '2026-01-01T00:00:00Z'],
    ['series.lastObservedTime', 'lastTimestamp', 'deprecatedLastTimestamp', '2026-01-01T00:00:00Z'],
    ['series.count', 'count', 'deprecatedCount', 3],
    ['reportingController', 'source', 'deprecatedSource', { component: 'c' }],
    ['reportingInstance', 'source', 'deprecatedSource', { host: 'h' }],
  ])('v1: %s instead of %s, which is %s and cannot be in new Events', async (_instead, former, now, value) => {
    expect(await core({ [former]: value })).toMatchObject({ [now]: value })
    expect(await refusal(21, versions[1], { ...event, [now]: value })).toContain('needs to be unset')
  })
})

describe('PodDisruptionBudget', () => {
  const versions = ['policy/v1beta1/n/poddisruptionbudgets', 'policy/v1/n/poddisruptionbudgets'] as const

  test('v1: an empty selector selects all pods, in v1beta1 none', async () => {
    const spec = { minAvailable: 1, selector: {} }
    expect((await made(21, versions[1], { spec })).spec).toEqual(spec)
    const none = { matchExpressions: [{ key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator: 'Exists' }] }
    expect((await converted(21, versions, { spec })).spec).toEqual({ minAvailable: 1, selector: none })
  })

  test('a selector that is not set selects no pods in either version', async () => {
    const spec = { minAvailable: 1 }
    expect((await converted(21, versions, { spec })).spec).toEqual(spec)
    expect((await made(21, versions[1], { spec })).spec).toEqual(spec)
  })
})

test('PodSecurityPolicy: the kind is gone in 1.25', async () => {
  const path = pathOf('policy/v1beta1/podsecuritypolicies')
  expect([(await ask(24, path)).status, (await ask(25, path)).status]).toEqual([200, 404])
})

describe.each(['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'])('webhooks: %s', (resource) => {
  const [beta, stable] = [`admissionregistration.k8s.io/v1beta1/${resource}`, `admissionregistration.k8s.io/v1/${resource}`]
  const rules = [{ operations: ['CREATE'], apiGroups: ['example.com'], apiVersions: ['*'], resources: ['lamps'] }]
  const hook = { name: 'a.example.com', clientConfig: { url: 'https://example.com/' }, rules }
  const explicit = { sideEffects: 'None', admissionReviewVersions: ['v1'] }
  const webhooks = (...parts: Fields[]) => ({ webhooks: parts.map((part) => ({ ...hook, ...part })) })

  test.each([
    ['failurePolicy', 'Ignore', 'Fail'],
    ['matchPolicy', 'Exact', 'Equivalent'],
    ['timeoutSeconds', 30, 10],
  ])('the default of %s was %s and is %s', async (field, before, now) => {
    expect(await made(21, beta, webhooks({}))).toMatchObject({ webhooks: [{ [field]: before }] })
    expect(await made(21, stable, webhooks(explicit))).toMatchObject({ webhooks: [{ [field]: now }] })
  })

  test('v1: sideEffects is required, with the values None and NoneOnDryRun', async () => {
    expect(await refusal(21, stable, webhooks({ admissionReviewVersions: ['v1'] }))).toContain('sideEffects: Required value')
    expect(await refusal(21, stable, webhooks({ ...explicit, sideEffects: 'Some' }))).toContain(
      'supported values: "None", "NoneOnDryRun"',
    )
    expect(await made(21, beta, webhooks({}))).toMatchObject({ webhooks: [{ sideEffects: 'Unknown' }] })
  })

  test('v1: admissionReviewVersions is required', async () => {
    expect(await refusal(21, stable, webhooks({ sideEffects: 'None' }))).toContain('admissionReviewVersions: Required value')
    expect(await made(21, beta, webhooks({}))).toMatchObject({ webhooks: [{ admissionReviewVersions: ['v1beta1'] }] })
  })

  test('v1: names are unique in the list', async () => {
    expect(await refusal(21, stable, webhooks(explicit, explicit))).toContain('webhooks[1].name: Duplicate value')
    await made(21, beta, webhooks({}, {}))
  })
})

describe('CustomResourceDefinition', () => {
  const [beta, stable] = ['v1beta1', 'v1'].map((version) => `apiextensions.k8s.io/${version}/customresourcedefinitions`) as [
    string,
    string,
  ]
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const definition = (more: Fields) => {
    const plural = `lamps${count++}`
    const names = { plural, singular: plural, kind: `L${plural}` }
    const spec = { group: 'example.com', scope: 'Namespaced', names, ...more }
    return { metadata: { name: `${plural}.example.com` }, spec }
  }
  const versions = [{ name: 'v1', served: true, storage: true, schema }]
  const shown = async (more: Fields): Promise<Fields> =>
    (await converted(21, [beta, stable], definition({ version: 'v1', validation: schema, ...more }))).spec
  const only = (spec: Fields): Fields => (spec.versions as Fields[])[0] ?? {}

  test('v1: spec.scope must be specified', async () => {
    expect(await refusal(21, stable, definition({ scope: undefined, versions }))).toContain('spec.scope: Required value')
    expect(await shown({ scope: undefined })).toMatchObject({ scope: 'Namespaced' })
  })

  test('v1: spec.versions instead of spec.version', async () => {
    const spec = await shown({})
    expect([spec.version, only(spec).name]).toEqual([undefined, 'v1'])
  })

  test('v1: spec.versions[*].schema instead of spec.validation', async () => {
    const spec = await shown({})
    expect([spec.validation, only(spec).schema]).toEqual([undefined, schema])
  })

  test('v1: spec.versions[*].subresources instead of spec.subresources', async () => {
    const spec = await shown({ subresources: { status: {} } })
    expect([spec.subresources, only(spec).subresources]).toEqual([undefined, { status: {} }])
  })

  test('v1: spec.versions[*].additionalPrinterColumns, with jsonPath instead of JSONPath', async () => {
    const column = { name: 'Watt', type: 'integer' }
    const spec = await shown({ additionalPrinterColumns: [{ ...column, JSONPath: '.spec.watt' }] })
    expect([spec.additionalPrinterColumns, only(spec).additionalPrinterColumns]).toEqual([
      undefined,
      [{ ...column, jsonPath: '.spec.watt' }],
    ])
  })

  const url = 'https://example.com/'
  const webhook = { strategy: 'Webhook', webhookClientConfig: { url }, conversionReviewVersions: ['v1beta1'] }

  test('v1: spec.conversion.webhook.clientConfig instead of spec.conversion.webhookClientConfig', async () => {
    const spec = await shown({ conversion: webhook, preserveUnknownFields: false })
    expect(spec.conversion).toMatchObject({ webhook: { clientConfig: { url } } })
    expect(spec.conversion).not.toHaveProperty('webhookClientConfig')
  })

  test('v1: spec.conversion.webhook.conversionReviewVersions instead of spec.conversion.conversionReviewVersions', async () => {
    const spec = await shown({ conversion: webhook, preserveUnknownFields: false })
    expect(spec.conversion).toMatchObject({ webhook: { conversionReviewVersions: ['v1beta1'] } })
    expect(spec.conversion).not.toHaveProperty('conversionReviewVersions')
  })

  test('v1: a schema is required, and must be structural', async () => {
    const [version] = versions
    expect(await refusal(21, stable, definition({ versions: [{ ...version, schema: undefined }] }))).toContain(
      'spec.versions[0].schema.openAPIV3Schema: Required value',
    )
    const untyped = { openAPIV3Schema: { type: 'object', properties: { spec: {} } } }
    expect(await refusal(21, stable, definition({ versions: [{ ...version, schema: untyped }] }))).toContain(
      'openAPIV3Schema.properties[spec].type: Required value: must not be empty',
    )
    await made(21, beta, definition({ version: 'v1' }))
  })

  test('v1: spec.preserveUnknownFields must not be true', async () => {
    expect(await refusal(21, stable, definition({ versions, preserveUnknownFields: true }))).toContain(
      'spec.preserveUnknownFields: Invalid value: true',
    )
    expect(await made(21, beta, definition({ version: 'v1' }))).toMatchObject({ spec: { preserveUnknownFields: true } })
  })
})

test('SubjectAccessReview: spec.groups instead of spec.group', async () => {
  const review = async (version: string, field: string): Promise<unknown> => {
    const spec = { user: 'u', [field]: ['system:masters'], resourceAttributes: { verb: 'get', resource: 'pods' } }
    const body = { apiVersion: `authorization.k8s.io/${version}`, kind: 'SubjectAccessReview', metadata: {}, spec }
    const reply = await ask(21, pathOf(`authorization.k8s.io/${version}/subjectaccessreviews`), { method: 'POST', body })
    return reply.json<{ status: { allowed: boolean } }>().status.allowed
  }
  expect(await review('v1beta1', 'group')).toBe(true)
  expect(await review('v1', 'groups')).toBe(true)
  expect(await review('v1', 'group')).toBe(false)
})

describe('CertificateSigningRequest', () => {
  const [beta, stable] = ['v1beta1', 'v1'].map((version) => `certificates.k8s.io/${version}/certificatesigningrequests`) as [
    string,
    string,
  ]
  const pem = `-----BEGIN CERTIFICATE REQUEST-----
MIHHMG4CAQAwDDEKMAgGA1UEAwwBdTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
BM8518ZnTfNatQNxURiqgj3v6FW1dLYRJixkS1BoDMancb07VT9HM3QEz/ZuSOJO
Vkplq7+nbsGmGr3PliNfClagADAKBggqhkjOPQQDAgNJADBGAiEAvhn75LSR1Qdn
9RpYhQHn47DgG8vrZz3sQuCe3ta7Bi8CIQCyd71yZ1XK01LHLYaXbI+ESXQ+7FlV
F8G/QsJjKHT3Sw==
-----END CERTIFICATE REQUEST-----
`
  const request = Buffer.from(pem).toString('base64')
  const wanted = { request, signerName: 'example.com/signer', usages: ['client auth'] }

  test('v1: spec.signerName is required, and cannot be kubernetes.io/legacy-unknown', async () => {
    expect(await refusal(21, stable, { spec: { ...wanted, signerName: undefined } })).toContain('spec.signerName: Required value')
    const legacy = { spec: { ...wanted, signerName: 'kubernetes.io/legacy-unknown' } }
    expect(await refusal(21, stable, legacy)).toContain('spec.signerName: Invalid value: "kubernetes.io/legacy-unknown"')
    expect(await made(21, beta, { spec: { ...wanted, signerName: undefined } })).toMatchObject({
      spec: { signerName: 'kubernetes.io/legacy-unknown' },
    })
  })

  test('v1: spec.usages is required, without duplicates and unknown ones', async () => {
    expect(await refusal(21, stable, { spec: { ...wanted, usages: undefined } })).toContain('spec.usages: Required value')
    expect(await refusal(21, stable, { spec: { ...wanted, usages: ['client auth', 'client auth'] } })).toContain(
      'spec.usages[1]: Duplicate value: "client auth"',
    )
    expect(await refusal(21, stable, { spec: { ...wanted, usages: ['unknown'] } })).toContain(
      'spec.usages[0]: Unsupported value: "unknown"',
    )
    await made(21, beta, { spec: { ...wanted, usages: ['unknown', 'unknown'] } })
  })

  /** Returns the rejection of a change of the status. */
  async function statusRefusal(subresource: 'approval' | 'status', status: Fields): Promise<string> {
    const { metadata } = await made(21, stable, { spec: wanted })
    const options = { method: 'PATCH', body: { status }, headers: mergePatch }
    const reply = await ask(21, `${pathOf(stable)}/${metadata.name}/${subresource}`, options)
    expect(reply.status, reply.text).toBe(422)
    return reply.json<{ message: string }>().message
  }
  const approved = { type: 'Approved', status: 'True', reason: 'r' }

  test('v1: status.conditions has no duplicate types', async () => {
    expect(await statusRefusal('approval', { conditions: [approved, approved] })).toContain(
      'status.conditions[1].type: Duplicate value',
    )
  })

  test('v1: status.conditions[*].status is required', async () => {
    const { status: _, ...rest } = approved
    expect(await statusRefusal('approval', { conditions: [rest] })).toContain('status.conditions[0].status: Required value')
  })

  test('v1: status.certificate is PEM with CERTIFICATE blocks only', async () => {
    const told = await statusRefusal('status', { certificate: request })
    expect(told).toContain('status.certificate: Invalid value')
    expect(told).toContain('CERTIFICATE')
  })
})

describe('Ingress', () => {
  const [beta, stable] = ['networking.k8s.io/v1beta1/n/ingresses', 'networking.k8s.io/v1/n/ingresses']
  const versions = [beta, stable] as const
  const backend = { serviceName: 's', servicePort: 80 }

  test.each([beta, 'extensions/v1beta1/n/ingresses'])('v1: spec.defaultBackend instead of spec.backend of %s', async (from) => {
    const { spec } = await converted(21, [from, stable], { spec: { backend } })
    expect(spec).toEqual({ defaultBackend: { service: { name: 's', port: { number: 80 } } } })
  })

  test('v1: service.name instead of serviceName', async () => {
    const { spec } = await converted(21, versions, { spec: { backend } })
    expect(spec).toMatchObject({ defaultBackend: { service: { name: 's' } } })
  })

  test('v1: service.port.number instead of a servicePort that is a number', async () => {
    const { spec } = await converted(21, versions, { spec: { backend } })
    expect(spec).toMatchObject({ defaultBackend: { service: { port: { number: 80 } } } })
  })

  test('v1: service.port.name instead of a servicePort that is a text', async () => {
    const { spec } = await converted(21, versions, { spec: { backend: { ...backend, servicePort: 'http' } } })
    expect(spec).toMatchObject({ defaultBackend: { service: { port: { name: 'http' } } } })
  })

  test('v1: pathType is required; v1beta1 without it means ImplementationSpecific', async () => {
    const rules = (path: Fields) => ({ spec: { rules: [{ http: { paths: [{ path: '/', ...path }] } }] } })
    const service = { name: 's', port: { number: 80 } }
    expect(await refusal(21, stable, rules({ backend: { service } }))).toContain('pathType: Required value')
    expect(await converted(21, versions, rules({ backend }))).toMatchObject(
      rules({ pathType: 'ImplementationSpecific', backend: { service } }),
    )
  })
})

const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
})
const labelled = { template: template('a') }
const selecting = { ...labelled, selector: { matchLabels: { app: 'a' } } }

describe.each([
  ['daemonsets', 'extensions/v1beta1'],
  ['deployments', 'extensions/v1beta1'],
  ['statefulsets', 'apps/v1beta1'],
  ['replicasets', 'extensions/v1beta1'],
])('the selector of %s', (resource, version) => {
  const [former, stable] = [`${version}/n/${resource}`, `apps/v1/n/${resource}`]
  const more = resource === 'statefulsets' ? { serviceName: 's' } : {}

  test('v1: spec.selector is required; the labels of the template were its default', async () => {
    expect(await refusal(15, stable, { spec: { ...labelled, ...more } })).toMatch(
      /spec.selector: Required value|`selector` does not match template `labels`/,
    )
    expect(await converted(15, [former, stable], { spec: { ...labelled, ...more } })).toMatchObject({
      spec: { selector: { matchLabels: { app: 'a' } } },
    })
  })

  test('v1: spec.selector is immutable', async () => {
    const { metadata } = await made(15, stable, { spec: { ...selecting, ...more } })
    const body = { spec: { selector: { matchLabels: { app: 'b' } }, template: template('b') } }
    const reply = await ask(15, `${pathOf(stable)}/${metadata.name}`, { method: 'PATCH', body, headers: mergePatch })
    expect([reply.status, reply.text]).toEqual([422, expect.stringContaining('spec')])
    expect(reply.text).toMatch(/field is immutable|are forbidden/)
  })
})

describe('workloads', () => {
  const of = (version: string, resource: string): string => `${version}/n/${resource}`

  test('DaemonSet: spec.templateGeneration is gone', async () => {
    const former = await made(15, of('extensions/v1beta1', 'daemonsets'), { spec: selecting })
    expect(former.spec).toHaveProperty('templateGeneration')
    expect((await made(15, of('apps/v1', 'daemonsets'), { spec: selecting })).spec).not.toHaveProperty('templateGeneration')
  })

  test.each([
    ['daemonsets', 'extensions/v1beta1', {}],
    ['statefulsets', 'apps/v1beta1', { serviceName: 's' }],
  ])('%s: the default of spec.updateStrategy.type was OnDelete in %s and is RollingUpdate', async (resource, former, more) => {
    const spec = { ...selecting, ...more }
    expect(await made(15, of(former, resource), { spec })).toMatchObject({ spec: { updateStrategy: { type: 'OnDelete' } } })
    expect(await made(15, of('apps/v1', resource), { spec })).toMatchObject({
      spec: { updateStrategy: { type: 'RollingUpdate' } },
    })
  })

  const deployment = async (version: string): Promise<Fields> =>
    (await made(15, of(version, 'deployments'), { spec: selecting })).spec

  test('Deployment: spec.rollbackTo is gone', async () => {
    const spec = { ...selecting, rollbackTo: { revision: 2 } }
    const versions = [of('extensions/v1beta1', 'deployments'), of('apps/v1', 'deployments')] as const
    expect((await made(15, versions[0], { spec })).spec).toMatchObject({ rollbackTo: { revision: 2 } })
    expect((await converted(15, versions, { spec })).spec).not.toHaveProperty('rollbackTo')
  })

  test('Deployment: spec.progressDeadlineSeconds had no default and now has 600', async () => {
    // No deadline is the largest number.
    expect((await deployment('extensions/v1beta1')).progressDeadlineSeconds).toBe(2_147_483_647)
    expect((await deployment('apps/v1')).progressDeadlineSeconds).toBe(600)
  })

  test('Deployment: the default of spec.revisionHistoryLimit was 2 or all, and is 10', async () => {
    expect((await deployment('apps/v1beta1')).revisionHistoryLimit).toBe(2)
    expect((await deployment('extensions/v1beta1')).revisionHistoryLimit).toBe(2_147_483_647)
    expect((await deployment('apps/v1')).revisionHistoryLimit).toBe(10)
  })

  test('Deployment: the defaults of maxSurge and maxUnavailable were 1 and are 25%', async () => {
    const rolling = (value: number | string) => ({ strategy: { rollingUpdate: { maxSurge: value, maxUnavailable: value } } })
    expect(await deployment('extensions/v1beta1')).toMatchObject(rolling(1))
    expect(await deployment('apps/v1')).toMatchObject(rolling('25%'))
  })
})

test('PodSecurityPolicy: policy/v1beta1 instead of extensions/v1beta1', async () => {
  const any = { rule: 'RunAsAny' }
  const spec = { seLinux: any, runAsUser: any, supplementalGroups: any, fsGroup: any }
  const versions = ['extensions/v1beta1/podsecuritypolicies', 'policy/v1beta1/podsecuritypolicies'] as const
  expect(await converted(15, versions, { spec })).toMatchObject({ apiVersion: 'policy/v1beta1', spec })
})
