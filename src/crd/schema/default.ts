/** Applies the defaults of a schema to absent fields, and to null in fields that are not nullable. */

import { setKey } from '../../go/json.ts'
import { copyOf, isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { ApiError } from '../../meta/errors.ts'
import type { SchemaNode } from './node.ts'

/** The maximum JSON length of all defaults of one object. Objects beyond a tenth of it are too large to store anyway. */
const mostGiven = 16 * 1024 * 1024

const sizes = new WeakMap<object, number>()

/** Returns the JSON length of a default; cached for lists and objects. */
function sizeOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value.length : 8
  const size = sizes.get(value) ?? JSON.stringify(value).length
  sizes.set(value, size)
  return size
}

/** Applies defaults to one object, with a limit. */
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
 * Applies the defaults of a schema in place.
 * @throws ApiError 500 with etcd's message if they make the object far too large
 */
export function applyDefaults(value: JsonValue, node: SchemaNode | undefined): void {
  new Defaulting().value(value, node)
}
