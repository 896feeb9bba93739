/**
 * Empty lists and maps of fields without omitempty, in the form that they have after a round trip through kube-apiserver's
 * storage.
 */
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { Field, Struct, Type } from './type.ts'

/** The fields of a struct that can have such a list or map. */
interface Plan {
  /** List and map fields that are written even if they are empty. */
  readonly always: readonly string[]
  /** Fields with such fields below them. */
  readonly below: readonly Field[]
}

const plans = new WeakMap<Struct, Plan>()

const isAlways = ({ type, pointer, omitempty, omitzero }: Field): boolean =>
  (type.kind === 'list' || type.kind === 'map') && !pointer && !omitempty && !omitzero

/** Returns the struct of a field, or of its elements. */
function structOf(type: Type): Struct | undefined {
  if (type.kind === 'struct') return type
  if (type.kind === 'list') return structOf(type.element)
  return type.kind === 'map' ? structOf(type.value) : undefined
}

/** Whether the struct has such a field at any depth. `open` contains the enclosing structs, because types may be recursive. */
function reaches(struct: Struct, open: ReadonlySet<Struct>): boolean {
  if (open.has(struct)) return false
  const inside = new Set([...open, struct])
  return [...struct.fields.values()].some((field) => {
    const below = structOf(field.type)
    return isAlways(field) || (below !== undefined && reaches(below, inside))
  })
}

function planOf(struct: Struct): Plan {
  let plan = plans.get(struct)
  if (plan === undefined) {
    const fields = [...struct.fields.values()]
    plan = {
      always: fields.filter(isAlways).map((field) => field.name),
      below: fields.filter((field) => {
        const below = structOf(field.type)
        return below !== undefined && reaches(below, new Set())
      }),
    }
    plans.set(struct, plan)
  }
  return plan
}

const isNothing = ({ always, below }: Plan): boolean => always.length === 0 && below.length === 0

const isEmpty = (value: JsonValue | undefined): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/**
 * Replaces empty lists and maps by null, in place, if null would be written too: protobuf, in which kube-apiserver stores
 * objects, cannot distinguish them. A decoded object has no empty ones with omitempty.
 */
export function nullEmptyLists(type: Type, value: JsonValue | undefined): void {
  if (typeof value !== 'object' || value === null) return
  if (type.kind === 'list' || type.kind === 'map') {
    const element = type.kind === 'list' ? type.element : type.value
    const struct = structOf(element)
    if (struct === undefined || isNothing(planOf(struct))) return
    for (const item of Array.isArray(value) ? value : Object.values(value)) nullEmptyLists(element, item as JsonValue)
  } else if (type.kind === 'struct') {
    const object = value as JsonObject
    const { always, below } = planOf(type)
    for (const name of always) if (isEmpty(object[name])) object[name] = null
    for (const field of below) nullEmptyLists(field.type, object[field.name])
  }
}
