/**
 * Compares two objects into added, removed and modified fields. Follows TypedValue.Compare of structured-merge-diff, with Go's
 * zero values for absent fields.
 */
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { Type } from '../schema/type.ts'
import { fieldElement, sortElements } from './path-element.ts'
import type { PathSet, PathSetBuilder } from './path-set.ts'
import { EMPTY, SELF } from './path-set.ts'
import type { ListMapShape, SetShape, Shape, StructShape } from './schema.ts'
import { fieldNamed, shapeOf } from './schema.ts'
import { areNamedAlike, itemElement, itemsOf, listOf, objectOf, subtree } from './typed.ts'
import { equalLists, equalValues, isEmptyObject, own, ownOr } from './value.ts'

/** The three sets are disjoint. */
export interface Comparison {
  readonly added: PathSet
  readonly removed: PathSet
  readonly modified: PathSet
}

/**
 * The fields of a struct to skip, directly (`fields`) or further down (`within`). A field of `within` is never a member itself.
 */
export interface Uncompared {
  readonly fields: ReadonlySet<string>
  readonly within: ReadonlyMap<string, Uncompared>
}

/** The differences below a path element; undefined fields are empty sets. An undefined Delta means no differences. */
interface Delta {
  readonly added?: PathSet
  readonly removed?: PathSet
  readonly modified?: PathSet
}

const MODIFIED: Delta = { modified: EMPTY }

const EVERYTHING: Uncompared = { fields: new Set(), within: new Map() }

/** Collects the deltas of path elements, which must be added in their order. */
class DeltaBuilder {
  added: PathSetBuilder | undefined
  removed: PathSetBuilder | undefined
  modified: PathSetBuilder | undefined

  add(element: string, delta: Delta): void {
    if (delta.added !== undefined) {
      this.added ??= {}
      this.added[element] = delta.added
    }
    if (delta.removed !== undefined) {
      this.removed ??= {}
      this.removed[element] = delta.removed
    }
    if (delta.modified !== undefined) {
      this.modified ??= {}
      this.modified[element] = delta.modified
    }
  }

  done(): Delta | undefined {
    const { added, removed, modified } = this
    if (added === undefined && removed === undefined && modified === undefined) return undefined
    return { ...(added && { added }), ...(removed && { removed }), ...(modified && { modified }) }
  }
}

/** Builds a delta from the deltas of path elements in any order. */
function deltaOf(parts: Map<string, Delta> | undefined): Delta | undefined {
  if (parts === undefined) return undefined
  const builder = new DeltaBuilder()
  const elements = parts.size === 1 ? [...parts.keys()] : sortElements([...parts.keys()])
  for (const element of elements) {
    const delta = parts.get(element)
    if (delta !== undefined) builder.add(element, delta)
  }
  return builder.done()
}

/**
 * Compares two objects of a type. An absent field has its zero value if Go's JSON would write it; for a create (`old` is
 * undefined) all fields of the old object are absent.
 * @throws ApiError 500 if an object does not fit the type
 */
export function compare(type: Type, old: JsonObject | undefined, object: JsonObject, uncompared = EVERYTHING): Comparison {
  const shape = shapeOf(type)
  const delta =
    shape.kind === 'struct' ? compareStructs(shape, old ?? {}, object, uncompared) : compareValues(shape, old ?? {}, object)
  return { added: delta?.added ?? EMPTY, removed: delta?.removed ?? EMPTY, modified: delta?.modified ?? EMPTY }
}

/** Compares two fields. Absent values are undefined; null is a value. */
function compareFields(shape: Shape, old: JsonValue | undefined, value: JsonValue | undefined): Delta | undefined {
  if (old === value) return undefined
  if (old === undefined) return value === undefined ? undefined : { added: subtree(shape, value) }
  if (value === undefined) return { removed: subtree(shape, old) }
  return compareValues(shape, old, value)
}

function compareValues(shape: Shape, old: JsonValue, value: JsonValue): Delta | undefined {
  if (old === value) return undefined
  if (shape.kind === 'leaf') return equalValues(old, value) ? undefined : MODIFIED
  if (old === null) return withoutSelf('added', subtree(shape, value))
  if (value === null) return withoutSelf('removed', subtree(shape, old))
  switch (shape.kind) {
    case 'struct':
      return compareStructs(shape, objectOf(old), objectOf(value), EVERYTHING)
    case 'map':
      return compareMaps(shape.value, objectOf(old), objectOf(value))
    case 'deduced':
      return compareDeduced(old, value)
    default:
      return compareLists(shape, listOf(old), listOf(value))
  }
}

/** Returns the differences below a value if the other side is null. Null and an empty value differ as leaves do. */
function withoutSelf(side: 'added' | 'removed', tree: PathSet): Delta {
  if (isEmptyObject(tree)) return MODIFIED
  const { [SELF]: _, ...below } = tree
  return { [side]: below }
}

function compareStructs(shape: StructShape, old: JsonObject, value: JsonObject, uncompared: Uncompared): Delta | undefined {
  let parts: Map<string, Delta> | undefined
  const compareField = (name: string): void => {
    const left = own(old, name)
    const right = own(value, name)
    if (left === right || uncompared.fields.has(name)) return
    const field = fieldNamed(shape, name)
    if (field === undefined) return
    const within = uncompared.within.get(name)
    const delta =
      within !== undefined && field.shape.kind === 'struct'
        ? compareStructs(field.shape, objectOf(left ?? null), objectOf(right ?? null), within)
        : compareFields(field.shape, ownOr(old, name, field.zero), ownOr(value, name, field.zero))
    if (delta === undefined) return
    parts ??= new Map()
    parts.set(field.element, delta)
  }
  for (const name in value) compareField(name)
  for (const name in old) if (own(value, name) === undefined) compareField(name)
  return deltaOf(parts)
}

function compareMaps(shape: Shape, old: JsonObject, value: JsonObject): Delta | undefined {
  let parts: Map<string, Delta> | undefined
  const compareKey = (key: string): void => {
    const delta = compareFields(shape, own(old, key), own(value, key))
    if (delta === undefined) return
    parts ??= new Map()
    parts.set(fieldElement(key), delta)
  }
  for (const key in value) compareKey(key)
  for (const key in old) if (own(value, key) === undefined) compareKey(key)
  return deltaOf(parts)
}

/** Compares values of unknown type, which may also change between an object and another kind of value. */
function compareDeduced(old: JsonValue, value: JsonValue): Delta | undefined {
  const shape: Shape = { kind: 'deduced' }
  if (isObject(old)) {
    if (isObject(value)) return compareMaps(shape, old, value)
    return isEmptyObject(old) ? MODIFIED : { ...withoutSelf('removed', subtree(shape, old)), ...MODIFIED }
  }
  if (isObject(value)) return isEmptyObject(value) ? MODIFIED : { ...withoutSelf('added', subtree(shape, value)), ...MODIFIED }
  return equalValues(old, value) ? undefined : MODIFIED
}

function compareLists(shape: SetShape | ListMapShape, old: readonly JsonValue[], value: readonly JsonValue[]): Delta | undefined {
  const inPlace = compareInPlace(shape, old, value)
  if (inPlace !== 'elsewhere') return inPlace
  const left = itemsOf(shape, old)
  const right = itemsOf(shape, value)
  let parts: Map<string, Delta> | undefined
  for (const element of new Set([...left.keys(), ...right.keys()])) {
    const delta = compareItems(shape.item, left.get(element) ?? [], right.get(element) ?? [])
    if (delta === undefined) continue
    parts ??= new Map()
    parts.set(element, delta)
  }
  return deltaOf(parts)
}

/** The most changed items with which the fast path is used. */
const FEW = 16

/**
 * The fast path for the most frequent case: the same items in the same order, few of them changed, and no changed item
 * duplicated. @returns 'elsewhere' in any other case
 */
function compareInPlace(
  shape: SetShape | ListMapShape,
  old: readonly JsonValue[],
  value: readonly JsonValue[],
): Delta | undefined | 'elsewhere' {
  if (old.length !== value.length) return 'elsewhere'
  const changed: JsonValue[] = []
  const parts = new Map<string, Delta>()
  for (const [i, before] of old.entries()) {
    const after = value[i] ?? null
    if (equalValues(before, after)) continue
    if (changed.push(before) > FEW || !areNamedAlike(shape, before, after)) return 'elsewhere'
    const delta = compareValues(shape.item, before, after)
    if (delta !== undefined) parts.set(itemElement(shape, before), delta)
  }
  const isTwice = (item: JsonValue): boolean => old.some((other) => other !== item && areNamedAlike(shape, other, item))
  return changed.some(isTwice) ? 'elsewhere' : deltaOf(parts)
}

/**
 * Compares the items with one path element. Duplicates are owned as a whole, so their appearance or disappearance changes that
 * whole.
 */
function compareItems(shape: Shape, old: readonly JsonValue[], value: readonly JsonValue[]): Delta | undefined {
  if (old.length <= 1 && value.length <= 1) return compareFields(shape, old[0], value[0])
  if (old.length > 1 && value.length > 1) return equalLists(old, value) ? undefined : MODIFIED
  const [single] = old.length > 1 ? value : old
  const tree = single === undefined ? undefined : subtree(shape, single)
  if (old.length > 1) return { removed: EMPTY, ...(tree && { added: tree }) }
  return { added: EMPTY, ...(tree && { removed: tree }) }
}
