/** Reading stored objects where any part may be missing, and a part of the wrong type counts as missing. */
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue, RawNumber } from '../../go/json-value.ts'

const NONE: JsonObject = {}

/** Whether the field is there: what a pointer in Go that is not nil. */
export function has(object: JsonObject, field: string): boolean {
  return Object.hasOwn(object, field) && object[field] !== null
}

function value(object: JsonObject, field: string): JsonValue | undefined {
  return Object.hasOwn(object, field) ? object[field] : undefined
}

/** The object at the end of a path of fields, empty where there is none. */
export function child(object: JsonObject, ...path: readonly string[]): JsonObject {
  let at = object
  for (const field of path) {
    const next = value(at, field)
    if (!isObject(next)) return NONE
    at = next
  }
  return at
}

/** The objects in a list. */
export function children(object: JsonObject, field: string): readonly JsonObject[] {
  const list = value(object, field)
  return Array.isArray(list) ? list.filter(isObject) : []
}

/** A text, '' where there is none. */
export function text(object: JsonObject, field: string): string {
  const found = value(object, field)
  return typeof found === 'string' ? found : ''
}

/** The texts in a list. */
export function texts(object: JsonObject, field: string): readonly string[] {
  const list = value(object, field)
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : []
}

/** A number of 32 bits, 0 where there is none. */
export function number(object: JsonObject, field: string): number {
  const found = value(object, field)
  return typeof found === 'number' ? found : 0
}

/** A number of 64 bits, 0 where there is none. */
export function integer(object: JsonObject, field: string): number | RawNumber {
  const found = value(object, field)
  if (typeof found === 'number') return found
  return isObject(found) && typeof found.rawJSON === 'string' ? (found as unknown as RawNumber) : 0
}

/** A truth value, false where there is none. */
export function flag(object: JsonObject, field: string): boolean {
  return value(object, field) === true
}

/** Names with texts, such as labels. */
export function textMap(object: JsonObject, field: string): Readonly<Record<string, string>> {
  const map = child(object, field)
  return Object.values(map).every((item) => typeof item === 'string') ? (map as Record<string, string>) : {}
}

/** The first entry of `status.conditions` with the type; undefined where there is none. */
export function condition(object: JsonObject, type: string): JsonObject | undefined {
  return children(child(object, 'status'), 'conditions').find((entry) => text(entry, 'type') === type)
}
