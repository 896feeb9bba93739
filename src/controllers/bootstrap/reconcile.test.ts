import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../go/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import {
  isAsMade,
  reconcileApiService,
  reconcileBinding,
  reconcileDefinition,
  reconcileMandatory,
  reconcileRole,
  reconcileSuggested,
} from './reconcile.ts'

const there = (object: JsonObject): KubernetesObject => object as unknown as KubernetesObject
const follows = 'rbac.authorization.kubernetes.io/autoupdate'
const rules = [
  { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] },
  { verbs: ['get'], nonResourceURLs: ['/version'] },
]

describe('bootstrap roles at start-up', () => {
  const role = { metadata: { name: 'r', labels: { own: 'x' }, annotations: { [follows]: 'true' } }, rules }

  test('get back missing rules in their smallest parts, after the existing rules', () => {
    const kept = { verbs: ['get'], apiGroups: [''], resources: ['pods', 'secrets'] }
    const { metadata } = role
    expect(reconcileRole(there({ ...role, rules: [kept] }), role)).toEqual({
      metadata,
      rules: [kept, { verbs: ['list'], apiGroups: [''], resources: ['pods'] }, { verbs: ['get'], nonResourceURLs: ['/version'] }],
    })
  })

  test("keep labels and annotations of others, even those with another value than the role's", () => {
    const metadata = { name: 'r', labels: { own: 'other', mine: '1' } }
    expect(reconcileRole(there({ ...role, metadata }), role)).toMatchObject({
      metadata: { labels: { own: 'other', mine: '1' }, annotations: { [follows]: 'true' } },
    })
  })

  test('are left alone with autoupdate "false"', () => {
    const metadata = { name: 'r', annotations: { [follows]: 'false' } }
    expect(reconcileRole(there({ metadata, rules: [] }), role)).toBeUndefined()
  })

  test('get back their selectors if they are aggregated, and keep the aggregated rules', () => {
    const selector = (name: string) => ({ matchLabels: { [name]: 'true' } })
    const wanted = { metadata: { name: 'r' }, aggregationRule: { clusterRoleSelectors: [selector('a')] }, rules: [] }
    const existing = { ...wanted, rules, aggregationRule: { clusterRoleSelectors: [selector('b')] } }
    expect(reconcileRole(there(existing), wanted)).toMatchObject({
      rules,
      aggregationRule: { clusterRoleSelectors: [selector('b'), selector('a')] },
    })
  })

  test('bindings get back their subjects, and a binding to another role is recreated', () => {
    const [jane, all] = [
      { kind: 'User', name: 'jane' },
      { kind: 'Group', name: 'all' },
    ]
    const wanted = { metadata: { name: 'b' }, roleRef: { kind: 'ClusterRole', name: 'r' }, subjects: [all] }
    expect(reconcileBinding(there({ ...wanted, subjects: [jane] }), wanted)).toMatchObject({ subjects: [jane, all] })
    expect(reconcileBinding(there({ ...wanted, roleRef: { kind: 'ClusterRole', name: 'x' } }), wanted)).toBe('again')
  })
})

describe('flow control objects at start-up', () => {
  const annotation = 'apf.kubernetes.io/autoupdate-spec'
  const annotatedMetadata = (value?: string, generation = 2) => ({
    name: 'f',
    generation,
    ...(value !== undefined && { annotations: { [annotation]: value } }),
  })
  const wanted = { metadata: { name: 'f' }, spec: { matchingPrecedence: 1 } }
  const changed = (value?: string, generation?: number) =>
    there({ metadata: annotatedMetadata(value, generation), spec: { matchingPrecedence: 7 } })

  test('get the spec of the release with autoupdate-spec "true", and keep their own with "false"', () => {
    expect(reconcileSuggested(changed('true'), wanted)).toMatchObject({ spec: wanted.spec })
    expect(reconcileSuggested(changed('false'), wanted)).toBeUndefined()
  })

  test('without the annotation follow the release at generation 1, and are annotated "false" otherwise', () => {
    expect(reconcileSuggested(changed(undefined, 1), wanted)).toMatchObject({ spec: wanted.spec })
    expect(reconcileSuggested(changed(), wanted)).toMatchObject({
      metadata: { annotations: { [annotation]: 'false' } },
      spec: { matchingPrecedence: 7 },
    })
  })

  test('that are mandatory get back their spec and annotation, except lendablePercent of the exempt level', () => {
    expect(reconcileMandatory(changed('false'), wanted)).toMatchObject({
      metadata: { annotations: { [annotation]: 'true' } },
      spec: wanted.spec,
    })
    const level = (lendablePercent: number) => ({ type: 'Exempt', exempt: { lendablePercent } })
    const exempt = there({ metadata: annotatedMetadata('true'), spec: level(50) })
    expect(reconcileMandatory(exempt, { metadata: { name: 'f' }, spec: level(0) })).toBeUndefined()
  })
})

test('an automanaged APIService gets back its spec at start-up', () => {
  const wanted = { metadata: { name: 'v1.apps' }, spec: { versionPriority: 15 } }
  const labels = { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' }
  const spec = { versionPriority: 77 }
  expect(reconcileApiService(there({ metadata: { name: 'v1.apps', labels }, spec }), wanted)).toMatchObject({ spec: wanted.spec })
  expect(reconcileApiService(there({ metadata: { name: 'v1.apps' }, spec }), wanted)).toBeUndefined()
})

test('isAsMade accepts an object with further labels and aggregated rules', () => {
  const wanted = { metadata: { name: 'r', labels: { a: '1' } }, aggregationRule: { clusterRoleSelectors: [] }, rules: [] }
  const metadata = { name: 'r', labels: { a: '1', b: '2' } }
  expect(isAsMade(there({ ...wanted, metadata, rules }), wanted)).toBe(true)
  expect(isAsMade(there({ ...wanted, metadata: { name: 'r' }, rules }), wanted)).toBe(false)
})

describe('the definition of an optional kind at start-up', () => {
  const definition = (version: string, ...fields: string[]): JsonObject => {
    const spec = { properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])) }
    return {
      metadata: { name: 'd' },
      spec: { versions: [{ name: version, schema: { openAPIV3Schema: { properties: { spec } } } }] },
    }
  }
  const wanted = definition('v1', 'a', 'b')

  test('gets the fields of the release', () => {
    expect(reconcileDefinition(there(definition('v1', 'a')), wanted)).toEqual(wanted)
    expect(reconcileDefinition(there(wanted), wanted)).toBeUndefined()
  })

  test.each([definition('v1', 'a', 'b', 'c'), definition('v1', 'c'), definition('v2', 'a')])(
    'stays if it has fields that the release does not know: %j',
    (later) => {
      expect(reconcileDefinition(there(later), wanted)).toBeUndefined()
    },
  )
})
