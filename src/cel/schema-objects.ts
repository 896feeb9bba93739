/** Objects of a schema. */
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { equals } from './compare.ts'
import { CelError, MapValue, NO_SUCH_OVERLOAD, OpaqueValue, type Value } from './value.ts'

export interface Field {
  readonly property: string
  /** The property's name in expressions. */
  readonly name: string
  /** Whether JavaScript objects inherit a property of that name. */
  readonly inherited: boolean
  readonly read: (json: JsonValue) => Value
}

/** Whether two JSON values are equal, with keys in any order. */
export function sameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((element, i) => sameJson(element, b[i]))
  if (Array.isArray(b)) return false
  const [x, y] = [new Map(Object.entries(a)), new Map(Object.entries(b))]
  return x.size === y.size && [...x].every(([key, value]) => y.has(key) && sameJson(value, y.get(key)))
}

/** An object with declared properties. A null property counts as missing. */
export class DataObject extends MapValue {
  readonly object: JsonObject
  readonly #byName: ReadonlyMap<string, Field>
  readonly #byProperty: ReadonlyMap<string, Field>

  constructor(object: JsonObject, byName: ReadonlyMap<string, Field>, byProperty: ReadonlyMap<string, Field>) {
    super()
    this.object = object
    this.#byName = byName
    this.#byProperty = byProperty
  }

  /** Undeclared properties count too. */
  get size(): number {
    return Object.keys(this.object).length
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return key instanceof CelError ? key : new CelError('no such overload')
    const field = this.#byName.get(key)
    if (field === undefined || (field.inherited && !Object.hasOwn(this.object, field.property))) return undefined
    const json = this.object[field.property]
    return json === undefined || json === null ? undefined : field.read(json)
  }

  keys(): readonly Value[] {
    const names: Value[] = []
    for (const property of Object.keys(this.object)) {
      const field = this.#byProperty.get(property)
      if (field !== undefined) names.push(field.name)
    }
    return names
  }

  equals(other: Value): boolean | CelError {
    if (!(other instanceof MapValue)) return NO_SUCH_OVERLOAD
    if (this.size !== other.size) return false
    for (const [property, json] of Object.entries(this.object)) {
      const field = this.#byProperty.get(property)
      const same = field === undefined ? this.#sameUnknown(other, property, json) : sameEntry(this, other, field.name)
      if (same !== true) return same
    }
    return true
  }

  #sameUnknown(other: MapValue, property: string, json: JsonValue): boolean | CelError {
    if (!(other instanceof DataObject)) return new CelError('no such overload')
    return !Object.hasOwn(other.object, property) || sameJson(json, other.object[property])
  }
}

function sameEntry(a: MapValue, b: MapValue, key: string): boolean | CelError {
  const [x, y] = [a.find(key), b.find(key)]
  if (x === undefined || y === undefined) return x === y
  return equals(x, y)
}

/** An object whose keys are data. Without a function to convert its values, expressions see no entries. */
export class DataMap extends MapValue {
  readonly object: JsonObject
  readonly #read: ((json: JsonValue) => Value) | undefined

  constructor(object: JsonObject, read: ((json: JsonValue) => Value) | undefined) {
    super()
    this.object = object
    this.#read = read
  }

  get size(): number {
    return Object.keys(this.object).length
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return key instanceof CelError ? key : new CelError('no such overload')
    if (this.#read === undefined || !Object.hasOwn(this.object, key)) return undefined
    const json = this.object[key]
    return json === undefined ? undefined : this.#read(json)
  }

  keys(): readonly Value[] {
    return this.#read === undefined ? [] : Object.keys(this.object)
  }

  equals(other: Value): boolean | CelError {
    if (!(other instanceof MapValue)) return NO_SUCH_OVERLOAD
    if (this.size !== other.size) return false
    if (this.#read === undefined) return !(other instanceof DataMap) || sameJson(this.object, other.object)
    for (const key of Object.keys(this.object)) {
      const same = sameEntry(this, other, key)
      if (same !== true) return same
    }
    return true
  }
}

/** Data without a schema: it can only be compared. */
export class Unknown extends OpaqueValue {
  readonly typeName = 'unknown'
  readonly #json: JsonValue

  constructor(json: JsonValue) {
    super()
    this.#json = json
  }

  equals(other: Value): boolean {
    return other instanceof Unknown && sameJson(this.#json, other.#json)
  }

  show(): string {
    return JSON.stringify(this.#json)
  }
}
