import { expect, test } from 'vitest'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { reconcile } from './reconcile.ts'

const v1 = { group: 'example.com', version: 'v1' }
const spec = { ...v1, groupPriorityMinimum: 1000, versionPriority: 100 }
const labels = { 'kube-aggregator.kubernetes.io/automanaged': 'true' }
const service = (name: string, ofSpec: object, own = true): KubernetesObject =>
  ({ metadata: { name, ...(own && { labels }) }, spec: ofSpec }) as unknown as KubernetesObject
const nothing = { created: [], changed: [], deleted: [] }

test('a served version gets an APIService, once', () => {
  const { created } = reconcile([v1, v1], [])
  expect(created).toEqual([{ metadata: { name: 'v1.example.com', labels }, spec }])
  expect(reconcile([v1], [service('v1.example.com', spec)])).toEqual(nothing)
})

test('an APIService with another spec is corrected', () => {
  const changed = [{ name: 'v1.example.com', spec }]
  expect(reconcile([v1], [service('v1.example.com', { ...spec, versionPriority: 7 })])).toEqual({ ...nothing, changed })
})

test('the APIService of a version that is no longer served is deleted', () => {
  expect(reconcile([], [service('v1.example.com', spec)])).toEqual({ ...nothing, deleted: ['v1.example.com'] })
})

test('an APIService without the automanaged label is left alone', () => {
  const other = service('v1.example.com', { ...spec, versionPriority: 7 }, false)
  expect(reconcile([v1], [other])).toEqual(nothing)
  expect(reconcile([], [other])).toEqual(nothing)
})
