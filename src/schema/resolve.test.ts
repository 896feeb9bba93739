import { describe, expect, test } from 'vitest'
import { fixtureTypes, Thing } from './tables.fixture.ts'
import type { List, MapOf, Struct, Type } from './type.ts'

const fieldType = (struct: Struct, name: string): Type => {
  const field = struct.fields.get(name)
  if (field === undefined) throw new Error(`no field ${name}`)
  return field.type
}

describe('TypeResolver', () => {
  test.each([
    ['*int32', 'int32', 'int32'],
    ['bool', 'boolean', 'bool'],
    ['[]byte', 'bytes', '[]uint8'],
    ['core/v1.Protocol', 'string', 'v1.Protocol'],
    ['types.UID', 'string', 'types.UID'],
    ['resource.Quantity', 'quantity', 'resource.Quantity'],
    ['*meta/v1.Time', 'time', 'v1.Time'],
    ['apiextensions/v1.JSON', 'any', 'v1.JSON'],
    ['core/v1.ResourceList', 'map', 'v1.ResourceList'],
    ['map[core/v1.ResourceName]resource.Quantity', 'map', 'map[v1.ResourceName]resource.Quantity'],
    ['[]*core/v1.Container', 'list', '[]*v1.Container'],
  ])('%s', (reference, kind, go) => {
    expect(fixtureTypes.resolve(reference)).toMatchObject({ kind, go })
  })

  test('a named type is the same object at every reference, also inside itself', () => {
    expect(fieldType(Thing, 'not')).toBe(Thing)
    const containers = fieldType(Thing, 'containers') as List
    expect((fieldType(Thing, 'byName') as MapOf).value).toBe(containers.element)
  })

  test('markers on a field change its type, but not the shared type', () => {
    const references = fieldType(fixtureTypes.resolve('meta/v1.ObjectMeta') as Struct, 'ownerReferences') as List
    expect(references).toMatchObject({ listType: 'map', keys: ['uid'], elementPointer: false })
    expect(fixtureTypes.resolve('[]meta/v1.OwnerReference')).toMatchObject({ listType: 'atomic', keys: [] })
    expect(references.element).toMatchObject({ name: 'OwnerReference', atomic: true })
  })

  test('fields have the properties of their tags', () => {
    expect(Thing.fields.get('immutable')).toMatchObject({ pointer: true, omitempty: true, required: false })
    const meta = fixtureTypes.resolve('meta/v1.ObjectMeta') as Struct
    expect(meta.fields.get('creationTimestamp')).toMatchObject({ omitzero: true })
    expect(meta.fields.get('finalizers')).toMatchObject({ patchStrategy: ['merge'] })
  })

  test('a reference to an unknown type throws', () => {
    expect(() => fixtureTypes.resolve('core/v1.toString')).toThrow('no table has the type core/v1.toString')
  })
})
