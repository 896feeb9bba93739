/** Values along their types: the items of lists, and the paths of an object. Follows structured-merge-diff's typed. */

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

/** The value as an object; null is one without keys. Throws internalError for what is none, as upstream does. */
export function objectOf(value: JsonValue): JsonObject {
  if (value === null) return {}
  if (!isObject(value)) throw internalError(`expected map, got ${JSON.stringify(value)}`)
  return value
}

/** The value as a list; null is an empty one. Throws internalError for what is none, as upstream does. */
export function listOf(value: JsonValue): readonly JsonValue[] {
  if (value === null) return []
  if (!Array.isArray(value)) throw internalError(`expected list, got ${JSON.stringify(value)}`)
  return value
}

/** The step to an item of a list. Throws internalError for an item that cannot be named, as upstream does. */
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

/** Whether two items have the same step, told without making it. False where that is not easily told. */
export function areNamedAlike(shape: SetShape | ListMapShape, a: JsonValue, b: JsonValue): boolean {
  if (shape.kind === 'set') return a === b
  if (!isObject(a) || !isObject(b)) return false
  return shape.keys.every((key) => ownOr(a, key.name, key.default) === ownOr(b, key.name, key.default))
}

/** The items by their steps, in the order of the list. More than one of a step are duplicates, which live objects may have. */
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

/** Text whose order by bytes may differ from JavaScript's. */
const BEYOND_UNITS = /[\ud800-\uffff]/

/** The keys of a map in the order of their steps. */
export function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object).sort()
  return keys.some((key) => BEYOND_UNITS.test(key)) ? keys.sort(compareText) : keys
}

/** Puts fields in the order of their steps, in place: they are few, and often half sorted. */
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

/** The fields that the object has, those too that Go's JSON would not leave out. */
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

/** All below a value that was not there before, or that went away: every field, item and key, each a member. */
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
  const items = itemsOf(shape, list)
  for (const element of sortElements([...items.keys()])) {
    const [item = null, duplicate] = items.get(element) ?? []
    node[element] = duplicate === undefined ? subtree(shape.item, item) : EMPTY
  }
  return list.length > 0
}

/**
 * The set of all fields that an object gives: what a manager owns that applies it. Follows TypedValue.ToFieldSet: leaves, the
 * items of lists and the keys of maps; not the structs above them. Nothing is defaulted.
 * Throws internalError for an object that is not of the type.
 */
export function fieldSet(type: Type, object: JsonObject): PathSet {
  const { [SELF]: _, ...set } = fieldsBelow(shapeOf(type), object) ?? EMPTY
  return set
}

/**
 * What the set has below a value: EMPTY makes the value itself a leaf, undefined makes it nothing. Items of lists and keys of
 * maps are members (`isSelf`) whatever stands below.
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

const begun = (isSelf: boolean): PathSetBuilder => (isSelf ? { [SELF]: EMPTY } : {})

/** The fields that the object itself has. */
function givenFields(shape: StructShape, object: JsonObject): FieldShape[] {
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
  const node = begun(isSelf)
  let any = false
  for (const field of givenFields(shape, object)) {
    // What no field declares is owned as keys of maps are: by itself, too.
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
  const node = begun(isSelf)
  for (const key of sortedKeys(object)) node[fieldElement(key)] = fieldsBelow(shape, own(object, key) ?? null, true) ?? EMPTY
  return node
}

function itemFields(shape: SetShape | ListMapShape, list: readonly JsonValue[], isSelf: boolean): PathSet | undefined {
  if (list.length === 0) return undefined
  const nodes = new Map<string, PathSet>()
  for (const item of list) {
    const element = itemElement(shape, item)
    // Items that are there more than once are owned as a whole.
    nodes.set(element, nodes.has(element) ? EMPTY : (fieldsBelow(shape.item, item, true) ?? EMPTY))
  }
  const node = begun(isSelf)
  for (const element of sortElements([...nodes.keys()])) node[element] = nodes.get(element) ?? EMPTY
  return node
}
