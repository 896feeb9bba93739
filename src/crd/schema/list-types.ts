/** Items of lists of type `set` and `map` must be unique. */

import { parseJson, setKey } from '../../go/json.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { addErrors, duplicate, type FieldError, invalidValue } from '../../meta/field-error.ts'
import type { SchemaNode } from './node.ts'
import { displayedNumber } from './number-rules.ts'
import { childPath } from './path.ts'

/** Returns JSON with sorted keys: equal values have equal texts. */
export function canonicalText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalText(value[key] ?? null)}`).join(',')}}`
}

/** Returns the value with sorted keys, as Go prints maps. */
export function withSortedKeys(value: JsonValue): JsonValue {
  return typeof value === 'object' && value !== null ? parseJson(canonicalText(value), 'verbatim') : value
}

/** Returns the indexes of texts that occur a second time; further occurrences are not reported. */
function repeated(texts: readonly string[]): number[] {
  if (new Set(texts).size === texts.length) return []
  const seen = new Map<string, number>()
  const found: number[] = []
  for (const [i, text] of texts.entries()) {
    const times = seen.get(text) ?? 0
    if (times === 1) found.push(i)
    seen.set(text, times + 1)
  }
  return found
}

/** Returns the keys of an item of a list of type `map`, as far as it has them. */
export function keysOfItem(item: JsonValue, names: readonly string[]): JsonObject {
  if (!isObject(item)) return {}
  const keys: JsonObject = {}
  for (const name of names) if (Object.hasOwn(item, name)) setKey(keys, name, item[name] ?? null)
  return keys
}

function mapErrors(list: readonly JsonValue[], names: readonly string[], path: string): FieldError[] {
  const wrong = list.findIndex((item) => item !== null && !isObject(item))
  if (wrong >= 0)
    return [
      invalidValue(`${path}[${wrong}]`, withSortedKeys(list[wrong] ?? null), 'must be an object for an array of list-type map'),
    ]
  const keys = (item: JsonValue): JsonObject => keysOfItem(item, names)
  return repeated(list.map((item) => canonicalText(keys(item)))).map((i) =>
    duplicate(`${path}[${i}]`, withSortedKeys(keys(list[i] ?? null))),
  )
}

function ownErrors(list: readonly JsonValue[], { schema }: SchemaNode, path: string): FieldError[] {
  if (schema['x-kubernetes-list-type'] === 'set')
    return repeated(list.map(canonicalText)).map((i) =>
      duplicate(`${path}[${i}]`, withSortedKeys(displayedNumber(list[i] ?? null))),
    )
  if (schema['x-kubernetes-list-type'] !== 'map') return []
  return mapErrors(list, schema['x-kubernetes-list-map-keys'] ?? [], path)
}

/** Returns an error for each duplicate item in the lists of a value. */
export function listTypeErrors(value: JsonValue, node: SchemaNode | undefined, path = ''): FieldError[] {
  if (node === undefined || !node.hasListTypes) return []
  if (Array.isArray(value)) {
    const own = ownErrors(value, node, path)
    if (node.items?.hasListTypes !== true) return own
    return [...own, ...value.flatMap((item, i) => listTypeErrors(item, node.items, `${path}[${i}]`))]
  }
  if (!isObject(value)) return []
  const errors: FieldError[] = []
  for (const key of Object.keys(value)) {
    const property = node.properties.get(key)
    const child = property ?? node.additional?.node
    if (child?.hasListTypes !== true) continue
    const inside = property === undefined ? `${path}[${key}]` : childPath(path, key)
    addErrors(errors, listTypeErrors(value[key] ?? null, child, inside))
  }
  return errors
}
