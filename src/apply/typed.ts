/**
 * Walks values by their types: the items of lists, and the field set of an object. Follows structured-merge-diff's typed package.
 */

import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { compareText } from '../go/text.ts'
import { internalError } from '../meta/errors.ts'
import type { Type } from '../schema/type.ts'
import { fieldElement, keyElement, sortElements, valueElement } from './path-element.ts'
import type { PathSet, PathSetBuilder } from './path-set.ts'
import { EMPTY, SELF } from './path-set.ts'
import type { FieldShape, ListMapShape, SetShape, Shape, StructShape } from './schema.ts'
import { shapeOf } from './schema.ts'
import { isEmptyObject, own, ownOr } from './value.ts'

/**
 * Returns the value as an object; null as an empty one.
 * @throws ApiError 500 if it is not an object, as upstream
 */
export function objectOf(value: JsonValue): JsonObject {
  if (value === null) return {}
  if (!isObject(value)) throw internalError(`expected map, got ${JSON.stringify(value)}`)
  return value
}

/**
 * Returns the value as a list; null as an empty one.
 * @throws ApiError 500 if it is not a list, as upstream
 */
export function listOf(value: JsonValue): readonly JsonValue[] {
  if (value === null) return []
  if (!Array.isArray(value)) throw internalError(`expected list, got ${JSON.stringify(value)}`)
  return value
}

/**
 * Returns the path element of a list item.
 * @throws ApiError 500 if the item has no identity, as upstream
 */
export function itemElement(shape: SetShape | ListMapShape, item: JsonValue): string {
  const element = shape.kind === 'set' ? valueElement(item) : keyElement(keysOf(shape, item))
  if (element === undefined) throw internalError('associative list has an element that cannot be named')
  return element
}

function keysOf(shape: ListMapShape, item: JsonValue): (readonly [string, JsonValue])[] {
  if (!isObject(item)) throw internalError('associative list with keys may not have non-map elements')
  const keys: (readonly [string, JsonValue])[] = []
  for (const key of shape.keys) {
    const value = ownOr(item, key.name, key.default)
    if (value !== undefined) keys.push([key.name, value])
  }
  if (keys.length === 0) throw internalError('associative list with keys has an element that omits all key fields')
  return keys
}

/** Whether two items have the same path element, without computing it. False if that needs the path elements. */
export function areNamedAlike(shape: SetShape | ListMapShape, a: JsonValue, b: JsonValue): boolean {
  if (shape.kind === 'set') return a === b
  if (!isObject(a) || !isObject(b)) return false
  return shape.keys.every((key) => ownOr(a, key.name, key.default) === ownOr(b, key.name, key.default))
}

/** Returns the items by path element, in the order of the list. Live objects may have duplicates. */
export function itemsOf(shape: SetShape | ListMapShape, list: readonly JsonValue[]): ReadonlyMap<string, readonly JsonValue[]> {
  const items = new Map<string, JsonValue[]>()
  for (const item of list) {
    const element = itemElement(shape, item)
    const same = items.get(element)
    if (same === undefined) items.set(element, [item])
    else same.push(item)
  }
  return items
}

/** Texts whose order by bytes may differ from JavaScript's order. */
const BEYOND_UNITS = /[\ud800-\uffff]/

/** Returns the keys of a map in the order of path elements. */
export function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object).sort()
  return keys.some((key) => BEYOND_UNITS.test(key)) ? keys.sort(compareText) : keys
}

/** Sorts fields in the order of path elements, in place, by insertion: there are few fields, and they are often nearly sorted. */
function sortFields(fields: FieldShape[]): FieldShape[] {
  for (let i = 1; i < fields.length; i++) {
    const field = fields[i]
    if (field === undefined) continue
    let at = i
    for (let before = fields[at - 1]; before !== undefined && before.rank > field.rank; before = fields[at - 1]) {
      fields[at--] = before
    }
    fields[at] = field
  }
  return fields
}

/** Returns the fields of the object, including those that Go's JSON never omits. */
function presentFields(shape: StructShape, object: JsonObject): FieldShape[] {
  const { other } = shape
  if (other !== undefined) return sortedKeys(object).map((name) => shape.fields.get(name) ?? other(name))
  const present: FieldShape[] = []
  for (const name in object) {
    const field = shape.fields.get(name)
    if (field !== undefined) present.push(field)
  }
  for (const field of shape.always) {
    if (own(object, field.name) === undefined) present.push(field)
  }
  return sortFields(present)
}

/** Returns the set for a value that was added or removed: every field, item and key as a member. */
export function subtree(shape: Shape, value: JsonValue): PathSet {
  if (value === null) return EMPTY
  const node: PathSetBuilder = { [SELF]: EMPTY }
  switch (shape.kind) {
    case 'leaf':
      return EMPTY
    case 'struct':
      return addFields(node, shape, objectOf(value)) ? node : EMPTY
    case 'map':
      return addKeys(node, shape.value, objectOf(value)) ? node : EMPTY
    case 'deduced':
      return isObject(value) && addKeys(node, shape, value) ? node : EMPTY
    default:
      return addItems(node, shape, listOf(value)) ? node : EMPTY
  }
}

function addFields(node: PathSetBuilder, shape: StructShape, object: JsonObject): boolean {
  const fields = presentFields(shape, object)
  for (const field of fields) {
    const value = ownOr(object, field.name, field.zero)
    node[field.element] = field.shape.kind === 'leaf' || value === undefined ? EMPTY : subtree(field.shape, value)
  }
  return fields.length > 0
}

function addKeys(node: PathSetBuilder, shape: Shape, object: JsonObject): boolean {
  const keys = sortedKeys(object)
  for (const key of keys) {
    node[fieldElement(key)] = shape.kind === 'leaf' ? EMPTY : subtree(shape, own(object, key) ?? null)
  }
  return keys.length > 0
}

function addItems(node: PathSetBuilder, shape: SetShape | ListMapShape, list: readonly JsonValue[]): boolean {
  const nodes = new Map<string, PathSet>()
  for (const item of list) {
    const element = itemElement(shape, item)
    // Duplicate items are owned as a whole.
    nodes.set(element, nodes.has(element) ? EMPTY : subtree(shape.item, item))
  }
  for (const element of sortElements([...nodes.keys()])) node[element] = nodes.get(element) ?? EMPTY
  return list.length > 0
}

/**
 * Returns the field set of an object: the fields that a manager owns after it has applied the object. Contains leaves, list items
 * and map keys, but not the structs above them; nothing is defaulted. Follows TypedValue.ToFieldSet.
 * @throws ApiError 500 if the object does not fit the type
 */
export function fieldSet(type: Type, object: JsonObject): PathSet {
  const { [SELF]: _, ...set } = fieldsBelow(shapeOf(type), object) ?? EMPTY
  return set
}

/**
 * Returns the set below a value: EMPTY if the value is a leaf, undefined if it adds nothing. List items and map keys are always
 * members themselves (`isSelf`).
 */
function fieldsBelow(shape: Shape, value: JsonValue, isSelf = false): PathSet | undefined {
  if (value === null || shape.kind === 'leaf') return EMPTY
  switch (shape.kind) {
    case 'struct':
      return structFields(shape, objectOf(value), isSelf)
    case 'map':
      return mapFields(shape.value, objectOf(value), isSelf)
    case 'deduced':
      return isObject(value) ? mapFields(shape, value, isSelf) : EMPTY
    default:
      return itemFields(shape, listOf(value), isSelf)
  }
}

const newNode = (isSelf: boolean): PathSetBuilder => (isSelf ? { [SELF]: EMPTY } : {})

/** Returns the fields that the object has. */
function declaredFields(shape: StructShape, object: JsonObject): FieldShape[] {
  if (shape.other !== undefined) return presentFields(shape, object)
  const present: FieldShape[] = []
  for (const name in object) {
    const field = shape.fields.get(name)
    if (field !== undefined) present.push(field)
  }
  return sortFields(present)
}

function structFields(shape: StructShape, object: JsonObject, isSelf: boolean): PathSet | undefined {
  if (isEmptyObject(object)) return EMPTY
  const node = newNode(isSelf)
  let any = false
  for (const field of declaredFields(shape, object)) {
    // A key that is not a declared field is owned like a map key, as a member itself.
    const isKey = !shape.fields.has(field.name)
    const below = fieldsBelow(field.shape, own(object, field.name) ?? null, isKey) ?? (isKey ? EMPTY : undefined)
    if (below === undefined) continue
    node[field.element] = below
    any = true
  }
  return any ? node : undefined
}

function mapFields(shape: Shape, object: JsonObject, isSelf: boolean): PathSet | undefined {
  if (isEmptyObject(object)) return EMPTY
  const node = newNode(isSelf)
  for (const key of sortedKeys(object))
    node[fieldElement(key)] = shape.kind === 'leaf' ? EMPTY : (fieldsBelow(shape, own(object, key) ?? null, true) ?? EMPTY)
  return node
}

function itemFields(shape: SetShape | ListMapShape, list: readonly JsonValue[], isSelf: boolean): PathSet | undefined {
  if (list.length === 0) return undefined
  const nodes = new Map<string, PathSet>()
  for (const item of list) {
    // Pruning leaves null for an item of which it has removed all fields.
    if (item === null) continue
    const element = itemElement(shape, item)
    // Duplicate items are owned as a whole.
    nodes.set(element, nodes.has(element) ? EMPTY : (fieldsBelow(shape.item, item, true) ?? EMPTY))
  }
  const node = newNode(isSelf)
  for (const element of sortElements([...nodes.keys()])) node[element] = nodes.get(element) ?? EMPTY
  return node
}
