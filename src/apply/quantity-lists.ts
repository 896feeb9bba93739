/**
 * Atomic lists that every update changes. structured-merge-diff compares the Go values of lists as a whole, with the text that a
 * resource.Quantity keeps: the stored one keeps its text when it is encoded, that of the request only if ParseQuantity leaves it
 * there, which it does not for `512Mi`. So the manager of an update owns the list, even if it is equal. Values of maps are copied
 * before they are encoded, so quantities there make no difference.
 */
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { parseQuantity } from '../meta/quantity.ts'
import type { List, Struct, Type } from '../schema/type.ts'
import { fieldElement } from './path-element.ts'
import { EMPTY, type PathSet, union } from './path-set.ts'
import { shapeOf } from './schema.ts'

/** A list at the end of a path of struct fields. */
interface Place {
  readonly path: readonly string[]
  readonly list: List
}

/** Whether a value that is itself or in a value of the type can be a quantity. */
function mayHoldQuantity(type: Type, seen: Set<Type>): boolean {
  if (type.kind === 'quantity') return true
  if (seen.has(type)) return false
  seen.add(type)
  if (type.kind === 'struct') return [...type.fields.values()].some((field) => mayHoldQuantity(field.type, seen))
  if (type.kind === 'list') return mayHoldQuantity(type.element, seen)
  return type.kind === 'map' && mayHoldQuantity(type.value, seen)
}

function findPlaces(type: Struct, path: readonly string[], within: ReadonlySet<Type>): Place[] {
  if (within.has(type)) return []
  const inside = new Set([...within, type])
  return [...type.fields].flatMap(([name, field]): Place[] => {
    const at = [...path, name]
    if (field.type.kind === 'struct') return findPlaces(field.type, at, inside)
    if (field.type.kind !== 'list' || shapeOf(field.type).kind !== 'leaf') return []
    return mayHoldQuantity(field.type.element, new Set()) ? [{ path: at, list: field.type }] : []
  })
}

const places = new WeakMap<Type, readonly Place[]>()

/** Returns the atomic lists of a type that may contain quantities. Found once for each type. */
function placesOf(type: Type): readonly Place[] {
  let found = places.get(type)
  if (found === undefined) {
    found = type.kind === 'struct' ? findPlaces(type, [], new Set()) : []
    places.set(type, found)
  }
  return found
}

const losesText = (text: JsonValue): boolean => typeof text === 'string' && text !== '0' && parseQuantity(text).text === undefined

/** Whether the value contains such a quantity that is not a copy: `isCopy` holds for values of maps and their fields. */
function holdsLost(type: Type, value: JsonValue, isCopy: boolean): boolean {
  switch (type.kind) {
    case 'quantity':
      return !isCopy && losesText(value)
    case 'list':
      return Array.isArray(value) && value.some((element) => holdsLost(type.element, element, false))
    case 'map':
      return isObject(value) && Object.values(value).some((part) => holdsLost(type.value, part, true))
    case 'struct':
      return (
        isObject(value) &&
        Object.entries(value).some(([name, part]) => {
          const field = type.fields.get(name)
          return field !== undefined && holdsLost(field.type, part, isCopy && !field.pointer)
        })
      )
    default:
      return false
  }
}

const valueAt = (object: JsonObject, path: readonly string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((value, name) => (isObject(value) ? value[name] : undefined), object)

/** Returns the atomic lists of an updated object that count as changed because of their quantities. */
export function rewrittenLists(type: Type, object: JsonObject): PathSet {
  let lists = EMPTY
  for (const { path, list } of placesOf(type)) {
    const value = valueAt(object, path)
    if (value === undefined || !holdsLost(list, value, false)) continue
    lists = union(
      lists,
      path.reduceRight<PathSet>((below, name) => ({ [fieldElement(name)]: below }), EMPTY),
    )
  }
  return lists
}
