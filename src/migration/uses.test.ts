import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lifecycles } from '../catalog/generated/lifecycle.ts'
import type { JsonObject } from '../go/json-value.ts'
import type { Release } from '../schema/tables.ts'
import { collectorBetween } from './between.ts'
import { changedKinds } from './guide.ts'
import { convertedManifest } from './manifest.ts'
import { apiVersionText, Removals } from './removals.ts'
import { usesOfManifest, usesOfObject } from './uses.ts'

const between = (from: Release, to: Release): Removals => new Removals(lifecycles, from, to)
const all = between([1, 15], [1, 36])

const patchesOf = (object: JsonObject, removals = all): unknown[] =>
  usesOfObject(object, removals).map(({ mend }) =>
    mend.type === 'json-patch' ? mend.patch.filter(({ op }) => op !== 'test') : mend,
  )

const converted = (manifest: JsonObject): JsonObject | undefined => {
  const removal = all.ofKind(String(manifest.apiVersion), String(manifest.kind))
  return removal && convertedManifest(manifest, removal)
}

test('only versions that are removed after the first release, and not after the second, are removals', () => {
  const names = (from: Release, to: Release): string[] =>
    between(from, to).all.map(({ group, version, resource }) => `${group}/${version}/${resource}`)
  expect(names([1, 21], [1, 22])).toContain('networking.k8s.io/v1beta1/ingresses')
  expect(names([1, 22], [1, 24])).not.toContain('networking.k8s.io/v1beta1/ingresses')
  expect(names([1, 22], [1, 24])).not.toContain('batch/v1beta1/cronjobs')
  expect(names([1, 24], [1, 25])).toContain('batch/v1beta1/cronjobs')
  expect(names([1, 25], [1, 25])).toEqual([])
})

test('the replacement is served by the later release', () => {
  const to = (release: Release): string | undefined =>
    between([1, 25], release).ofKind('flowcontrol.apiserver.k8s.io/v1beta1', 'FlowSchema')?.replacement?.version
  expect(to([1, 26])).toBe('v1beta3')
  expect(to([1, 36])).toBe('v1')
  expect(all.ofKind('extensions/v1beta1', 'PodSecurityPolicy')?.replacement).toBeUndefined()
  const early = between([1, 15], [1, 16]).ofKind('extensions/v1beta1', 'PodSecurityPolicy')
  expect(early?.replacement).toMatchObject({ group: 'policy', version: 'v1beta1' })
})

test.each([
  ['1.x', '1.25', '"1.x" is no release such as 1.25'],
  ['1.25', '1.21', 'the release 1.25 is later than 1.21'],
])('a check from %s to %s is refused', (from, to, message) => {
  expect(() => collectorBetween(from, to)).toThrow(message)
})

test('every entry of the deprecation guide names a version that a release has removed', () => {
  const removed = lifecycles.filter((entry) => entry.removed !== undefined)
  const known = new Set(removed.map(({ group, version, kind }) => `${group}/${version} ${kind}`))
  expect(changedKinds.filter((name) => !known.has(name))).toEqual([])
})

const metadata = { name: 'web', namespace: 'default' }

test('a last applied manifest gets a patch with the manifest in the version that is served', () => {
  const applied = JSON.stringify({ apiVersion: 'batch/v1beta1', kind: 'CronJob', metadata, spec: { schedule: '@daily' } })
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': applied }
  const [patch] = patchesOf({ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { ...metadata, annotations } }) as [
    { path: string; value: string }[],
  ]
  expect(patch[0]?.path).toBe('/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration')
  expect(JSON.parse(patch[0]?.value ?? '')).toEqual({ ...JSON.parse(applied), apiVersion: 'batch/v1' })
})

test('field managers are named, and keep one entry for each version', () => {
  const entry = (manager: string, apiVersion: string) => ({
    manager,
    operation: 'Apply',
    apiVersion,
    time: '2021-01-01T00:00:00Z',
  })
  const managedFields = [entry('a', 'batch/v1beta1'), entry('b', 'batch/v1beta1'), entry('b', 'batch/v1')]
  const object = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { ...metadata, managedFields } }
  expect(usesOfObject(object, all).map(({ manager }) => manager?.name)).toEqual(['b', 'a'])
  expect(patchesOf(object)).toEqual([
    [{ op: 'remove', path: '/metadata/managedFields/1' }],
    [{ op: 'replace', path: '/metadata/managedFields/0/apiVersion', value: 'batch/v1' }],
  ])
  const moved = { ...object, kind: 'Ingress', metadata: { ...metadata, managedFields: [entry('a', 'extensions/v1beta1')] } }
  expect(patchesOf(moved)).toEqual([
    { type: 'advice', advice: 'a must write the object as networking.k8s.io/v1: the paths of its fields are others there' },
  ])
})

test('references by apiVersion and kind are found at any depth, also in custom resources', () => {
  const ref = { apiVersion: 'extensions/v1beta1', kind: 'Deployment', name: 'web' }
  const replaced = (path: string): unknown => [{ op: 'replace', path: `${path}/apiVersion`, value: 'apps/v1' }]
  const scaler = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata, spec: { scaleTargetRef: ref } }
  expect(patchesOf(scaler)).toEqual([replaced('/spec/scaleTargetRef')])
  const custom = { apiVersion: 'example.com/v1', kind: 'Scaled', metadata, spec: { targets: [{ 'a/b': ref }] }, status: { ref } }
  expect(patchesOf(custom)).toEqual([replaced('/spec/targets/0/a~1b')])
  const owned = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, ownerReferences: [ref] } }
  expect(patchesOf(owned)).toEqual([replaced('/metadata/ownerReferences/0')])
})

const role = (...rules: JsonObject[]): JsonObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'r' },
  rules,
})
const oldRule = { apiGroups: ['extensions'], resources: ['ingresses', 'ingresses/status', 'others'], verbs: ['get', 'update'] }
const newRule = { ...oldRule, apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'ingresses/status'] }

test('a rule of a role gets a second one for the group that takes over', () => {
  expect(patchesOf(role(oldRule))).toEqual([[{ op: 'add', path: '/rules/-', value: newRule }]])
})

test.each([
  ['another rule', [oldRule, newRule]],
  ['wildcards', [oldRule, { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]],
  ['the same rule', [{ ...oldRule, apiGroups: ['extensions', 'networking.k8s.io'] }]],
])('a rule of a role is no use if %s covers it', (_name, rules) => {
  expect(patchesOf(role(...rules))).toEqual([])
})

test('a rule with fewer verbs does not cover', () => {
  expect(patchesOf(role(oldRule, { ...newRule, verbs: ['get'] }))).toHaveLength(1)
})

const webhook = (matchPolicy: string, apiVersions: string[]): JsonObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'w' },
  webhooks: [
    {
      name: 'a.example.com',
      matchPolicy,
      rules: [{ apiGroups: ['policy'], apiVersions, resources: ['poddisruptionbudgets'], operations: ['CREATE'] }],
    },
  ],
})

test.each([
  ['Equivalent', ['v1beta1'], 1],
  ['Exact', ['v1beta1'], 1],
  ['Exact', ['v1beta1', 'v1'], 0],
  ['Exact', ['*'], 0],
])('a webhook with %s rules for %j has %i uses', (matchPolicy, versions, count) => {
  expect(patchesOf(webhook(matchPolicy, versions))).toHaveLength(count)
})

test('a quota that counts a resource of a group that is gone', () => {
  const hard = { 'count/deployments.extensions': '3', pods: '1' }
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard } }
  expect(patchesOf(quota)).toEqual([[{ op: 'add', path: '/spec/hard/count~1deployments.apps', value: '3' }]])
  const both = { ...quota, spec: { hard: { ...hard, 'count/deployments.apps': '3' } } }
  expect(patchesOf(both)).toEqual([])
})

test('an object of a kind that is gone has no patch', () => {
  const policy = { apiVersion: 'policy/v1beta1', kind: 'PodSecurityPolicy', metadata: { name: 'restricted' } }
  expect(usesOfObject(policy, all)).toMatchObject([{ by: 'object', removedIn: '1.25', mend: { type: 'advice' } }])
  const budget = { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', metadata }
  expect(usesOfObject(budget, all)).toEqual([])
  expect(usesOfManifest(budget, all)).toMatchObject({
    uses: [{ by: 'manifest', mend: { type: 'manifest' } }],
    mended: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
  })
})

test('a manifest is mended with the fields in it', () => {
  const template = { metadata: { labels: { app: 'web' }, ownerReferences: [] } }
  const ref = { apiVersion: 'apps/v1beta2', kind: 'Deployment', name: 'web' }
  const scaler = { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata, spec: { scaleTargetRef: ref } }
  const { uses, mended } = usesOfManifest(scaler, all)
  expect(uses).toHaveLength(1)
  expect(mended).toEqual({ ...scaler, spec: { scaleTargetRef: { ...ref, apiVersion: 'apps/v1' } } })
  const owner = { apiVersion: 'extensions/v1beta1', kind: 'Deployment', name: 'web', uid: '1' }
  const both = {
    apiVersion: 'apps/v1beta2',
    kind: 'ReplicaSet',
    metadata: { ...metadata, ownerReferences: [owner] },
    spec: { template },
  }
  expect(usesOfManifest(both, all).mended).toMatchObject({
    apiVersion: 'apps/v1',
    metadata: { ownerReferences: [{ ...owner, apiVersion: 'apps/v1' }] },
    spec: { selector: { matchLabels: { app: 'web' } } },
  })
  expect(usesOfManifest({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, all)).toEqual({ uses: [], mended: undefined })
})

test('a manifest keeps the defaults of its version', () => {
  const template = { metadata: { labels: { app: 'web' } } }
  const selector = { matchLabels: { app: 'web' } }
  const manifest = (apiVersion: string, kind: string, spec: JsonObject) => ({ apiVersion, kind, metadata, spec })
  expect(converted(manifest('apps/v1beta2', 'Deployment', { template }))).toEqual(
    manifest('apps/v1', 'Deployment', { template, selector }),
  )
  expect(converted(manifest('apps/v1beta1', 'StatefulSet', { template }))).toEqual(
    manifest('apps/v1', 'StatefulSet', { template, selector, updateStrategy: { type: 'OnDelete' } }),
  )
  expect(converted(manifest('policy/v1beta1', 'PodDisruptionBudget', { selector: {}, minAvailable: 1 }))).toEqual(
    manifest('policy/v1', 'PodDisruptionBudget', { minAvailable: 1 }),
  )
  const hook = { apiVersion: 'admissionregistration.k8s.io/v1beta1', kind: 'ValidatingWebhookConfiguration', metadata }
  expect(converted({ ...hook, webhooks: [{ name: 'a', timeoutSeconds: 5 }] })).toMatchObject({
    apiVersion: 'admissionregistration.k8s.io/v1',
    webhooks: [{ timeoutSeconds: 5, failurePolicy: 'Ignore', matchPolicy: 'Exact', admissionReviewVersions: ['v1beta1'] }],
  })
})

/** Manifests of versions with other fields. kube-apiserver 1.36 accepts the converted ones. */
test.each<[apiVersion: string, kind: string, rest: JsonObject, converted: JsonObject]>([
  [
    'extensions/v1beta1',
    'Ingress',
    { spec: { backend: { serviceName: 'a', servicePort: 80 } } },
    { apiVersion: 'networking.k8s.io/v1', spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } } },
  ],
  [
    'networking.k8s.io/v1beta1',
    'Ingress',
    { spec: { rules: [{ http: { paths: [{ path: '/', backend: { serviceName: 'b', servicePort: 'http' } }] } }] } },
    {
      apiVersion: 'networking.k8s.io/v1',
      spec: {
        rules: [
          {
            http: {
              paths: [
                { path: '/', pathType: 'ImplementationSpecific', backend: { service: { name: 'b', port: { name: 'http' } } } },
              ],
            },
          },
        ],
      },
    },
  ],
  [
    'autoscaling/v2beta1',
    'HorizontalPodAutoscaler',
    { spec: { maxReplicas: 3, metrics: [{ type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 50 } }] } },
    {
      apiVersion: 'autoscaling/v2',
      spec: {
        maxReplicas: 3,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
      },
    },
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1beta2',
    'PriorityLevelConfiguration',
    { spec: { type: 'Limited', limited: { assuredConcurrencyShares: 5 } } },
    { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5 } } },
  ],
  [
    'discovery.k8s.io/v1beta1',
    'EndpointSlice',
    { endpoints: [{ topology: { 'kubernetes.io/hostname': 'n', 'topology.kubernetes.io/zone': 'z', other: 'o' } }] },
    { apiVersion: 'discovery.k8s.io/v1', endpoints: [{ nodeName: 'n', zone: 'z' }] },
  ],
  [
    'apiextensions.k8s.io/v1beta1',
    'CustomResourceDefinition',
    { spec: { version: 'v1', validation: { openAPIV3Schema: { type: 'object' } } } },
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      spec: {
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    },
  ],
  [
    'extensions/v1beta1',
    'DaemonSet',
    { spec: { templateGeneration: 3, template: { metadata: { labels: { a: 'b' } } } } },
    {
      apiVersion: 'apps/v1',
      spec: {
        updateStrategy: { type: 'OnDelete' },
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } } },
      },
    },
  ],
])('%s %s is converted with its fields', (apiVersion, kind, rest, result) => {
  expect(converted({ apiVersion, kind, metadata, ...rest })).toEqual({ kind, metadata, ...result })
})

test('hostile manifests are read without harm', () => {
  let deep: JsonObject = { apiVersion: 'extensions/v1beta1', kind: 'Deployment' }
  for (let i = 0; i < 5000; i++) deep = { a: deep }
  expect(usesOfObject({ apiVersion: 'a/v1', kind: 'B', metadata, spec: deep }, all)).toEqual([])
  for (const metadata of [null, [], { managedFields: [null, 3], ownerReferences: {}, annotations: [] }] as JsonObject[]) {
    expect(usesOfObject({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules: [null] }, all)).toEqual([])
  }
})

test('any JSON is read without an error', () => {
  const removed = all.all.map((removal) => [apiVersionText(removal), removal.kind] as const)
  const names = [
    'spec',
    'metadata',
    'webhooks',
    'rules',
    'endpoints',
    'template',
    'selector',
    'versions',
    'backend',
    'limited',
    'http',
  ]
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom(null, true, 0, 80, '', 'a', '*'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names, 'paths', 'validation', 'conversion', 'metrics', 'type', 'topology'), tie('value')),
    ),
  }))
  const body = fc.dictionary(fc.constantFrom(...names), value)
  fc.assert(
    fc.property(fc.constantFrom(...removed), body, ([apiVersion, kind], rest) => {
      const manifest = { ...rest, apiVersion, kind } as JsonObject
      const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(manifest) }
      usesOfManifest(manifest, all)
      usesOfObject({ ...manifest, metadata: { ...metadata, annotations } }, all)
    }),
    { numRuns: 500 },
  )
})
