/** Static defaults from `+default=` markers. */
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { Field, Struct, Type } from './type.ts'

/** A field with a default of its own, or with defaults below it. */
interface DefaultedField {
  readonly field: Field
  /** The fields after it in Go's order. */
  readonly later: readonly string[]
  readonly below: boolean
}

const planned = new WeakMap<Struct, readonly DefaultedField[]>()

/** Returns the struct of a field, or of the elements of its lists and maps. */
function structOf(type: Type): Struct | undefined {
  if (type.kind === 'struct') return type
  if (type.kind === 'list') return structOf(type.element)
  return type.kind === 'map' ? structOf(type.value) : undefined
}

/** Whether the default differs from the zero value, which Go has anyway. A default behind a pointer always does. */
function differsFromZero(field: Field): boolean {
  if (field.default === undefined) return false
  return field.pointer || (field.default !== '' && field.default !== 0 && field.default !== false)
}

/** Whether the struct has a default at any depth. `open` contains the enclosing structs, because types may be recursive. */
function hasDefaults(struct: Struct, open: ReadonlySet<Struct>): boolean {
  if (open.has(struct)) return false
  const within = new Set(open).add(struct)
  return [...struct.fields.values()].some((field) => {
    const below = structOf(field.type)
    return differsFromZero(field) || (below !== undefined && hasDefaults(below, within))
  })
}

function planOf(struct: Struct): readonly DefaultedField[] {
  const cached = planned.get(struct)
  if (cached !== undefined) return cached
  const fields = [...struct.fields.values()]
  const plan = fields
    .map((field, index) => {
      const below = structOf(field.type)
      return {
        field,
        later: fields.slice(index + 1).map((f) => f.name),
        below: below !== undefined && hasDefaults(below, new Set()),
      }
    })
    .filter(({ field, below }) => below || differsFromZero(field))
  planned.set(struct, plan)
  return plan
}

/** Whether Go's value is a nil pointer or a zero value. */
function isUnset(value: JsonValue | undefined, field: Field): boolean {
  if (value === undefined || value === null) return true
  return !field.pointer && (value === '' || value === 0 || value === false)
}

/** Sets the field at its position in Go's order, by moving the later ones after it. */
function insert(object: JsonObject, { field, later }: DefaultedField, value: JsonValue): void {
  const replaces = Object.hasOwn(object, field.name)
  object[field.name] = value
  if (replaces) return
  for (const name of later) {
    const moved = object[name]
    if (moved === undefined) continue
    delete object[name]
    object[name] = moved
  }
}

function applyToStruct(struct: Struct, object: JsonObject): void {
  for (const defaulted of planOf(struct)) {
    const { field, below } = defaulted
    if (field.default !== undefined && differsFromZero(field) && isUnset(object[field.name], field)) {
      insert(object, defaulted, structuredClone(field.default))
    }
    const value = object[field.name]
    if (below && value !== undefined) applyBelow(field.type, value)
  }
}

function applyBelow(type: Type, value: JsonValue): void {
  if (typeof value !== 'object' || value === null) return
  if (type.kind === 'struct') applyToStruct(type, value as JsonObject)
  else if (type.kind === 'list') for (const element of value as JsonValue[]) applyBelow(type.element, element)
  else if (type.kind === 'map') for (const element of Object.values(value)) applyBelow(type.value, element as JsonValue)
}

/**
 * Sets static defaults in a decoded object, in place, if a field is absent or zero. Structs behind nil pointers stay nil. Follows
 * the functions that defaulter-gen of k8s.io/code-generator generates from `+default=`.
 */
export function applyDefaults(type: Type, object: JsonObject): void {
  applyBelow(type, object)
}
