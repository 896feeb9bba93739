/** Static defaults: what `+default=` on a field says. */
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { Field, Struct, Type } from './type.ts'

/** A field with a default of its own, or with one somewhere below it. */
interface DefaultedField {
  readonly field: Field
  /** Fields that follow in Go's order. */
  readonly later: readonly string[]
  readonly below: boolean
}

const planned = new WeakMap<Struct, readonly DefaultedField[]>()

/** The struct at the elements of lists and maps. */
function structOf(type: Type): Struct | undefined {
  if (type.kind === 'struct') return type
  if (type.kind === 'list') return structOf(type.element)
  return type.kind === 'map' ? structOf(type.value) : undefined
}

/** Whether the default says more than the zero value, which stands there anyway: behind a pointer it always does. */
function saysMore(field: Field): boolean {
  if (field.default === undefined) return false
  return field.pointer || (field.default !== '' && field.default !== 0 && field.default !== false)
}

/** Whether a default stands anywhere in the struct. `open` are the structs being looked at: types may recurse. */
function hasDefaults(struct: Struct, open: ReadonlySet<Struct>): boolean {
  if (open.has(struct)) return false
  const within = new Set(open).add(struct)
  return [...struct.fields.values()].some((field) => {
    const below = structOf(field.type)
    return saysMore(field) || (below !== undefined && hasDefaults(below, within))
  })
}

function planOf(struct: Struct): readonly DefaultedField[] {
  const known = planned.get(struct)
  if (known !== undefined) return known
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
    .filter(({ field, below }) => below || saysMore(field))
  planned.set(struct, plan)
  return plan
}

/** Whether Go holds nothing there: a nil pointer, or a zero value. */
function isUnset(value: JsonValue | undefined, field: Field): boolean {
  if (value === undefined || value === null) return true
  return !field.pointer && (value === '' || value === 0 || value === false)
}

/** Sets the field where Go would write it: the ones that follow are moved behind it. */
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
    if (field.default !== undefined && saysMore(field) && isUnset(object[field.name], field)) {
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
 * Fills static defaults into a decoded object, in place, where a field is absent or zero. Structs that are absent behind
 * a pointer stay so. Follows the functions that k8s.io/code-generator's defaulter-gen makes of `+default=`.
 */
export function applyDefaults(type: Type, object: JsonObject): void {
  applyBelow(type, object)
}
