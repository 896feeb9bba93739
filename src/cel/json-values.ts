/** Values of JSON without a schema (cel-go's adapter of Go's maps and lists), which are converted when they are read. */

import { isRawNumber } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { countSteps } from './budget.ts'
import { ArrayList } from './collections.ts'
import { equals } from './compare.ts'
import { intFrom } from './schema-values.ts'
import { CelError, Double, MapValue, type Value } from './value.ts'

/** A map of JSON values. Lists and maps in it are converted once. */
class JsonMap extends MapValue {
  readonly #object: JsonObject
  #converted: Map<string, Value> | undefined

  constructor(object: JsonObject) {
    super()
    this.#object = object
  }

  get size(): number {
    return Object.keys(this.#object).length
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return key instanceof CelError ? key : new CelError('no such overload')
    if (!Object.hasOwn(this.#object, key)) return undefined
    const json = this.#object[key]
    if (json === undefined) return undefined
    return typeof json === 'object' ? this.#convert(key, json) : valueOfJson(json)
  }

  #convert(key: string, json: JsonValue): Value {
    const known = this.#converted?.get(key)
    if (known !== undefined) return known
    const value = valueOfJson(json)
    this.#converted ??= new Map()
    this.#converted.set(key, value)
    return value
  }

  keys(): readonly Value[] {
    return Object.keys(this.#object)
  }

  equals(other: Value): boolean {
    if (other === this) return true
    if (!(other instanceof MapValue) || other.size !== this.size) return false
    countSteps(this.size + 10)
    for (const key of Object.keys(this.#object)) {
      const [own, others] = [this.find(key), other.find(key)]
      if (own === undefined || others === undefined || equals(own, others) === false) return false
    }
    return true
  }
}

/**
 * Converts JSON to a value, without copying objects.
 * @param json must not change while the value is used
 */
export function valueOfJson(json: JsonValue): Value {
  if (json === null || typeof json === 'string' || typeof json === 'boolean') return json
  if (typeof json === 'number') return Number.isSafeInteger(json) ? json + 0 : new Double(json)
  if (Array.isArray(json)) return new ArrayList(json.map(valueOfJson))
  if (isRawNumber(json)) return intFrom(json) ?? new Double(Number(json.rawJSON))
  return isObject(json) ? new JsonMap(json) : null
}
