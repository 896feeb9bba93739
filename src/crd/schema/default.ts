/** Defaults of a schema: for fields that are not given, and for null where null is no value. */

import { isRawNumber, setKey } from '../../go/json.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { ApiError } from '../../meta/errors.ts'
import type { SchemaNode } from './node.ts'

/** A copy that shares nothing: what is made of a default is changed later. */
export function copyOf(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value
  return structuredClone(value)
}

/** The most that one object is given, in characters of JSON: what is larger than a tenth of it is not stored. */
const mostGiven = 16 * 1024 * 1024

const sizes = new WeakMap<object, number>()

/** How long the JSON of a default is; counted once for those that are not scalars. */
function sizeOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value.length : 8
  const size = sizes.get(value) ?? JSON.stringify(value).length
  sizes.set(value, size)
  return size
}

/** Gives one object its defaults. */
class Defaulting {
  #given = 0

  #copy(value: JsonValue): JsonValue {
    this.#given += sizeOf(value)
    if (this.#given > mostGiven) throw new ApiError(500, '', 'etcdserver: request is too large')
    return copyOf(value)
  }

  value(value: JsonValue, node: SchemaNode | undefined): void {
    if (node === undefined) return
    if (Array.isArray(value)) this.#list(value, node.items)
    else if (isObject(value)) this.#object(value, node)
  }

  #list(list: JsonValue[], node: SchemaNode | undefined): void {
    if (node === undefined) return
    for (let i = 0; i < list.length; i++) {
      if (list[i] === null && !node.nullable) list[i] = this.#copy(node.default ?? null)
      this.value(list[i] ?? null, node)
    }
  }

  #object(object: JsonObject, node: SchemaNode): void {
    for (const [name, given] of node.defaulted) {
      const present = Object.hasOwn(object, name)
      if (!present || (object[name] === null && node.properties.get(name)?.nullable !== true))
        setKey(object, name, this.#copy(given))
    }
    for (const key in object) {
      const property = node.properties.get(key)
      const other = property === undefined ? node.additional?.node : undefined
      if (other !== undefined && object[key] === null && !other.nullable) setKey(object, key, this.#copy(other.default ?? null))
      this.value(object[key] ?? null, property ?? other)
    }
  }
}

/**
 * Gives the value, in place, the defaults of its schema.
 * @throws ApiError 500 as etcd's refusal reaches the client, where they make the object too large by far
 */
export function applyDefaults(value: JsonValue, node: SchemaNode | undefined): void {
  new Defaulting().value(value, node)
}
