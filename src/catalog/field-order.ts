/** Sorts fields into the order in which Go encodes them, after fields were added to a decoded object. */
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { Struct, Type } from '../schema/type.ts'

const indexes = new WeakMap<Struct, ReadonlyMap<string, number>>()

function indexOf(struct: Struct): ReadonlyMap<string, number> {
  let index = indexes.get(struct)
  if (index === undefined) {
    index = new Map([...struct.fields.keys()].map((name, position) => [name, position]))
    indexes.set(struct, index)
  }
  return index
}

function isOrdered(index: ReadonlyMap<string, number>, object: JsonObject): boolean {
  let last = -1
  for (const name in object) {
    const position = index.get(name) ?? Number.POSITIVE_INFINITY
    if (position < last) return false
    last = position
  }
  return true
}

/** Sorts the fields of one struct in place, without those of nested structs. */
export function orderStruct(struct: Struct, object: JsonObject): void {
  const index = indexOf(struct)
  if (isOrdered(index, object)) return
  for (const name of index.keys()) {
    const value = object[name]
    if (value === undefined) continue
    delete object[name]
    object[name] = value
  }
}

/** Sorts the fields of all structs of an object in place. */
export function orderFields(type: Type, value: JsonValue | undefined): void {
  if (typeof value !== 'object' || value === null) return
  if (type.kind === 'list') {
    if (Array.isArray(value)) for (const element of value) orderFields(type.element, element)
  } else if (type.kind === 'map') {
    if (isStructured(type.value)) for (const element of Object.values(value)) orderFields(type.value, element as JsonValue)
  } else if (type.kind === 'struct') {
    const object = value as JsonObject
    orderStruct(type, object)
    for (const field of type.fields.values()) if (isStructured(field.type)) orderFields(field.type, object[field.name])
  }
}

const isStructured = ({ kind }: Type): boolean => kind === 'struct' || kind === 'list' || kind === 'map'
