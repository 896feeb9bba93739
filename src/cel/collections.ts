/** Lists and maps that expressions construct. */

import { countSteps } from './budget.ts'
import { equals, isTrue } from './compare.ts'
import { CelError, Double, isInt, ListValue, MapValue, Uint, type Value } from './value.ts'

/** A list of values in memory. */
export class ArrayList extends ListValue {
  readonly elements: readonly Value[]

  constructor(elements: readonly Value[]) {
    super()
    this.elements = elements
  }

  get size(): number {
    return this.elements.length
  }

  at(index: number): Value {
    return this.elements[index] ?? null
  }

  equals(other: Value): boolean | CelError {
    if (!(other instanceof ListValue) || other.size !== this.size) return false
    countSteps(this.size + 10)
    return this.elements.every((element, i) => equals(element, other.at(i)) !== false)
  }

  add(other: ListValue): Value {
    if (this.size === 0) return other
    return other.size === 0 ? this : new ArrayList([...this.elements, ...other.elements])
  }

  contains(value: Value): boolean {
    countSteps(this.size)
    return this.elements.some((element) => isTrue(equals(value, element)))
  }
}

/** The list that a comprehension builds. Elements are added in place, so that a fold takes linear time. */
export class GrowingList extends ArrayList {
  readonly #grown: Value[]

  constructor() {
    const grown: Value[] = []
    super(grown)
    this.#grown = grown
  }

  override add(other: ListValue): Value {
    for (let i = 0; i < other.size; i++) this.#grown.push(other.at(i))
    return this
  }
}

type Key = string | number | bigint | boolean | null | CelError

/** Returns the canonical form of a key: equal numbers of different types have the same form. */
function keyOf(value: Value): Key {
  if (typeof value === 'string' || typeof value === 'boolean' || isInt(value) || value === null) return value
  if (value instanceof Uint) return value.value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value.value) : value.value
  if (value instanceof Double) return doubleKey(value.value)
  return new CelError(`unsupported key type`)
}

function doubleKey(value: number): Key {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value
}

interface Entry {
  readonly key: Value
  readonly value: Value
}

/** A map in memory, in insertion order. */
export class EntryMap extends MapValue {
  protected readonly entries = new Map<Key, Entry>()

  /** Returns the map of these entries; of equal keys the last one wins. A CelError if a value cannot be a key. */
  static of(entries: Iterable<readonly [Value, Value]>): EntryMap | CelError {
    const map = new EntryMap()
    for (const [key, value] of entries) {
      const canonical = keyOf(key)
      if (canonical instanceof CelError) return canonical
      map.entries.set(canonical, { key, value })
    }
    return map
  }

  get size(): number {
    return this.entries.size
  }

  find(key: Value): Value | undefined {
    const canonical = keyOf(key)
    return canonical instanceof CelError ? undefined : this.entries.get(canonical)?.value
  }

  keys(): readonly Value[] {
    return [...this.entries.values()].map((entry) => entry.key)
  }

  equals(other: Value): boolean {
    if (!(other instanceof MapValue) || other.size !== this.size) return false
    countSteps(this.size + 10)
    for (const { key, value } of this.entries.values()) {
      const otherValue = other.find(key)
      if (otherValue === undefined || equals(value, otherValue) === false) return false
    }
    return true
  }
}

/** The map that a comprehension builds in place. */
export class GrowingMap extends EntryMap {
  /** Copies a map. */
  static from(map: MapValue): GrowingMap {
    const growing = new GrowingMap()
    for (const key of map.keys()) growing.insert(key, map.find(key) ?? null)
    return growing
  }

  /** Adds an entry. Returns whether the key was new, or the error of a value that cannot be a key. */
  insert(key: Value, value: Value): boolean | CelError {
    const canonical = keyOf(key)
    if (canonical instanceof CelError) return canonical
    if (this.entries.has(canonical)) return false
    this.entries.set(canonical, { key, value })
    return true
  }
}
