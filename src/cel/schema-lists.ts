/** Lists of a schema: atomic lists, sets, and maps by keys; sets and maps are equal in any order. */
import type { JsonValue } from '../go/json-value.ts'
import { countSteps } from './budget.ts'
import { ArrayList } from './collections.ts'
import { equals } from './compare.ts'
import { formatValue } from './format-value.ts'
import { CelError, ListValue, MapValue, NO_SUCH_OVERLOAD, typeNameOf, type Value } from './value.ts'

/** Converts an element. */
export type ItemReader = (json: JsonValue) => Value

/** Whether all elements are equal; the first result that is not true. */
function allEqual(left: readonly Value[], right: readonly Value[]): boolean | CelError {
  countSteps(left.length + 10)
  for (const [i, element] of left.entries()) {
    const same = equals(element, right[i] ?? null)
    if (same !== true) return same
  }
  return true
}

/** Whether the list contains the value. */
function includes(elements: readonly Value[], value: Value): boolean | CelError {
  countSteps(elements.length)
  let wrong: CelError | undefined
  for (const element of elements) {
    const same = equals(element, value)
    if (same === true) return true
    if (same instanceof CelError) wrong ??= same
  }
  return wrong ?? false
}

/** An atomic list. Its elements are converted on first access. */
export class DataList extends ListValue {
  readonly #json: readonly JsonValue[]
  readonly #read: ItemReader
  #elements: readonly Value[] | undefined

  constructor(json: readonly JsonValue[], read: ItemReader) {
    super()
    this.#json = json
    this.#read = read
  }

  get size(): number {
    return this.#json.length
  }

  get elements(): readonly Value[] {
    this.#elements ??= this.#json.map(this.#read)
    return this.#elements
  }

  at(index: number): Value {
    return this.elements[index] ?? null
  }

  equals(other: Value): boolean | CelError {
    if (!(other instanceof ListValue)) return NO_SUCH_OVERLOAD
    if (other.size !== this.size) return false
    return allEqual(this.elements, other.elements)
  }

  add(other: ListValue): Value {
    return new ArrayList([...this.elements, ...other.elements])
  }

  contains(value: Value): boolean | CelError {
    return includes(this.elements, value)
  }
}

/** A list of type set: unique scalars. */
export class SetList extends ArrayList {
  #set: ReadonlySet<Value> | undefined

  get #values(): ReadonlySet<Value> {
    this.#set ??= new Set(this.elements)
    return this.#set
  }

  override equals(other: Value): boolean | CelError {
    if (!(other instanceof ListValue)) return NO_SUCH_OVERLOAD
    if (other.size !== this.size) return false
    return other.elements.every((element) => this.#values.has(element) || this.contains(element) === true)
  }

  /** Returns the union; new elements are appended. */
  override add(other: ListValue): Value {
    const known = new Set(this.elements.map(keyText))
    const union = [...this.elements]
    for (const element of other.elements) {
      const key = keyText(element)
      if (!known.has(key)) union.push(element)
      known.add(key)
    }
    return new SetList(union)
  }
}

/** A list of type map: objects with unique keys. */
export class MapList extends ArrayList {
  readonly #keys: readonly string[]

  constructor(elements: readonly Value[], keys: readonly string[]) {
    super(elements)
    this.#keys = keys
  }

  #keyOf(element: Value): string {
    if (!(element instanceof MapValue)) return ''
    return JSON.stringify(this.#keys.map((key) => keyText(element.find(key))))
  }

  #byKey(): Map<string, Value> {
    return new Map(this.elements.map((element) => [this.#keyOf(element), element]))
  }

  override equals(other: Value): boolean | CelError {
    if (!(other instanceof ListValue)) return NO_SUCH_OVERLOAD
    if (other.size !== this.size) return false
    const own = this.#byKey()
    for (const element of other.elements) {
      const match = own.get(this.#keyOf(element))
      const same = match === undefined ? false : equals(match, element)
      if (same !== true) return same
    }
    return true
  }

  /** Returns the merge: elements with equal keys are replaced in place, new ones are appended. */
  override add(other: ListValue): Value {
    const merged = this.#byKey()
    for (const element of other.elements) merged.set(this.#keyOf(element), element)
    return new MapList([...merged.values()], this.#keys)
  }
}

/** Returns a scalar as text that differs for values of different types. */
function keyText(key: Value | undefined): string {
  if (key === undefined || key === null) return ''
  return typeof key === 'string' ? `s${key}` : `${typeNameOf(key)} ${formatValue(key)}`
}
