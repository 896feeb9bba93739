import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectLinear } from '../../test/linear.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { ManagedFieldsEntry } from '../meta/object-meta.ts'
import { compare } from './compare.ts'
import type { Write } from './managers.ts'
import { updateManagedFields } from './managers.ts'
import type { PathSet } from './path-set.ts'
import { EMPTY, equals, leaves, paths, recursiveDifference, storedPathSet, union } from './path-set.ts'
import { widget } from './types.fixture.ts'

const STATUS = paths([['status']])

/** One write of a script; `object` is the object to be stored. */
interface Step extends Partial<Write> {
  readonly by: string
  readonly object: JsonObject
  /** `metadata.managedFields` of the request; undefined if the request has none. */
  readonly sent?: JsonValue
}

const asJson = (entries: readonly ManagedFieldsEntry[]): JsonValue => JSON.parse(JSON.stringify(entries))

/** An object with a sequence of writes, one per second. */
class Script {
  object: JsonObject | undefined
  managers: readonly ManagedFieldsEntry[] = []
  seconds = 0

  /** Writes the object. @returns the field set of each manager */
  write({ by, object, sent, ...others }: Step): Record<string, PathSet> {
    const metadata = { ...(object.metadata as JsonObject), ...(sent !== undefined && { managedFields: sent }) }
    this.managers = updateManagedFields({
      type: widget,
      apiVersion: 'v1',
      old: this.object,
      new: { ...object, metadata },
      managers: this.managers,
      manager: by,
      subresource: '',
      time: this.now(++this.seconds),
      resetFields: STATUS,
      ...others,
    })
    this.object = { ...object, metadata: { ...metadata, uid: 'u', managedFields: asJson(this.managers) } }
    return this.owners()
  }

  now(seconds: number): string {
    return `2026-01-01T00:00:${String(seconds).padStart(2, '0')}Z`
  }

  owners(): Record<string, PathSet> {
    return Object.fromEntries(
      this.managers.map((entry) => [
        `${entry.manager}${entry.subresource ? `/${entry.subresource}` : ''}`,
        storedPathSet(entry.fieldsV1),
      ]),
    )
  }

  times(): Record<string, string> {
    return Object.fromEntries(this.managers.map((entry) => [entry.manager ?? '', (entry.time ?? '').slice(17, 19)]))
  }
}

const data = (fields: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'Widget', metadata: { name: 'w' }, data: fields })

const entry = (differing: JsonObject = {}): JsonObject => ({
  manager: 'x',
  operation: 'Update',
  apiVersion: 'v1',
  time: '2020-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { 'f:a': {}, 'f:b': {} } },
  ...differing,
})

describe('managedFields after updates', () => {
  test('a create owns the fields of the object except its identity', () => {
    const script = new Script()
    expect(
      script.write({
        by: 'a',
        object: { metadata: { name: 'w', uid: '', labels: { l: '1' } }, spec: {}, status: { phase: 'x' } },
      }),
    ).toEqual({
      a: { 'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } } },
    })
    expect(JSON.stringify(script.managers)).toBe(
      '[{"manager":"a","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:01Z","fieldsType":"FieldsV1",' +
        '"fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:l":{}}}}}]',
    )
  })

  test('a writer without fieldManager and User-Agent is `unknown`', () => {
    expect(new Script().write({ by: '', object: data({ a: '1' }) })).toEqual({ unknown: { 'f:data': { '.': {}, 'f:a': {} } } })
  })

  test('an object without owned fields has no managedFields, and gets none by updates', () => {
    const script = new Script()
    expect(script.write({ by: 'a', object: { metadata: { name: 'w' } } })).toEqual({})
    expect(script.write({ by: 'a', object: data({ a: '1' }) })).toEqual({})
  })

  test('changed and added fields belong to the writer, removed ones to no manager; only the writer’s time changes', () => {
    const script = new Script()
    script.write({ by: 'a', object: data({ a: '1', b: '1', c: '1' }) })
    expect(script.write({ by: 'b', object: data({ a: '2', c: '1', d: '1' }) })).toEqual({
      a: { 'f:data': { '.': {}, 'f:c': {} } },
      b: { 'f:data': { 'f:a': {}, 'f:d': {} } },
    })
    expect(script.write({ by: 'c', object: data({ a: '2', d: '1' }) })).toEqual({
      a: { 'f:data': {} },
      b: { 'f:data': { 'f:a': {}, 'f:d': {} } },
    })
    expect(script.times()).toEqual({ a: '01', b: '02' })
    expect(script.write({ by: 'b', object: data({ a: '3', d: '1' }) })).toEqual({
      a: { 'f:data': {} },
      b: { 'f:data': { 'f:a': {}, 'f:d': {} } },
    })
    expect(script.times()).toEqual({ a: '01', b: '04' })
    expect(script.write({ by: 'c', object: { metadata: { name: 'w' } } })).toEqual({})
  })

  test('entries whose fields do not change are the same objects', () => {
    const script = new Script()
    script.write({ by: 'a', object: data({ a: '1', b: '1' }) })
    script.write({ by: 'b', object: data({ a: '1', b: '2' }) })
    const [a, b] = script.managers
    const sent = asJson(script.managers)
    script.write({ by: 'c', object: data({ a: '1', b: '2' }), sent })
    expect(script.managers.length).toBe(2)
    expect(script.managers[0]).toBe(a)
    expect(script.managers[1]).toBe(b)
    script.write({ by: 'c', object: data({ a: '1', b: '3' }) })
    expect(script.managers[0]).toBe(a)
  })

  test('a manager has separate entries for each subresource and version', () => {
    const script = new Script()
    script.write({ by: 'a', object: data({ a: '1' }) })
    const object = { ...data({ a: '1' }), status: { phase: 'x' } }
    const resetFields = paths([['spec'], ['metadata', 'labels']])
    expect(script.write({ by: 'a', object, subresource: 'status', resetFields, sent: [] })).toEqual({
      a: { 'f:data': { '.': {}, 'f:a': {} } },
      'a/status': { 'f:status': { 'f:phase': {} } },
    })
    const labelled = { ...object, metadata: { name: 'w', labels: { l: '1' }, finalizers: ['f'] } }
    expect(script.write({ by: 's', object: labelled, subresource: 'status', resetFields })['s/status']).toEqual({
      'f:metadata': { 'f:finalizers': { '.': {}, 'v:"f"': {} } },
    })
  })

  test('entries of other versions are compared in their version, and dropped if it is not served', () => {
    const renamed = (object: JsonObject): JsonObject => data({ z: (object.data as JsonObject).a ?? null })
    const v2 = { type: widget, resetFields: STATUS, fromRequested: renamed, toRequested: renamed }
    const sent = [entry({ apiVersion: 'v2', fieldsV1: { 'f:data': { 'f:y': {}, 'f:z': {} } } }), entry({ apiVersion: 'v3' })]
    const script = new Script()
    script.write({ by: 'a', object: data({ a: '1' }) })
    const otherVersion = (version: string) => (version === 'v2' ? v2 : undefined)
    script.write({ by: 'a', object: data({ a: '2' }), sent, otherVersion })
    expect(script.managers.map(({ apiVersion, fieldsV1 }) => [apiVersion, fieldsV1])).toEqual([
      ['v2', { 'f:data': { 'f:y': {} } }],
      ['v1', { 'f:data': { 'f:a': {} } }],
    ])
  })

  test('at most ten update entries; older ones are merged into ancient-changes', () => {
    const script = new Script()
    const object: Record<string, string> = {}
    for (let i = 0; i < 13; i++) {
      object[`k${String.fromCharCode(97 + i)}`] = '1'
      script.write({ by: `m${i}`, object: data({ ...object }) })
    }
    expect(script.owners()).toMatchObject({
      'ancient-changes': { 'f:data': { '.': {}, 'f:ka': {}, 'f:kb': {}, 'f:kc': {}, 'f:kd': {} } },
      m4: { 'f:data': { 'f:ke': {} } },
    })
    expect(script.managers.map((kept) => kept.manager)).toEqual([
      'ancient-changes',
      ...[4, 5, 6, 7, 8, 9, 10, 11, 12].map((i) => `m${i}`),
    ])
    expect(script.times()['ancient-changes']).toBe('04')
  })

  test('ancient-changes begins again if its entry comes after others of the same second', () => {
    const script = new Script()
    script.write({ by: 'a', object: data({ a: '1' }) })
    const names = ['A1', 'B1', 'ancient-changes', ...'bcdefghijk']
    const sent = names.map((manager) => entry({ manager, fieldsV1: { 'f:data': { [`f:${manager}`]: {} } } }))
    const owners = script.write({ by: 'a', object: data({ a: '2' }), sent })
    expect(Object.keys(owners)).toEqual(['ancient-changes', ...'defghijk', 'a'])
    expect(owners['ancient-changes']).toEqual({ 'f:data': { 'f:A1': {}, 'f:b': {}, 'f:c': {} } })
  })

  test('many entries are merged in linear time', () => {
    expectLinear((size) => {
      const sent = Array.from({ length: size }, (_, i) =>
        entry({ manager: `m${i}`, fieldsV1: { 'f:data': { [`f:k${i}`]: {} } } }),
      )
      return () => expect(new Script().write({ by: 'a', object: data({}), sent })['ancient-changes']?.['f:data']).toBeDefined()
    }, 2_000)
  })

  test('an object that does not fit its type gets no managedFields', () => {
    expect(new Script().write({ by: 'a', object: { metadata: {}, data: 'x' } })).toEqual({})
  })
})

describe('managedFields in the request', () => {
  const made = (): Script => {
    const script = new Script()
    script.write({ by: 'a', object: data({ a: '1' }) })
    return script
  }
  const kept = { a: { 'f:data': { '.': {}, 'f:a': {} } }, b: { 'f:data': { 'f:b': {} } } }
  const object = data({ a: '1', b: '1' })

  test.each([[[]], [[{}]], [[{ manager: '' }]]])('%j resets managedFields, and fields are no longer tracked', (sent) => {
    const script = made()
    expect(script.write({ by: 'b', object, sent })).toEqual({})
    expect(script.write({ by: 'b', object: data({ a: '2' }) })).toEqual({})
  })

  test('a reset in a create keeps the entry of the create', () => {
    expect(new Script().write({ by: 'a', object: data({ a: '1' }), sent: [{}] })).toEqual({ a: kept.a })
  })

  test.each([
    null,
    'x',
    [1],
    [entry({ operation: 'Nope' })],
    [entry({ apiVersion: '' })],
    [entry({ fieldsType: '' })],
    [entry({ fieldsType: 'FieldsV2' })],
    [entry({ fieldsV1: { data: {} } })],
    [entry({ fieldsV1: [] })],
    [entry({ manager: 1 })],
    [entry(), entry({ operation: 'Nope' })],
  ])('invalid managedFields %j are ignored', (sent) => {
    expect(made().write({ by: 'b', object, sent })).toEqual(kept)
  })

  test('managedFields in the request of a subresource are ignored', () => {
    expect(made().write({ by: 'b', object, sent: [entry()], subresource: 'status' })).toEqual({ a: kept.a, 'b/status': kept.b })
  })

  test('valid managedFields replace those of the object, sorted and without duplicates', () => {
    const script = made()
    const sent = [
      entry({ manager: 'z', operation: 'Apply', time: '2030-01-01T00:00:00Z' }),
      entry({ manager: 'd' }),
      entry({ manager: 'd', fieldsV1: { 'f:spec': { 'f:selector': { 'f:q': {} } }, 'f:data': { '.': {}, 'f:q': {} } } }),
      entry({ manager: 'empty', fieldsV1: {} }),
      { operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:a': {} } } },
    ]
    script.write({ by: 'b', object, sent })
    expect(script.managers).toEqual([
      entry({ manager: 'z', operation: 'Apply', time: '2030-01-01T00:00:00Z', fieldsV1: { 'f:data': { 'f:a': {} } } }),
      { operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:a': {} } } },
      entry({ manager: 'd', fieldsV1: { 'f:data': { '.': {}, 'f:q': {} }, 'f:spec': { 'f:selector': {} } } }),
      entry({ manager: 'b', time: script.now(2), fieldsV1: { 'f:data': { 'f:b': {} } } }),
    ])
  })
})

describe('managedFields after a change of the type', () => {
  test('fields below a value that became atomic are owned as a whole', () => {
    const script = new Script()
    script.write({ by: 'a', object: data({ a: '1' }) })
    script.managers = [{ ...script.managers[0], fieldsV1: { 'f:spec': { 'f:selector': { 'f:a': {} } } } } as ManagedFieldsEntry]
    expect(script.write({ by: 'b', object: data({ a: '1' }), typeVaries: true })).toEqual({
      a: { 'f:spec': { 'f:selector': {} } },
    })
  })
})

const text = fc.constantFrom('1', '2', '3')
const keys = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor', '1'), text, { noNullPrototype: true })
const listOf = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 3 })
const optional: { requiredKeys: []; noNullPrototype: true } = { requiredKeys: [], noNullPrototype: true }
const container = fc.record(
  {
    name: text,
    image: text,
    ports: listOf(fc.record({ port: fc.constantFrom(80, 443), protocol: fc.constantFrom('TCP', 'UDP') })),
    env: listOf(fc.record({ name: text, value: text })),
    resources: fc.record({ limits: keys.filter((limits) => Object.keys(limits).length > 0) }, optional),
  },
  { requiredKeys: ['name'], noNullPrototype: true },
)
const widgets = fc.record(
  {
    metadata: fc.record({ name: fc.constant('w'), labels: keys, finalizers: listOf(text) }, optional),
    data: keys,
    spec: fc.record(
      {
        replicas: fc.nat(2),
        selector: keys,
        containers: listOf(container),
        hosts: listOf(text),
        options: fc.record({ mode: text }, optional),
      },
      optional,
    ),
    status: fc.record({ phase: text }, optional),
  },
  optional,
)

test('after any sequence of updates the owned leaves are those of the object, except resetFields', () => {
  const step = fc.record({ by: fc.constantFrom('a', 'b', 'c'), object: widgets })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
      const script = new Script()
      script.write({ by: 'first', object: { metadata: { labels: { always: '1' } } } })
      let object: JsonObject = {}
      for (const { by, object: next } of steps) {
        object = JSON.parse(
          JSON.stringify({ ...next, metadata: { ...next.metadata, labels: { ...next.metadata?.labels, always: '1' } } }),
        )
        script.write({ by, object })
      }
      const owned = Object.values(script.owners()).reduce(union, EMPTY)
      const { added, modified } = compare(widget, undefined, object)
      const expected = recursiveDifference(union(added, modified), paths([['status'], ['metadata', 'name']]))
      expect(leaves(owned)).toEqual(leaves(expected))
      expect(equals(leaves(owned), leaves(expected))).toBe(true)
    }),
  )
})
