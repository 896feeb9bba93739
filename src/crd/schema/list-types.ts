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

/** Equal for equal values; undefined for an absent one. */
export type Identity = string | number | undefined

/** Matches the beginning of each canonical text of a value, and of some other texts. */
const likeCanonical = /^["[{tfn\d-]/

/** Returns the identity of a value: numbers and most texts are their own, which takes a tenth of the time of a canonical text. */
const identityOf = (value: JsonValue): Identity =>
  typeof value === 'number' || (typeof value === 'string' && !likeCanonical.test(value)) ? value : canonicalText(value)

/** Returns the indexes of identities that occur a second time; further occurrences are not reported. */
function repeated(identities: readonly Identity[]): number[] {
  if (new Set(identities).size === identities.length) return []
  const times = new Map<Identity, number>()
  const indexes: number[] = []
  for (const [index, identity] of identities.entries()) {
    const before = times.get(identity) ?? 0
    if (before === 1) indexes.push(index)
    times.set(identity, before + 1)
  }
  return indexes
}

/** Returns the keys of an item of a list of type `map`, as far as it has them. */
function keysOfItem(item: JsonValue, names: readonly string[]): JsonObject {
  if (!isObject(item)) return {}
  const keys: JsonObject = {}
  for (const name of names) if (Object.hasOwn(item, name)) setKey(keys, name, item[name] ?? null)
  return keys
}

/** Returns the identity of an item of a list of type `map`: equal for items with the same keys. */
export function identityOfItem(item: JsonValue, names: readonly string[]): Identity {
  const [name = '', ...others] = names
  if (others.length > 0) return canonicalText(keysOfItem(item, names))
  return isObject(item) && Object.hasOwn(item, name) ? identityOf(item[name] ?? null) : undefined
}

function mapErrors(list: readonly JsonValue[], names: readonly string[], path: string): FieldError[] {
  const wrong = list.findIndex((item) => item !== null && !isObject(item))
  if (wrong >= 0)
    return [
      invalidValue(`${path}[${wrong}]`, withSortedKeys(list[wrong] ?? null), 'must be an object for an array of list-type map'),
    ]
  const keys = (item: JsonValue): JsonObject => keysOfItem(item, names)
  return repeated(list.map((item) => identityOfItem(item, names))).map((i) =>
    duplicate(`${path}[${i}]`, withSortedKeys(keys(list[i] ?? null))),
  )
}

function ownErrors(list: readonly JsonValue[], { schema }: SchemaNode, path: string): FieldError[] {
  if (schema['x-kubernetes-list-type'] === 'set')
    return repeated(list.map(identityOf)).map((i) => duplicate(`${path}[${i}]`, withSortedKeys(displayedNumber(list[i] ?? null))))
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
