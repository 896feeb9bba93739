/** Keeps fields of an earlier state that a type does not have, as an update by a client that does not know them must. */
import { copyOf, isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { Field, List, Struct, Type } from './type.ts'

/** Returns what identifies the elements of a list: the keys of a map list, or the merge key of patches; empty if nothing does. */
function keysOf(list: List, field: Field | undefined): readonly string[] {
  if (list.listType === 'map' && list.keys.length > 0) return list.keys
  return field === undefined || field.patchMergeKey === '' ? [] : [field.patchMergeKey]
}

const identity = (element: JsonObject, keys: readonly string[]): string => JSON.stringify(keys.map((key) => element[key] ?? null))

/** Elements without keys are the same ones only if none was added or removed. */
function keepInList(list: List, field: Field | undefined, values: readonly JsonValue[], earlier: readonly JsonValue[]): void {
  const keys = keysOf(list, field)
  if (keys.length === 0) {
    if (values.length === earlier.length) for (const [index, value] of values.entries()) keep(list.element, value, earlier[index])
    return
  }
  const known = Map.groupBy(earlier.filter(isObject), (element) => identity(element, keys))
  // If several elements have the same keys, their order is that of the earlier ones.
  for (const value of values.filter(isObject)) keep(list.element, value, known.get(identity(value, keys))?.shift())
}

function keepInStruct(struct: Struct, object: JsonObject, earlier: JsonObject): void {
  for (const [name, value] of Object.entries(earlier)) {
    const field = struct.fields.get(name)
    if (field !== undefined) keep(field.type, object[name], value, field)
    else if (!Object.hasOwn(object, name) && value !== undefined) object[name] = copyOf(value)
  }
}

function keep(type: Type, value: JsonValue | undefined, earlier: JsonValue | undefined, field?: Field): void {
  if (type.kind === 'struct' && isObject(value) && isObject(earlier)) keepInStruct(type, value, earlier)
  else if (type.kind === 'list' && Array.isArray(value) && Array.isArray(earlier)) keepInList(type, field, value, earlier)
  else if (type.kind === 'map' && isObject(value) && isObject(earlier)) {
    for (const [key, member] of Object.entries(value))
      keep(type.value, member, Object.hasOwn(earlier, key) ? earlier[key] : undefined)
  }
}

/**
 * Returns a copy of the object with the fields of its earlier state that the type does not have, at every depth. Elements of lists
 * are found by their keys. The added fields come last.
 */
export function withUnknownFields(type: Type, object: JsonObject, earlier: JsonObject): JsonObject {
  const copy = copyOf(object) as JsonObject
  keep(type, copy, earlier)
  return copy
}
