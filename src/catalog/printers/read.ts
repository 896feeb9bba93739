/** Reads stored objects: any part may be absent, and a part of the wrong type counts as absent. */
import { isRawNumber } from '../../go/json.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue, RawNumber } from '../../go/json-value.ts'

const NONE: JsonObject = {}

/** Whether the field is present, as a pointer in Go that is not nil. */
export function has(object: JsonObject, field: string): boolean {
  return Object.hasOwn(object, field) && object[field] !== null
}

function value(object: JsonObject, field: string): JsonValue | undefined {
  return Object.hasOwn(object, field) ? object[field] : undefined
}

/** Returns the object at the end of a path of fields; an empty one if it is absent. */
export function child(object: JsonObject, ...path: readonly string[]): JsonObject {
  let at = object
  for (const field of path) {
    const next = value(at, field)
    if (!isObject(next)) return NONE
    at = next
  }
  return at
}

/** Returns the objects in a list. */
export function children(object: JsonObject, field: string): readonly JsonObject[] {
  const list = value(object, field)
  return Array.isArray(list) ? list.filter(isObject) : []
}

/** Returns a text; '' if it is absent. */
export function text(object: JsonObject, field: string): string {
  const found = value(object, field)
  return typeof found === 'string' ? found : ''
}

/** Returns the texts in a list. */
export function texts(object: JsonObject, field: string): readonly string[] {
  const list = value(object, field)
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : []
}

/** Returns a 32-bit number; 0 if it is absent. */
export function number(object: JsonObject, field: string): number {
  const found = value(object, field)
  return typeof found === 'number' ? found : 0
}

/** Returns a 64-bit number; 0 if it is absent. */
export function integer(object: JsonObject, field: string): number | RawNumber {
  const found = value(object, field)
  if (typeof found === 'number') return found
  return isRawNumber(found) ? found : 0
}

/** Returns a boolean; false if it is absent. */
export function flag(object: JsonObject, field: string): boolean {
  return value(object, field) === true
}

/** Returns a map of texts, such as labels. */
export function textMap(object: JsonObject, field: string): Readonly<Record<string, string>> {
  const map = child(object, field)
  return Object.values(map).every((item) => typeof item === 'string') ? (map as Record<string, string>) : {}
}

/** Returns the first entry of `status.conditions` with the type; undefined if it is absent. */
export function condition(object: JsonObject, type: string): JsonObject | undefined {
  return children(child(object, 'status'), 'conditions').find((entry) => text(entry, 'type') === type)
}
