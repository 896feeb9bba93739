/**
 * What an applier said before and does not say any more goes away, unless somebody else owns it.
 * Follows Updater.prune of structured-merge-diff's merge.
 */

import { setKey } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { Type } from '../schema/type.ts'
import type { PathSet, PathSetBuilder } from './path-set.ts'
import { difference, EMPTY, intersection, isEmpty, isMember, SELF, union } from './path-set.ts'
import { shapeBelow } from './reconcile.ts'
import type { ListMapShape, SetShape, Shape } from './schema.ts'
import { shapeOf } from './schema.ts'
import { fieldSet, itemElement } from './typed.ts'
import { isEmptyObject } from './value.ts'
import { convertedAs, type OtherVersions } from './versions.ts'

/** The object without the members of the set. What is left empty by that is null. */
export function removeFields(type: Type, object: JsonObject, set: PathSet): JsonObject {
  if (isEmpty(set)) return object
  const left = removeBelow(shapeOf(type), object, set)
  return isObject(left) ? left : {}
}

function removeBelow(shape: Shape, value: JsonValue, set: PathSet): JsonValue {
  if (shape.kind === 'leaf') return value
  if (shape.kind === 'set' || shape.kind === 'list-map') return Array.isArray(value) ? removeItems(shape, value, set) : null
  return isObject(value) ? removeKeys(shape, value, set) : null
}

function removeKeys(shape: Shape, object: JsonObject, set: PathSet): JsonValue {
  const left: JsonObject = {}
  for (const [key, value] of Object.entries(object)) {
    const element = `f:${key}`
    const node = set[element]
    if (node === undefined) setKey(left, key, value)
    else if (!isMember(node)) setKey(left, key, removeBelow(shapeBelow(shape, element) ?? shape, value, node))
  }
  return isEmptyObject(left) ? null : left
}

function removeItems(shape: SetShape | ListMapShape, list: readonly JsonValue[], set: PathSet): JsonValue {
  const left: JsonValue[] = []
  for (const item of list) {
    const node = set[itemElement(shape, item)]
    if (node === undefined) left.push(item)
    else if (!isMember(node)) left.push(removeBelow(shape.item, item, node))
  }
  return left.length === 0 ? null : left
}

/** The set with every struct field a member that leads to one. Follows EnsureNamedFieldsAreMembers. */
export function withNamedFields(shape: Shape, set: PathSet): PathSet {
  const result: PathSetBuilder = {}
  for (const [element, node] of Object.entries(set)) {
    if (element === SELF || isEmptyObject(node)) {
      result[element] = node
      continue
    }
    const shapeThere = shapeBelow(shape, element)
    const below = shapeThere === undefined ? node : withNamedFields(shapeThere, node)
    const named = shape.kind === 'struct' && shape.fields.has(element.slice(2))
    result[element] = named && !(SELF in below) ? { [SELF]: EMPTY, ...below } : below
  }
  return result
}

/** A set of paths of one version. */
export interface VersionedSet {
  readonly apiVersion: string
  readonly set: PathSet
}

/** An apply whose merge is done. */
export interface Pruning {
  readonly type: Type
  readonly apiVersion: string
  readonly merged: JsonObject
  /** What the applier owned before. */
  readonly last: VersionedSet
  /** What the applier's configuration says, in the version of the request. */
  readonly said: PathSet
  /** What the others own. */
  readonly others: readonly VersionedSet[]
  readonly otherVersion: OtherVersions | undefined
}

/** A version as pruning sees it. */
interface View {
  readonly type: Type
  readonly from: (object: JsonObject) => JsonObject
  readonly to: (object: JsonObject) => JsonObject
}

const same = (object: JsonObject): JsonObject => object

function viewOf({ type, apiVersion, otherVersion }: Pruning, asked: string): View | undefined {
  if (asked === apiVersion) return { type, from: same, to: same }
  const other = otherVersion?.(asked)
  return other && { type: other.type, from: other.fromRequested, to: other.toRequested }
}

function ownedByVersion(owned: readonly VersionedSet[]): Map<string, PathSet> {
  const sets = new Map<string, PathSet>()
  for (const { apiVersion, set } of owned) sets.set(apiVersion, union(sets.get(apiVersion) ?? EMPTY, set))
  return sets
}

/** All fields of an object, the named ones that lead to others too. */
const allFields = (type: Type, object: JsonObject): PathSet => withNamedFields(shapeOf(type), fieldSet(type, object))

/** What is gone from the merged object comes back where it is owned; both are in the version of the request. */
function addBackOwned(view: View, version: string, merged: JsonObject, pruned: JsonObject, owned: PathSet): JsonObject {
  const whole = convertedAs(`merged object at version ${version}`, view.from, merged)
  const rest = convertedAs(`pruned object at version ${version}`, view.from, pruned)
  const kept = union(allFields(view.type, rest), withNamedFields(shapeOf(view.type), owned))
  return view.to(removeFields(view.type, whole, difference(allFields(view.type, whole), kept)))
}

/** What is gone comes back where the applier did not own it. */
function addBackDangling(view: View, merged: JsonObject, pruned: JsonObject, last: PathSet): JsonObject {
  const whole = convertedAs('merged object to last applied version', view.from, merged)
  const rest = convertedAs('pruned object to last applied version', view.from, pruned)
  const gone = difference(allFields(view.type, whole), allFields(view.type, rest))
  return view.to(removeFields(view.type, whole, intersection(gone, last)))
}

/** The applier still says all that it said. What it says has every step to each of its members: nothing can be removed. */
function saysAllAgain({ apiVersion, last, said }: Pruning): boolean {
  return last.apiVersion === apiVersion && isEmpty(difference(last.set, said))
}

/** The merged object without what nobody says any more: itself where that is nothing. */
export function prune(pruning: Pruning): JsonObject {
  const { merged, last, apiVersion, said, others } = pruning
  if (isEmpty(last.set) || saysAllAgain(pruning)) return merged
  const view = viewOf(pruning, last.apiVersion)
  if (view === undefined) return merged
  const before = withNamedFields(shapeOf(view.type), last.set)
  const whole = convertedAs('merged object to last applied version', view.from, merged)
  let pruned = view.to(removeFields(view.type, whole, before))
  const owned = ownedByVersion([{ apiVersion, set: said }, ...others])
  // The version that was pruned in comes first: conversions may need what is added back there.
  for (const version of new Set([last.apiVersion, ...owned.keys()])) {
    const set = owned.get(version)
    const there = set && viewOf(pruning, version)
    if (there !== undefined) pruned = addBackOwned(there, version, merged, pruned, set ?? EMPTY)
  }
  return addBackDangling(view, merged, pruned, before)
}
