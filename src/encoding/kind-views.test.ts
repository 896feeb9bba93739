import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Kind } from '../catalog/kind.ts'
import { allKinds, kindOf } from '../catalog/scheme.ts'
import { metadataText } from '../catalog/stored-value.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import { itemsText } from './json-view.ts'
import { jsonViewOf, show } from './kind-views.ts'
import type { View } from './view.ts'

const now = (): number => Date.parse('2026-01-01T00:00:00Z')
const kind = (group: string, version: string, resource: string): Kind => {
  const found = kindOf(group, version, resource)
  if (found === undefined) throw new Error(`no kind ${resource}`)
  return found
}
const secrets = kind('', 'v1', 'secrets')
const metadata = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '7', creationTimestamp: '2025-01-01T00:00:00Z' }
const value = JSON.stringify({ metadata, data: { k: 'djE=' }, type: 'Opaque' })
const table = (includeObject = '', version: 'v1' | 'v1beta1' = 'v1'): View => ({ as: 'Table', version, includeObject })
const partial: View = { as: 'PartialObjectMetadata', version: 'v1' }
const partialList: View = { as: 'PartialObjectMetadataList', version: 'v1beta1' }

interface Table {
  readonly metadata: unknown
  readonly columnDefinitions: readonly { readonly name: string }[] | null
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: unknown }[]
}

describe('PartialObjectMetadata', () => {
  test('has the metadata of a stored object with any strings', () => {
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom('{', '}', '[', ']', '"', '\\', 'a')).map((part) => part.join('')),
    )
    fc.assert(
      fc.property(fc.dictionary(text, text), fc.dictionary(text, text), (annotations, data) => {
        const meta = { name: 'a', annotations, managedFields: [{ fieldsV1: annotations }] }
        expect(metadataText(JSON.stringify({ metadata: meta, data }))).toBe(JSON.stringify(meta))
        expect(metadataText(JSON.stringify({ metadata: meta }))).toBe(JSON.stringify(meta))
      }),
    )
  })

  test('contains only the metadata of an object', () => {
    expect(JSON.parse(show(secrets, secrets.codec.withTypeMeta(value), partial, now))).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
    })
  })

  test('an empty PartialObjectMetadataList has items: null', () => {
    const view = jsonViewOf(secrets, partialList, 'list', now)
    const { head, end } = view.list({ resourceVersion: '5' })
    expect(`${head}${itemsText(view, [])}${end}`).toBe(
      '{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1beta1","metadata":{"resourceVersion":"5"},"items":null}',
    )
  })
})

describe('a Table', () => {
  const tableOf = (view: View): Table => JSON.parse(show(secrets, secrets.codec.withTypeMeta(value), view, now))

  test.each([
    ['', 'v1', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }],
    ['Metadata', 'v1beta1', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1beta1', metadata }],
    ['Object', 'v1', { kind: 'Secret', apiVersion: 'v1', metadata, data: { k: 'djE=' }, type: 'Opaque' }],
    ['None', 'v1', null],
  ] as const)('with includeObject=%s in %s', (includeObject, version, object) => {
    const { rows, ...rest } = tableOf(table(includeObject, version))
    expect(rest).toMatchObject({ kind: 'Table', apiVersion: `meta.k8s.io/${version}`, metadata: { resourceVersion: '7' } })
    expect(rows.map((row) => row.object)).toEqual([object])
    expect(rows[0]?.cells[0]).toBe('a')
  })

  test('rejects an unknown includeObject, and leaves a Status unchanged', () => {
    expect(() => tableOf(table('bad'))).toThrow(
      "Unable to convert to Table as requested: includeObject: Invalid value: \"bad\": must be 'Metadata', 'Object', 'None', or empty",
    )
    const status = '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}'
    expect(show(secrets, status, table('bad'), now)).toBe(status)
  })

  test('has columnDefinitions only in the first watch event', () => {
    const view = jsonViewOf(secrets, table(), 'object', now)
    const columns = (JSON.parse(view.object(value)) as Table).columnDefinitions
    expect(columns?.map(({ name }) => name)).toEqual(['Name', 'Type', 'Data', 'Age'])
    expect((JSON.parse(view.following?.object(value) ?? '') as Table).columnDefinitions).toBeNull()
  })

  test('has the metadata of the initial-events-end bookmark with includeObject=None', () => {
    const view = jsonViewOf(secrets, table('None'), 'object', now)
    const marked = JSON.parse(view.initialEventsEnd?.object(value) ?? '') as Table
    expect(marked.rows[0]?.object).toMatchObject({ kind: 'PartialObjectMetadata' })
  })

  test('has the object in the requested version, and its metadata as stored', () => {
    const events = kind('events.k8s.io', 'v1', 'events')
    const zero = kind('', 'v1', 'events').codec.zero() as unknown as KubernetesObject
    const stored = events.codec.encode({ ...zero, metadata, message: 'm' }, '7')
    const text = events.codec.withTypeMeta(stored)
    expect(JSON.parse(text)).toMatchObject({ apiVersion: 'events.k8s.io/v1', note: 'm' })
    const [row] = (JSON.parse(show(events, text, table('Object'), now)) as Table).rows
    expect(row?.object).toEqual(JSON.parse(text))
    expect(JSON.parse(show(events, text, partial, now))).toMatchObject({ metadata })
  })

  test('every kind prints the zero object of a bookmark', () => {
    for (const each of allKinds()) {
      const storage = kindOf(each.storage.group, each.storage.version, each.storage.resource) ?? each
      const zero = storage.codec.encode({ ...(storage.codec.zero() as unknown as KubernetesObject), metadata: {} }, '5')
      const { rows, metadata: meta } = JSON.parse(jsonViewOf(each, table('Object'), 'object', now).object(zero)) as Table
      expect(meta).toEqual({ resourceVersion: '5' })
      expect(rows).toHaveLength(1)
    }
  })
})

describe('406 NotAcceptable for PartialObjectMetadata of a list or PartialObjectMetadataList of an object', () => {
  test.each([
    [secrets, partial, 'list', 'you requested PartialObjectMetadata, but the requested object is a list (*core.SecretList)'],
    [
      secrets,
      partialList,
      'object',
      'you requested PartialObjectMetadataList, but the requested object is not a list (*core.Secret)',
    ],
    [
      kind('rbac.authorization.k8s.io', 'v1', 'roles'),
      partial,
      'list',
      'you requested PartialObjectMetadata, but the requested object is a list (*rbac.RoleList)',
    ],
    [
      kind('events.k8s.io', 'v1', 'events'),
      partial,
      'list',
      'you requested PartialObjectMetadata, but the requested object is a list (*core.EventList)',
    ],
  ] as const)('%#', (of, view, shape, message) => {
    expect(() => jsonViewOf(of, view, shape, now)).toThrow(expect.objectContaining({ code: 406, message }))
  })
})
