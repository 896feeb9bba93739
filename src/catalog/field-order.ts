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

/** A field of a struct whose value has structs, or the element of a list or map that has. */
interface OrderedField {
  readonly name: string
  readonly type: Type
}

const plans = new WeakMap<Struct, readonly OrderedField[]>()

/** Returns the fields of a struct that may have structs in them. Most have none, and large lists have many structs. */
function orderedFields(struct: Struct): readonly OrderedField[] {
  let plan = plans.get(struct)
  if (plan === undefined) {
    plan = [...struct.fields.values()].filter(({ type }) => hasStructs(type)).map(({ name, type }) => ({ name, type }))
    plans.set(struct, plan)
  }
  return plan
}

/** Whether a value of the type is a struct, or a list or map of them. */
function hasStructs(type: Type): boolean {
  if (type.kind === 'list') return hasStructs(type.element)
  return type.kind === 'map' ? hasStructs(type.value) : type.kind === 'struct'
}

/** Sorts the fields of all structs of an object in place. */
export function orderFields(type: Type, value: JsonValue | undefined): void {
  if (typeof value !== 'object' || value === null || !hasStructs(type)) return
  if (type.kind === 'list') {
    if (Array.isArray(value)) for (const element of value) orderFields(type.element, element)
  } else if (type.kind === 'map') {
    for (const element of Object.values(value)) orderFields(type.value, element as JsonValue)
  } else if (type.kind === 'struct') {
    const object = value as JsonObject
    orderStruct(type, object)
    for (const field of orderedFields(type)) {
      const inner = object[field.name]
      if (inner !== undefined && inner !== null) orderFields(field.type, inner)
    }
  }
}
