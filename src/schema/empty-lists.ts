/** Lists and maps that hold nothing and are written all the same: what kube-apiserver's storage makes of them. */
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { Field, Struct, Type } from './type.ts'

/** What of a struct may hold such a list or map. */
interface Plan {
  /** Fields that are such themselves, and are written also where they hold nothing. */
  readonly always: readonly string[]
  /** Fields below which there may be some. */
  readonly below: readonly Field[]
}

const plans = new WeakMap<Struct, Plan>()

const isAlways = ({ type, pointer, omitempty, omitzero }: Field): boolean =>
  (type.kind === 'list' || type.kind === 'map') && !pointer && !omitempty && !omitzero

/** The struct that a field holds, or that its elements are. */
function structOf(type: Type): Struct | undefined {
  if (type.kind === 'struct') return type
  if (type.kind === 'list') return structOf(type.element)
  return type.kind === 'map' ? structOf(type.value) : undefined
}

/** Whether such a field is in the struct or below it. `open` are the structs being looked at: types may recurse. */
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

const holdsNothing = (value: JsonValue | undefined): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/**
 * Makes empty lists and maps null, in place, where null would be written too: protobuf, in which kube-apiserver stores, cannot
 * tell them apart. Those with omitempty are not there in a decoded object.
 */
export function nullEmptyLists(type: Type, value: JsonValue | undefined): void {
  if (typeof value !== 'object' || value === null) return
  if (type.kind === 'list' || type.kind === 'map') {
    const element = type.kind === 'list' ? type.element : type.value
    for (const item of Object.values(value)) nullEmptyLists(element, item as JsonValue)
  } else if (type.kind === 'struct') {
    const object = value as JsonObject
    const { always, below } = planOf(type)
    for (const name of always) if (holdsNothing(object[name])) object[name] = null
    for (const field of below) nullEmptyLists(field.type, object[field.name])
  }
}
