import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { ApiError } from '../meta/errors.ts'
import type { PathSet } from './path-set.ts'
import { difference, EMPTY, isEmpty, leaves, paths, union } from './path-set.ts'
import { OwnershipScript } from './script.fixture.ts'
import { fieldSet } from './typed.ts'
import { anything, string, struct, widget } from './types.fixture.ts'

const data = (fields: JsonObject): JsonObject => ({ data: fields })
const spec = (fields: JsonObject): JsonObject => ({ spec: fields })
const containers = (...list: JsonObject[]): JsonObject => spec({ containers: list })

/** Returns the error that the apply throws. */
function refusal(act: () => unknown): ApiError {
  try {
    act()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('was not refused')
}

describe('apply by one manager', () => {
  test('creates the object and owns the fields of the configuration, but not its identity', () => {
    const script = new OwnershipScript()
    expect(script.apply('a', { metadata: { name: 'w', labels: { l: '1' } }, ...data({ x: '1' }) })).toEqual({
      a: { 'f:data': { 'f:x': {} }, 'f:metadata': { 'f:labels': { 'f:l': {} } } },
    })
    expect(script.object()).toEqual({ metadata: { name: 'w', labels: { l: '1' } }, data: { x: '1' } })
  })

  test('removes fields that are no longer in the configuration, and parents that become empty', () => {
    const script = new OwnershipScript()
    script.apply('a', { ...data({ x: '1', y: '1' }), ...spec({ replicas: 1, hosts: ['h'] }) })
    expect(script.apply('a', data({ x: '1' }))).toEqual({ a: { 'f:data': { 'f:x': {} } } })
    expect(script.object()).toEqual({ data: { x: '1' } })
    script.apply('a', {})
    expect(script.object()).toEqual({})
    expect(script.managers).toEqual([])
  })

  test('applying the same configuration again changes neither the object nor the time', () => {
    const script = new OwnershipScript()
    script.apply('a', containers({ name: 'c', image: 'i' }))
    const { live } = script
    script.apply('a', containers({ name: 'c', image: 'i' }))
    expect(script.live).toEqual(live)
    expect(script.times()).toEqual({ a: '01' })
    script.apply('a', containers({ name: 'c', image: 'j' }))
    expect(script.times()).toEqual({ a: '03' })
  })

  test('null is owned, but does not remove a list, map or struct', () => {
    const script = new OwnershipScript()
    script.apply('a', { ...data({ x: '1' }), ...spec({ replicas: 3 }) })
    script.apply('b', { data: null, ...spec({ containers: null }) })
    expect(script.object()).toEqual({ data: { x: '1' }, spec: { replicas: 3 } })
    expect(script.owners().b).toEqual({ 'f:data': {}, 'f:spec': { 'f:containers': {} } })
    script.apply('a', { ...data({ x: '1' }), ...spec({ replicas: null }) })
    expect(script.object()).toEqual({ data: { x: '1' }, spec: {} })
  })

  test('an empty atomic list is owned, an empty associative list is not', () => {
    expect(new OwnershipScript().apply('a', spec({ hosts: [], containers: [] }))).toEqual({ a: { 'f:spec': { 'f:hosts': {} } } })
  })

  test('resetFields are merged but not owned', () => {
    const script = new OwnershipScript()
    expect(script.apply('a', { ...data({ x: '1' }), status: { phase: 'p' } })).toEqual({ a: { 'f:data': { 'f:x': {} } } })
  })

  test('apply to a subresource has an entry of its own', () => {
    const script = new OwnershipScript()
    script.apply('a', data({ x: '1' }))
    script.apply('a', { status: { phase: 'p' } }, { subresource: 'status', resetFields: paths([['data']]) })
    expect(script.managers.map(({ manager, subresource, fieldsV1 }) => [manager, subresource, fieldsV1])).toEqual([
      ['a', undefined, { 'f:data': { 'f:x': {} } }],
      ['a', 'status', { 'f:status': { 'f:phase': {} } }],
    ])
  })
})

describe('apply by several managers', () => {
  test('a manager that applies the same value becomes a co-owner, without a time because nothing was written', () => {
    const script = new OwnershipScript()
    script.apply('a', data({ x: '1' }))
    script.apply('b', data({ x: '1' }))
    expect(script.owners()).toEqual({ a: { 'f:data': { 'f:x': {} } }, b: { 'f:data': { 'f:x': {} } } })
    expect(script.times()).toEqual({ a: '01', b: undefined })
  })

  test('a field is removed when its last owner stops applying it', () => {
    const script = new OwnershipScript()
    script.apply('a', data({ x: '1' }))
    script.apply('b', data({ x: '1' }))
    script.apply('a', {})
    expect(script.object()).toEqual({ data: { x: '1' } })
    script.apply('b', {})
    expect(script.object()).toEqual({})
  })

  test('409 Conflict with the field and its manager for another value', () => {
    const script = new OwnershipScript()
    script.apply('a', { ...data({ x: '1', y: '1' }), ...containers({ name: 'c', ports: [{ port: 80, name: 'p' }] }) })
    script.update('b', { ...script.object(), data: { x: '1', y: '2' } })
    const wanted = { ...data({ x: '9', y: '9' }), ...containers({ name: 'c', ports: [{ port: 80, name: 'q' }] }) }
    const error = refusal(() => script.apply('c', wanted))
    expect(error).toMatchObject({ code: 409, reason: 'Conflict' })
    expect(error.message).toBe(
      'Apply failed with 3 conflicts: conflicts with "a":\n- .data.x\n' +
        '- .spec.containers[name="c"].ports[port=80,protocol="TCP"].name\nconflicts with "b" using v1:\n- .data.y',
    )
    expect(error.details?.causes?.[0]).toEqual({
      reason: 'FieldManagerConflict',
      message: 'conflict with "a"',
      field: '.data.x',
    })
    expect(script.object()).toMatchObject({ data: { x: '1', y: '2' } })
    expect(refusal(() => script.apply('c', data({ y: '9' }))).message).toBe(
      'Apply failed with 1 conflict: conflict with "b" using v1: .data.y',
    )
  })

  test('force takes ownership of conflicting fields', () => {
    const script = new OwnershipScript()
    script.apply('a', data({ x: '1', y: '1' }))
    expect(script.force('b', data({ x: '2' }))).toEqual({ a: { 'f:data': { 'f:y': {} } }, b: { 'f:data': { 'f:x': {} } } })
    expect(script.object()).toEqual({ data: { x: '2', y: '1' } })
  })

  test('an updated field belongs to the updater and stays if the applier drops it', () => {
    const script = new OwnershipScript()
    script.apply('a', data({ x: '1', y: '1' }))
    script.update('u', data({ x: '2', y: '1' }))
    script.apply('a', data({ y: '1' }))
    expect(script.object()).toEqual({ data: { x: '2', y: '1' } })
  })

  test('a list item is removed with all its fields, unless another manager applies the item', () => {
    const script = new OwnershipScript()
    script.apply('a', containers({ name: 'c', image: 'i' }, { name: 'd', image: 'i' }))
    script.update('u', containers({ name: 'c', image: 'i', resources: {} }, { name: 'd', image: 'i' }))
    script.apply('b', containers({ name: 'd', env: [{ name: 'E', value: '1' }] }))
    script.apply('a', spec({}))
    expect(script.object()).toEqual(containers({ name: 'd', env: [{ name: 'E', value: '1' }] }))
  })

  test('an object without managedFields first gets the manager before-first-apply', () => {
    const script = new OwnershipScript()
    script.update('u', data({ x: '1', y: '1' }))
    script.managers = []
    expect(refusal(() => script.apply('a', data({ x: '2' }))).message).toContain('conflict with "before-first-apply" using v1')
    expect(script.apply('a', data({ x: '1' }))).toEqual({
      a: { 'f:data': { 'f:x': {} } },
      'before-first-apply (update)': { 'f:data': { '.': {}, 'f:x': {}, 'f:y': {} } },
    })
  })

  test('entries of a version that is not served are dropped; those of other versions are compared in their version', () => {
    const script = new OwnershipScript()
    script.apply('a', data({ x: '1' }))
    const [entry = {}] = script.managers
    const renamed = (from: string, to: string) => (object: JsonObject) => {
      const { [from]: value, ...others } = (object.data ?? {}) as JsonObject
      return { ...object, data: { ...others, ...(value !== undefined && { [to]: value }) } }
    }
    const v2 = { type: widget, resetFields: EMPTY, fromRequested: renamed('x', 'z'), toRequested: renamed('z', 'x') }
    const otherVersion = (version: string) => (version === 'v2' ? v2 : undefined)
    script.managers = [
      { ...entry, apiVersion: 'v2', fieldsV1: { 'f:data': { 'f:z': {} } } },
      { ...entry, manager: 'old', apiVersion: 'v0' },
    ]
    expect(refusal(() => script.apply('b', data({ x: '2' }), { otherVersion })).details?.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "a"', field: '.data.z' },
    ])
    expect(script.apply('a', data({ y: '1' }), { otherVersion })).toEqual({ a: { 'f:data': { 'f:y': {} } } })
    expect(script.object()).toEqual({ data: { y: '1' } })
  })

  test('a field that became atomic is owned as a whole', () => {
    const script = new OwnershipScript()
    script.apply('a', spec({ selector: { k: '1' } }))
    const [entry = {}] = script.managers
    script.managers = [{ ...entry, fieldsV1: { 'f:spec': { 'f:selector': { 'f:k': {} } } } }]
    const wanted = spec({ selector: { other: '1' } })
    expect(refusal(() => script.apply('b', wanted, { typeVaries: true })).details?.causes?.[0]?.field).toBe('.spec.selector')
  })
})

describe('kubectl apply --server-side after client-side apply', () => {
  const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
  const annotated = (last: JsonValue): OwnershipScript => {
    const script = new OwnershipScript()
    const annotations = { [LAST_APPLIED]: JSON.stringify(last) }
    script.update('client-side', { metadata: { annotations }, ...data({ x: '1', y: '1' }) })
    return script
  }
  const said = { apiVersion: 'v1', kind: 'Widget', ...data({ x: '1', y: '0' }) }

  test('has no conflict about last-applied fields that the object still has', () => {
    const script = annotated(said)
    expect(script.apply('kubectl', data({ x: '2' }))).toMatchObject({ kubectl: { 'f:data': { 'f:x': {} } } })
    expect(refusal(() => annotated(said).apply('kubectl', data({ x: '2', y: '2' }))).details?.causes).toHaveLength(1)
    expect(refusal(() => annotated(said).apply('other', data({ x: '2' }))).code).toBe(409)
  })

  test.each([[{ ...said, apiVersion: 'v2' }], [{ apiVersion: 'v1', data: {} }], ['x'], [{ ...said, data: 1 }]])(
    'the last-applied annotation %j avoids no conflict',
    (last) => expect(refusal(() => annotated(last).apply('kubectl', data({ x: '2' }))).code).toBe(409),
  )
})

test('objects of unknown type are merged key by key, and all other values are atomic', () => {
  const script = new OwnershipScript(struct('Loose', { apiVersion: string, kind: string, metadata: anything, spec: anything }))
  const common = { resetFields: EMPTY }
  script.apply('a', spec({ o: { p: 1 }, l: [1, { q: 1 }] }), common)
  script.apply('b', spec({ o: { r: 1 } }), common)
  expect(script.object()).toEqual(spec({ o: { p: 1, r: 1 }, l: [1, { q: 1 }] }))
  expect(refusal(() => script.apply('b', spec({ l: [1] }), common)).details?.causes?.[0]?.field).toBe('.spec.l')
  script.apply('a', spec({ o: { p: 1 } }), common)
  expect(script.object()).toEqual(spec({ o: { p: 1, r: 1 } }))
})

const optional: { requiredKeys: []; noNullPrototype: true } = { requiredKeys: [], noNullPrototype: true }
const text = fc.constantFrom('1', '2')
const keys = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor', '1'), text, {
  noNullPrototype: true,
  minKeys: 1,
})
const distinct = <T>(item: fc.Arbitrary<T>, selector: (value: T) => unknown) =>
  fc.uniqueArray(item, { selector, minLength: 1, maxLength: 3 })
const container = fc.record(
  {
    name: fc.constantFrom('x', 'y', 'z'),
    image: text,
    ports: distinct(fc.record({ port: fc.constantFrom(80, 443), name: text }), ({ port }) => port),
    env: distinct(fc.record({ name: text, value: text }), ({ name }) => name),
  },
  { requiredKeys: ['name'], noNullPrototype: true },
)
/** The objects of the script are not decoded, so an empty struct would not return. */
const filled = (object: object): boolean => Object.keys(object).length > 0
const configuration = fc
  .record(
    {
      metadata: fc.record({ labels: keys, finalizers: distinct(text, (item) => item) }, optional).filter(filled),
      data: keys,
      spec: fc
        .record(
          {
            replicas: fc.nat(2),
            selector: keys,
            containers: distinct(container, ({ name }) => name),
            hosts: fc.array(text, { minLength: 1 }),
          },
          optional,
        )
        .filter(filled),
    },
    optional,
  )
  .map((made) => JSON.parse(JSON.stringify(made)) as JsonObject)
const step = fc.record({ by: fc.constantFrom('a', 'b', 'c'), configuration })
const steps = fc.array(step, { minLength: 1, maxLength: 5 })

describe('after any sequence of applies', () => {
  test('another apply of the same configuration changes nothing', () => {
    fc.assert(
      fc.property(steps, step, (before, last) => {
        const script = new OwnershipScript()
        for (const { by, configuration: said } of before) script.force(by, said)
        script.force(last.by, last.configuration)
        const { live, managers } = script
        script.apply(last.by, last.configuration)
        expect(script.live).toEqual(live)
        expect(JSON.stringify(script.managers)).toBe(JSON.stringify(managers))
      }),
    )
  })

  test('the owned fields are those of the object', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const script = new OwnershipScript()
        for (const { by, configuration: said } of all) script.force(by, said)
        const owned = Object.values(script.owners()).reduce<PathSet>(union, EMPTY)
        const there = fieldSet(widget, script.object())
        expect(isEmpty(difference(leaves(there), union(owned, leaves(owned))))).toBe(true)
      }),
    )
  })

  test('each configuration is part of the object', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const script = new OwnershipScript()
        for (const { by, configuration: said } of all) script.force(by, said)
        const { by, configuration: said } = all.at(-1) ?? { by: '', configuration: {} }
        const wanted = difference(fieldSet(widget, said), { 'f:metadata': EMPTY })
        expect(isEmpty(difference(leaves(wanted), fieldSet(widget, script.live ?? {})))).toBe(true)
        expect(script.owners()[by] ?? EMPTY).toEqual(wanted)
      }),
    )
  })
})
