/** Reads fields within JSON. Follows NestedFieldNoCopy, NestedInt64 and NestedString of apimachinery's unstructured. */
import { isGoInteger, isRawNumber } from './json.ts'
import { isObject } from './json-object.ts'
import type { JsonObject, JsonValue } from './json-value.ts'
import { goPrint, goTypeOf } from './print.ts'

/** The value of a field, undefined if it is absent, or the error of a field of another type. */
export type Nested<T> = { readonly value: T | undefined } | { readonly error: string }

function accessorError(path: readonly string[], value: JsonValue, expected: string): { readonly error: string } {
  const type = value === null ? '<nil>' : goTypeOf(value)
  return { error: `.${path.join('.')} accessor error: ${goPrint(value)} is of the type ${type}, expected ${expected}` }
}

/** Returns the value at a path of fields. */
export function nestedValue(object: JsonObject, path: readonly string[]): Nested<JsonValue> {
  let at: JsonValue | undefined = object
  for (const [i, field] of path.entries()) {
    if (at === undefined || at === null) return { value: undefined }
    if (!isObject(at)) return accessorError(path.slice(0, i + 1), at, 'map[string]interface{}')
    at = Object.hasOwn(at, field) ? at[field] : undefined
  }
  return { value: at }
}

/** Returns the int64 at a path of fields. */
export function nestedInteger(object: JsonObject, path: readonly string[]): Nested<number> {
  const found = nestedValue(object, path)
  if ('error' in found || found.value === undefined) return found as Nested<number>
  const { value } = found
  if ((typeof value === 'number' || isRawNumber(value)) && isGoInteger(value)) return { value: Number(value) }
  return accessorError(path, value, 'int64')
}

/** Returns the text at a path of fields. */
export function nestedText(object: JsonObject, path: readonly string[]): Nested<string> {
  const found = nestedValue(object, path)
  if ('error' in found || found.value === undefined) return found as Nested<string>
  return typeof found.value === 'string' ? { value: found.value } : accessorError(path, found.value, 'string')
}
