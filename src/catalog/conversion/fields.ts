/** The changes of objects between two versions, and the steps that they consist of. */

import { setKey } from '../../go/json.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'

/**
 * The differences between a version and the storage version. Both functions get a copy of the object, without apiVersion and kind,
 * and change it in place: they rename, move, add and remove fields, in any order.
 */
export interface Changes {
  readonly toStorage?: (object: JsonObject) => void
  readonly fromStorage?: (object: JsonObject) => void
}

/** Returns the object in a field; undefined if the field is absent or no object. */
export function objectAt(object: JsonObject | undefined, name: string): JsonObject | undefined {
  const value = object?.[name]
  return isObject(value) ? value : undefined
}

/** Returns the objects of the list in a field. */
export function objectsAt(object: JsonObject | undefined, name: string): JsonObject[] {
  const value = object?.[name]
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** Renames a field. An absent one stays absent. */
export function rename(object: JsonObject | undefined, from: string, to: string): void {
  if (object === undefined || object[from] === undefined) return
  object[to] = object[from]
  delete object[from]
}

/** Removes the fields and returns those that were present. */
export function taken(object: JsonObject, names: readonly string[]): JsonObject {
  const found: JsonObject = {}
  for (const name of names) {
    const value = object[name]
    if (value !== undefined && value !== null) found[name] = value
    delete object[name]
  }
  return found
}

/** Returns the text of an annotation. */
export function annotationOf(object: JsonObject, key: string): string | undefined {
  const annotations = objectAt(objectAt(object, 'metadata'), 'annotations')
  const value = annotations !== undefined && Object.hasOwn(annotations, key) ? annotations[key] : undefined
  return typeof value === 'string' ? value : undefined
}

/** Sets an annotation, in the order of keys in which Go writes maps; undefined removes it. */
export function setAnnotation(object: JsonObject, key: string, value: string | undefined): void {
  const metadata = objectAt(object, 'metadata') ?? {}
  const others = Object.entries(objectAt(metadata, 'annotations') ?? {}).filter(([name]) => name !== key)
  const all: [string, JsonValue][] = value === undefined ? others : [...others, [key, value]]
  if (all.length === 0) delete metadata.annotations
  else metadata.annotations = sortedMap(all)
  object.metadata = metadata
}

/** Returns a map with its keys sorted by bytes, as Go writes it. */
export function sortedMap(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  const map: JsonObject = {}
  for (const [key, value] of [...entries].sort(([a], [b]) => (a < b ? -1 : 1))) setKey(map, key, value)
  return map
}
