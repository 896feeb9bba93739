import { describe, expect, test } from 'vitest'
import { aggregate } from './field-error.ts'
import { nameIsDnsSubdomain } from './names.ts'
import type { ObjectMeta } from './object-meta.ts'
import {
  validateFieldManager,
  validateObjectMeta,
  validateObjectMetaUpdate,
  validateStandardFinalizers,
} from './object-meta-validation.ts'

const RULES = { namespaced: true, validateName: nameIsDnsSubdomain }
const GOOD: ObjectMeta = {
  name: 'a',
  namespace: 'n',
  uid: 'u',
  resourceVersion: '1',
  generation: 2,
  creationTimestamp: '2001-02-03T04:05:06Z',
}
const texts = (errors: readonly { field: string; text: string }[]): string[] =>
  errors.map(({ field, text }) => `${field}: ${text}`)
const created = (change: ObjectMeta): string[] => texts(validateObjectMeta({ ...GOOD, ...change }, RULES))
const updated = (change: ObjectMeta, old: ObjectMeta = {}): string[] =>
  texts(validateObjectMetaUpdate({ ...GOOD, ...change }, { ...GOOD, ...old }))

describe('validateObjectMeta', () => {
  test('accepts valid metadata', () => {
    const rich: ObjectMeta = {
      labels: { 'example.com/a': 'b', c: '' },
      annotations: { 'Example.COM/A': 'anything\n' },
      finalizers: ['example.com/f', 'orphan'],
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Event', name: 'x', uid: 'u', controller: true }],
      managedFields: [{ operation: 'Apply', manager: 'é', fieldsType: 'FieldsV1' }],
      generateName: 'a-',
    }
    expect(created(rich)).toEqual([])
  })

  test('metadata.name and metadata.generateName', () => {
    expect(created({ name: '' })).toEqual(['metadata.name: Required value: name or generateName is required'])
    expect(created({ name: 'B', generateName: 'AB-' }).map((text) => text.slice(0, 44))).toEqual([
      'metadata.generateName: Invalid value: "AB-":',
      'metadata.name: Invalid value: "B": a lowerca',
    ])
    expect(
      texts(validateObjectMeta({ name: 'b', generateName: 'AB-', namespace: 'n' }, { ...RULES, generateName: 'unchecked' })),
    ).toEqual([])
  })

  test('metadata.namespace', () => {
    expect(created({ namespace: '' })).toEqual(['metadata.namespace: Required value'])
    expect(created({ namespace: 'a.b' })).toEqual(['metadata.namespace: Invalid value: "a.b": must not contain dots'])
    expect(texts(validateObjectMeta(GOOD, { ...RULES, namespaced: false }, 'm'))).toEqual([
      'm.namespace: Forbidden: not allowed on this type',
    ])
  })

  test('metadata.generation and metadata.annotations', () => {
    expect(created({ generation: -1 })).toEqual(['metadata.generation: Invalid value: -1: must be greater than or equal to 0'])
    expect(created({ annotations: { a: 'x'.repeat(262143) } })).toEqual([])
    expect(created({ annotations: { a: 'é'.repeat(131072) } })).toEqual([
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ])
  })

  test('metadata.ownerReferences', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u1', controller: true }
    const other = { uid: 'u2', name: '<b>', kind: 'Pod', apiVersion: 'v1', controller: true }
    expect(
      created({
        ownerReferences: [
          { apiVersion: 'a/b/c', kind: '', name: '', uid: '' },
          { apiVersion: 'v1', kind: 'Event', name: 'x', uid: 'u' },
        ],
      }),
    ).toEqual([
      'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"x","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
    ])
    expect(created({ ownerReferences: [owner, other] })).toEqual([
      'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u1","controller":true},{"apiVersion":"v1","kind":"Pod","name":"\\u003cb\\u003e","uid":"u2","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Pod/a and Pod/<b>',
    ])
  })

  test('metadata.finalizers', () => {
    expect(created({ finalizers: ['orphan', 'foregroundDeletion'] })).toEqual([
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ])
    expect(created({ finalizers: ['noslash'] })).toEqual([])
    expect(texts(validateStandardFinalizers(['kubernetes', 'a/b', 'noslash'], 'metadata.finalizers'))).toEqual([
      'metadata.finalizers[2]: Invalid value: "noslash": name is neither a standard finalizer name nor is it fully qualified',
    ])
  })

  test('metadata.managedFields', () => {
    const entry = { operation: '<' as 'Apply', fieldsType: 'V2' as 'FieldsV1', manager: 'a\n', subresource: 's'.repeat(257) }
    expect(created({ managedFields: [{ operation: 'Update' }, entry] })).toEqual([
      'metadata.managedFields[1].operation: Invalid value: "\\u003c": must be `Apply` or `Update`',
      'metadata.managedFields[1].fieldsType: Invalid value: "V2": must be `FieldsV1`',
      'metadata.managedFields[1].manager: Invalid value: "a\\n": invalid character U+000A (at position 1)',
      'metadata.managedFields[1].subresource: Too long: may not be more than 256 bytes',
    ])
  })

  test('the number of errors for a hostile object is bounded', () => {
    const labels = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`!${index}`, '!']))
    const ownerReferences = Array.from({ length: 20_000 }, () => ({
      apiVersion: 'v1',
      kind: 'Pod',
      name: 'a',
      uid: 'u',
      controller: true,
    }))
    expect(aggregate(validateObjectMeta({ ...GOOD, labels, ownerReferences }, RULES)).length).toBeLessThan(20_000_000)
    expect(validateFieldManager('\0'.repeat(1_000_000), 'f')).toHaveLength(2)
  })
})

describe('validateObjectMetaUpdate', () => {
  test('accepts an unchanged object', () => {
    expect(updated({ creationTimestamp: '2001-02-03T05:05:06+01:00' })).toEqual([])
  })

  test('immutable fields: name, namespace, uid, creationTimestamp, deletionTimestamp', () => {
    const change: ObjectMeta = {
      name: 'b',
      namespace: 'm',
      uid: 'v',
      creationTimestamp: '2001-02-03T04:05:07Z',
      deletionTimestamp: '2001-02-03T04:05:06Z',
      deletionGracePeriodSeconds: 5,
    }
    expect(updated(change)).toEqual([
      'metadata.name: Invalid value: "b": field is immutable',
      'metadata.namespace: Invalid value: "m": field is immutable',
      'metadata.uid: Invalid value: "v": field is immutable',
      'metadata.creationTimestamp: Invalid value: "2001-02-03T04:05:07Z": field is immutable',
      'metadata.deletionTimestamp: Invalid value: "2001-02-03T04:05:06Z": field is immutable',
      'metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable',
    ])
    expect(updated({}, { deletionTimestamp: '2001-02-03T04:05:06Z' })).toEqual([
      'metadata.deletionTimestamp: Invalid value: null: field is immutable',
    ])
  })

  test('metadata.resourceVersion and metadata.generation', () => {
    expect(updated({ resourceVersion: '' })).toEqual([
      'metadata.resourceVersion: Invalid value: "": must be specified for an update',
    ])
    expect(updated({ generation: 1 })).toEqual(['metadata.generation: Invalid value: 1: must not be decremented'])
  })

  test('no new finalizers can be added if the object is being deleted', () => {
    const deletionTimestamp = '2001-02-03T04:05:06Z'
    expect(
      updated({ deletionTimestamp, finalizers: ['x/b', 'x/a', 'x/old'] }, { deletionTimestamp, finalizers: ['x/old', 'x/gone'] }),
    ).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/a", "x/b"}',
    ])
    expect(updated({ finalizers: ['x/a'] })).toEqual([])
  })

  test('labels, annotations, owner references and managed fields are checked as on create', () => {
    expect(updated({ labels: { a: '-' }, managedFields: [{}] }).map((text) => text.slice(0, 36))).toEqual([
      'metadata.labels: Invalid value: "-":',
      'metadata.managedFields[0].operation:',
    ])
  })
})
