/**
 * Finds the atomic values in a configuration: a policy must not write them, because it would remove all parts that it does not
 * mention. Follows findAtomics of the package policy/mutating/patch.
 */
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { List, MapOf, Struct, Type } from '../schema/type.ts'

function inObject(type: Struct | MapOf, object: JsonObject, path: string): readonly string[] {
  const own = type.atomic ? [path] : []
  if (type.kind === 'map') return own
  const below = Object.entries(object).flatMap(([name, value]) => {
    const field = type.fields.get(name)
    return field === undefined ? [] : within(field.type, value, `${path}.${name}`)
  })
  return [...own, ...below]
}

function inList(type: List, list: readonly JsonValue[], path: string): readonly string[] {
  const own = type.listType === 'atomic' ? [path] : []
  return [...own, ...list.flatMap((item, index) => within(type.element, item, `${path}[${index}]`))]
}

function within(type: Type, value: JsonValue, path: string): readonly string[] {
  switch (type.kind) {
    case 'struct':
    case 'map':
      return isObject(value) ? inObject(type, value, path) : []
    case 'list':
      return Array.isArray(value) ? inList(type, value, path) : []
    case 'rawExtension':
      return typeof value === 'object' && value !== null ? [path] : []
    // A list of unknown type is atomic, a map is not.
    case 'any':
      return Array.isArray(value) ? [path] : []
    default:
      return []
  }
}

/** Returns the paths of the atomic lists, maps and structs that the configuration contains. */
export function atomicFields(type: Type, configuration: JsonObject): readonly string[] {
  return within(type, configuration, '')
}
