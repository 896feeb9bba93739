/**
 * Ratcheting: unchanged values need not become valid. Correlates values with their old ones. Follows KEP-4008, CRD validation
 * ratcheting.
 */

import { equalValues } from '../../apply/value.ts'
import { isWholeDouble } from '../../go/json.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { type Identity, identityOfItem } from './list-types.ts'
import { childOf, type SchemaNode } from './node.ts'

/** A value, its old value, and their schema. */
export class Correlation {
  readonly value: JsonValue
  readonly old: JsonValue
  readonly #node: SchemaNode
  #oldItems: ReadonlyMap<Identity, JsonValue> | undefined
  #equal: boolean | undefined

  constructor(value: JsonValue, old: JsonValue, node: SchemaNode) {
    this.value = value
    this.old = old
    this.#node = node
  }

  /** Correlates the values at a key; undefined if one of them is absent. */
  key(name: string): Correlation | undefined {
    const { value, old } = this
    if (!isObject(value) || !isObject(old) || !Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined
    const node = childOf(this.#node, name)
    return node === undefined ? undefined : new Correlation(value[name] ?? null, old[name] ?? null, node)
  }

  /** Correlates an item of a list of type `map` with the old item that has the same keys. */
  index(i: number): Correlation | undefined {
    const { value, old } = this
    const { items, schema } = this.#node
    if (!Array.isArray(value) || !Array.isArray(old) || items === undefined) return undefined
    if (schema['x-kubernetes-list-type'] !== 'map') return undefined
    const names = schema['x-kubernetes-list-map-keys'] ?? []
    this.#oldItems ??= new Map(old.map((item) => [identityOfItem(item, names), item]))
    const before = this.#oldItems.get(identityOfItem(value[i] ?? null, names))
    return before === undefined || before === null ? undefined : new Correlation(value[i] ?? null, before, items)
  }

  /** Whether the value is unchanged; the order of a list of type `map` is ignored. */
  get isUnchanged(): boolean {
    this.#equal ??= this.#compare()
    return this.#equal
  }

  #compare(): boolean {
    const { value, old } = this
    if (value === null || old === null) return value === null && old === null
    if (isWholeDouble(value) !== isWholeDouble(old)) return false
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false
      if (this.#node.schema['x-kubernetes-list-type'] !== 'map') return equalValues(value, old)
      return value.every((_, i) => this.index(i)?.isUnchanged === true)
    }
    if (isObject(value) && isObject(old)) {
      const keys = Object.keys(value)
      if (keys.length !== Object.keys(old).length) return false
      return keys.every((key) => this.key(key)?.isUnchanged === true)
    }
    return equalValues(value, old)
  }
}
