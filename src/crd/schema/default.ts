/** Defaults of a schema: for fields that are not given, and for null where null is no value. */
import { isObject } from '../../apply/value.ts'
import { isRawNumber, setKey } from '../../meta/json.ts'
import type { JsonValue } from '../../meta/json-value.ts'
import type { SchemaNode } from './node.ts'

/** A copy that shares nothing: what is made of a default is changed later. */
export function copyOf(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value
  return structuredClone(value)
}

/** Gives the value, in place, the defaults of its schema. */
export function applyDefaults(value: JsonValue, node: SchemaNode | undefined): void {
  if (node === undefined) return
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (value[i] === null && node.items !== undefined && !node.items.nullable) value[i] = copyOf(node.items.default ?? null)
      applyDefaults(value[i] ?? null, node.items)
    }
    return
  }
  if (!isObject(value)) return
  for (const [name, given] of node.defaulted) {
    const present = Object.hasOwn(value, name)
    if (!present || (value[name] === null && node.properties.get(name)?.nullable !== true)) value[name] = copyOf(given)
  }
  for (const key in value) {
    const property = node.properties.get(key)
    const other = property === undefined ? node.additional?.node : undefined
    if (other !== undefined && value[key] === null && !other.nullable) setKey(value, key, copyOf(other.default ?? null))
    applyDefaults(value[key] ?? null, property ?? other)
  }
}
