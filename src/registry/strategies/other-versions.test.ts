import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../go/json-value.ts'
import { strategyOf } from '../strategy.ts'
import { garbageCollectionOf } from '../strategy-options.ts'
import { viewOf } from '../subresources/views.ts'
import { find, objectOf, toldOfChange, toldOfNew } from './validated.fixture.ts'

const template = (app: string): JsonObject => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
})
const workload = (app: string): JsonObject => ({ spec: { selector: { matchLabels: { app } }, template: template(app) } })

describe('the versions of workloads', () => {
  test.each([
    ['extensions/v1beta1/deployments', 'OrphanDependents'],
    ['apps/v1beta2/statefulsets', 'OrphanDependents'],
    ['batch/v1beta1/cronjobs', 'OrphanDependents'],
    ['apps/v1beta1/controllerrevisions', 'DeleteDependents'],
    ['apps/v1/deployments', 'DeleteDependents'],
    ['batch/v1/cronjobs', 'DeleteDependents'],
  ])('a deletion through %s means %s', (path, policy) => {
    const kind = find(path)
    expect(garbageCollectionOf(kind, strategyOf(kind))).toBe(policy)
  })

  test.each([
    ['extensions/v1beta1/deployments', false],
    ['apps/v1beta1/deployments', false],
    ['extensions/v1beta1/daemonsets', false],
    ['extensions/v1beta1/replicasets', false],
    ['apps/v1beta2/deployments', true],
    ['apps/v1/daemonsets', true],
  ])('the selector of %s is immutable: %s', (path, isImmutable) => {
    const told = toldOfChange([path, workload('a'), workload('b'), []])
    expect(told.some((text) => text.startsWith('spec.selector: ') && text.endsWith('field is immutable'))).toBe(isImmutable)
  })

  test('Scales of the first versions have the selector as labels and as text', () => {
    const kind = find('apps/v1beta1/deployments')
    const shown = viewOf(kind, 'scale')?.show(objectOf(kind, workload('a')))
    expect(shown).toMatchObject({
      apiVersion: 'apps/v1beta1',
      status: { replicas: 0, selector: { app: 'a' }, targetSelector: 'app=a' },
    })
    const latest = find('apps/v1/deployments')
    expect(viewOf(latest, 'scale')?.show(objectOf(latest, workload('a')))).toMatchObject({
      apiVersion: 'autoscaling/v1',
      status: { replicas: 0, selector: 'app=a' },
    })
  })
})

const hook: JsonObject = {
  name: 'a.example.com',
  clientConfig: { url: 'https://example.com/' },
  rules: [{ operations: ['CREATE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }],
}
const explicit: JsonObject = { ...hook, sideEffects: 'Some', admissionReviewVersions: ['v1'] }
const definition: JsonObject = {
  metadata: { name: 'lamps.example.com' },
  spec: { group: 'example.com', names: { plural: 'lamps', kind: 'Lamp' }, scope: 'Namespaced' },
}

const authority = `-----BEGIN CERTIFICATE-----
MIIBbjCCARWgAwIBAgIUeYCuVmDTyRpoCSorWCIUYFi8490wCgYIKoZIzj0EAwIw
DTELMAkGA1UEAwwCY2EwHhcNMjYxMTIzMDgzNTA5WhcNMzYxMTIwMDgzNTA5WjAN
MQswCQYDVQQDDAJjYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIvwTMBChx++
zL9YON5HYRghrBNFloJzUFpV/j6NXyK+R2mMmw1o7tduzUAqirHP6ngihfVrTYM/
1TGR4dlukpajUzBRMB0GA1UdDgQWBBT4icy3T9FidjsmiXpu6ZJ1l3r/iDAfBgNV
HSMEGDAWgBT4icy3T9FidjsmiXpu6ZJ1l3r/iDAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0cAMEQCIA4WsYMazNVIgPtEx2Dsn7s3glYsUpIxnh/rwXNHODpE
AiB+tATRQPz5Wg1e1FxGGFQo90o8TNWCi57I4oNWeX/Bkw==
-----END CERTIFICATE-----
`

test.each([
  ['plain', { trustBundle: authority }, []],
  ['example.com:s:a', { signerName: 'example.com/s', trustBundle: `before ${authority} after` }, []],
  [
    'bad',
    { signerName: 'example.com/s', trustBundle: 'x' },
    [
      'metadata.name: Invalid value: "bad": ClusterTrustBundle for signerName example.com/s must be named with prefix example.com:s:',
      'spec.trustBundle: Invalid value: "<value omitted>": at least one trust anchor must be provided',
    ],
  ],
  [
    'a:b',
    { trustBundle: authority + authority },
    [
      'metadata.name: Invalid value: "a:b": ClusterTrustBundle without signer name must not have ":" in its name',
      'spec.trustBundle: Invalid value: "<value omitted>": duplicate trust anchor (indices [0 1])',
    ],
  ],
  [
    'c',
    { trustBundle: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' },
    ['spec.trustBundle: Invalid value: "<value omitted>": entry 0 does not parse as X.509'],
  ],
])('the ClusterTrustBundle %s has the errors of kube-apiserver', (name, spec, errors) => {
  expect(toldOfNew(['certificates.k8s.io/v1alpha1/clustertrustbundles', { metadata: { name }, spec }, []])).toEqual(errors)
})

describe('v1beta1 allows more than v1', () => {
  test('webhooks with side effects, and several of one name', () => {
    const path = 'validatingwebhookconfigurations'
    expect(toldOfNew([`admissionregistration.k8s.io/v1beta1/${path}`, { webhooks: [hook, hook] }, []])).toEqual([])
    expect(toldOfNew([`admissionregistration.k8s.io/v1/${path}`, { webhooks: [explicit, explicit] }, []])).toEqual([
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
      'webhooks[1].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
      'webhooks[1].name: Duplicate value: "a.example.com"',
    ])
  })

  test('definitions without a schema, which preserve unknown fields', () => {
    const spec = definition.spec as JsonObject
    const strategy = strategyOf(find('apiextensions.k8s.io/v1/customresourcedefinitions'))
    const errorsOf = (version: string, more: JsonObject): string[] => {
      const kind = find(`apiextensions.k8s.io/${version}/customresourcedefinitions`)
      const object = objectOf(kind, { ...definition, spec: { ...spec, ...more } })
      return (strategy.validate?.(object, kind) ?? []).map(({ field }) => field)
    }
    expect(errorsOf('v1beta1', { version: 'v1' })).toEqual([])
    const versions = [{ name: 'v1', served: true, storage: true }]
    expect(errorsOf('v1', { versions, preserveUnknownFields: true })).toEqual([
      'spec.versions[0].schema.openAPIV3Schema',
      'spec.preserveUnknownFields',
    ])
  })

  test('the topology of an EndpointSlice stays, but requests of v1 drop it', () => {
    const { prepareForCreate } = strategyOf(find('discovery.k8s.io/v1/endpointslices'))
    const created = (version: string, endpoint: JsonObject): unknown => {
      const kind = find(`discovery.k8s.io/${version}/endpointslices`)
      const object = objectOf(kind, { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'], ...endpoint }] })
      prepareForCreate?.(object, { kind } as Parameters<NonNullable<typeof prepareForCreate>>[1])
      return object.endpoints
    }
    const deprecatedTopology = { rack: 'r' }
    expect(created('v1beta1', { topology: deprecatedTopology })).toMatchObject([{ deprecatedTopology }])
    expect(created('v1', { deprecatedTopology })).not.toMatchObject([{ deprecatedTopology }])
  })

  test('errors of Ingresses name the fields of the version', () => {
    const backend = { serviceName: 'A', servicePort: 'no/port' }
    expect(toldOfNew(['networking.k8s.io/v1beta1/ingresses', { spec: {} }, []])).toEqual([
      'spec: Invalid value: null: either `backend` or `rules` must be specified',
    ])
    const told = toldOfNew(['extensions/v1beta1/ingresses', { spec: { backend } }, []])
    expect(told.map((text) => text.slice(0, text.indexOf(': ')))).toEqual([
      'spec.backend.serviceName',
      'spec.backend.servicePort',
    ])
  })
})
