/** Codecs of custom resources, and the kinds for objects that are left in the version in which they are stored. */
import { describe, expect, test } from 'vitest'
import type { Kind } from '../catalog/kind.ts'
import { allKinds } from '../catalog/scheme.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { CustomResourceDefinition } from './definition.ts'
import { kindsOf } from './kind.ts'
import { type StoredObjects, unstored } from './versions.ts'

const schema = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer', default: 3 } } } } }

const definition = {
  metadata: { name: 'widgets.codec.example.com' },
  spec: {
    group: 'codec.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v2',
      schema: { openAPIV3Schema: schema },
      selectableFields: [{ jsonPath: '.spec.size' }],
    })),
    conversion: {
      strategy: 'Webhook',
      webhook: { clientConfig: { url: 'https://converts.example.com' }, conversionReviewVersions: ['v1'] },
    },
  },
  status: { acceptedNames: { plural: 'widgets', kind: 'Widget' }, storedVersions: ['v1', 'v2'], conditions: [] },
} as unknown as CustomResourceDefinition

/** Objects up to resourceVersion 10 were written in v1. */
const stored: StoredObjects = { ...unstored, writtenIn: (resourceVersion) => (resourceVersion <= 10 ? 'v1' : undefined) }

function widget(version: string): Kind {
  const kind = kindsOf(definition, 'tag', stored).get(version)
  if (kind === undefined) throw new Error(`no widgets of ${version}`)
  return kind
}

const named = (size: number): KubernetesObject => ({ metadata: { name: 'a', namespace: 'n' }, spec: { size } }) as never

describe('a stored custom resource', () => {
  test('says its version if its resourceVersion does not tell it, and clients never see that', () => {
    const { codec } = widget('v2')
    const early = codec.encodeAt(named(1), 7)
    expect(early).toBe(
      '{"metadata":{"name":"a","namespace":"n","resourceVersion":"7"},"spec":{"size":1},"apiVersion":"codec.example.com/v2"}',
    )
    expect(codec.encodeAt(named(1), 11)).not.toContain('apiVersion')
    expect(codec.storedVersion({ key: 'k', resourceVersion: 7, labels: '', value: early })).toBe('v2')
    expect(widget('v2').asStored('v2').codec.toRequestVersion(early)).not.toContain('apiVersion')
  })

  test('keeps its version under a later resourceVersion', () => {
    const { codec } = widget('v2')
    const value = '{"metadata":{"name":"a","resourceVersion":"7"},"spec":{"size":1}}'
    const later = codec.withResourceVersion({ key: 'k', resourceVersion: 7, labels: '', value }, 12)
    expect(later.resourceVersion).toBe(12)
    expect(later.value).toMatch(/"resourceVersion":"12".*,"apiVersion":"codec\.example\.com\/v1"\}$/)
    expect(codec.storedVersion(later)).toBe('v1')
  })
})

describe('the kind of objects that are left as they are stored', () => {
  test('is a plain record with all members of the kind, made once for a version', () => {
    const kind = widget('v1')
    const variant = kind.asStored('v1')
    expect(Object.keys({ ...variant }).sort()).toEqual(Object.keys({ ...kind }).sort())
    expect(kind.asStored('v1')).toBe(variant)
    expect(variant.type).toBe(kind.type)
    expect(variant.storage).toEqual({ ...kind.storage, version: 'v1' })
    expect([kind.conversion?.remote === undefined, variant.conversion]).toEqual([false, undefined])
  })

  test('converts nothing, and is its own kind for objects of any version', () => {
    const kind = widget('v1')
    const any = kind.asStored()
    expect(any).not.toBe(kind)
    expect(any.asStored()).toBe(any)
    const value = '{"metadata":{"name":"a","resourceVersion":"12"},"spec":{"size":1}}'
    expect(any.codec.toRequestVersion(value)).toBe(value)
    expect(() => kind.codec.toRequestVersion(value)).toThrow()
  })

  test('is the kind itself if no webhook converts', () => {
    for (const kind of allKinds()) expect(kind.asStored()).toBe(kind)
  })
})

test('a body of a custom resource has to declare its kind, one of a built-in kind does not', () => {
  const kinds = [widget('v1'), ...allKinds()]
  expect(kinds.map(({ codec }) => codec.typeMeta).filter((said) => said === 'declared')).toHaveLength(1)
  const { codec } = widget('v1')
  expect(codec.typeErrors({ kind: 'Gadget', apiVersion: 'codec.example.com/v2' }).map(({ field }) => field)).toEqual([
    'kind',
    'apiVersion',
  ])
})

test('an object that was read from an answer has the value from which the answer was made, for every kind', () => {
  for (const kind of [widget('v1').asStored(), ...allKinds()]) {
    const { codec } = kind
    const value = codec.encode({ ...(codec.zero() as unknown as KubernetesObject), metadata: { name: 'a' } }, '5')
    if (kind.conversion === undefined) expect(codec.storedValueOf(codec.withTypeMeta(value))).toBe(value)
    expect([kind.apiVersion, codec.isObject(codec.withTypeMeta(value))]).toEqual([kind.apiVersion, true])
    expect(codec.isObject('{"kind":"Status","apiVersion":"v1","metadata":{}}')).toBe(false)
  }
})

test('fields of a definition are selectable beside those of metadata', () => {
  const { codec } = widget('v2')
  expect(codec.fieldLabels().supported).toEqual(['metadata.name', 'metadata.namespace', 'spec.size'])
  expect(codec.selectableFields(named(4), [])).toEqual({ 'spec.size': '4' })
})
