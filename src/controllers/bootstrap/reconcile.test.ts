import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../go/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import {
  isAsMade,
  reconcileApiService,
  reconcileBinding,
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

describe('bootstrap roles at a start', () => {
  const role = { metadata: { name: 'r', labels: { own: 'x' }, annotations: { [follows]: 'true' } }, rules }

  test('rules that were taken away come back in their smallest parts, behind what is there', () => {
    const kept = { verbs: ['get'], apiGroups: [''], resources: ['pods', 'secrets'] }
    const { metadata } = role
    expect(reconcileRole(there({ ...role, rules: [kept] }), role)).toEqual({
      metadata,
      rules: [kept, { verbs: ['list'], apiGroups: [''], resources: ['pods'] }, { verbs: ['get'], nonResourceURLs: ['/version'] }],
    })
  })

  test('labels and annotations of others stay, also where the role would have them otherwise', () => {
    const metadata = { name: 'r', labels: { own: 'other', mine: '1' } }
    expect(reconcileRole(there({ ...role, metadata }), role)).toMatchObject({
      metadata: { labels: { own: 'other', mine: '1' }, annotations: { [follows]: 'true' } },
    })
  })

  test('one that is not to be updated is left alone', () => {
    const metadata = { name: 'r', annotations: { [follows]: 'false' } }
    expect(reconcileRole(there({ metadata, rules: [] }), role)).toBeUndefined()
  })

  test('an aggregated role gets back its selectors, and keeps the rules that were gathered', () => {
    const selector = (name: string) => ({ matchLabels: { [name]: 'true' } })
    const wanted = { metadata: { name: 'r' }, aggregationRule: { clusterRoleSelectors: [selector('a')] }, rules: [] }
    const existing = { ...wanted, rules, aggregationRule: { clusterRoleSelectors: [selector('b')] } }
    expect(reconcileRole(there(existing), wanted)).toMatchObject({
      rules,
      aggregationRule: { clusterRoleSelectors: [selector('b'), selector('a')] },
    })
  })

  test('a binding gets back its subjects, and one to another role is made anew', () => {
    const [jane, all] = [
      { kind: 'User', name: 'jane' },
      { kind: 'Group', name: 'all' },
    ]
    const wanted = { metadata: { name: 'b' }, roleRef: { kind: 'ClusterRole', name: 'r' }, subjects: [all] }
    expect(reconcileBinding(there({ ...wanted, subjects: [jane] }), wanted)).toMatchObject({ subjects: [jane, all] })
    expect(reconcileBinding(there({ ...wanted, roleRef: { kind: 'ClusterRole', name: 'x' } }), wanted)).toBe('again')
  })
})

describe('flow control at a start', () => {
  const annotation = 'apf.kubernetes.io/autoupdate-spec'
  const said = (value?: string, generation = 2) => ({
    name: 'f',
    generation,
    ...(value !== undefined && { annotations: { [annotation]: value } }),
  })
  const wanted = { metadata: { name: 'f' }, spec: { matchingPrecedence: 1 } }
  const changed = (value?: string, generation?: number) =>
    there({ metadata: said(value, generation), spec: { matchingPrecedence: 7 } })

  test('what follows the release gets its spec, what does not keeps its own', () => {
    expect(reconcileSuggested(changed('true'), wanted)).toMatchObject({ spec: wanted.spec })
    expect(reconcileSuggested(changed('false'), wanted)).toBeUndefined()
  })

  test('without the annotation it follows if it was never changed, and is marked as not following if it was', () => {
    expect(reconcileSuggested(changed(undefined, 1), wanted)).toMatchObject({ spec: wanted.spec })
    expect(reconcileSuggested(changed(), wanted)).toMatchObject({
      metadata: { annotations: { [annotation]: 'false' } },
      spec: { matchingPrecedence: 7 },
    })
  })

  test('what is mandatory gets back its spec and its annotation; the seats of the exempt level are free to choose', () => {
    expect(reconcileMandatory(changed('false'), wanted)).toMatchObject({
      metadata: { annotations: { [annotation]: 'true' } },
      spec: wanted.spec,
    })
    const level = (lendablePercent: number) => ({ type: 'Exempt', exempt: { lendablePercent } })
    const exempt = there({ metadata: said('true'), spec: level(50) })
    expect(reconcileMandatory(exempt, { metadata: { name: 'f' }, spec: level(0) })).toBeUndefined()
  })
})

test('an API service that is looked after gets back its spec', () => {
  const wanted = { metadata: { name: 'v1.apps' }, spec: { versionPriority: 15 } }
  const labels = { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' }
  const spec = { versionPriority: 77 }
  expect(reconcileApiService(there({ metadata: { name: 'v1.apps', labels }, spec }), wanted)).toMatchObject({ spec: wanted.spec })
  expect(reconcileApiService(there({ metadata: { name: 'v1.apps' }, spec }), wanted)).toBeUndefined()
})

test('what is as it was made needs no second look: others may have added labels, and rules that are gathered', () => {
  const wanted = { metadata: { name: 'r', labels: { a: '1' } }, aggregationRule: { clusterRoleSelectors: [] }, rules: [] }
  const metadata = { name: 'r', labels: { a: '1', b: '2' } }
  expect(isAsMade(there({ ...wanted, metadata, rules }), wanted)).toBe(true)
  expect(isAsMade(there({ ...wanted, metadata: { name: 'r' }, rules }), wanted)).toBe(false)
})
