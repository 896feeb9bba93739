/**
 * Removes fields that a manager applied before and no longer applies, unless another manager owns them. Follows Updater.prune of
 * structured-merge-diff's merge.
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
import { convertedAs, type OtherVersions, UnconvertibleError } from './versions.ts'

/** Returns the object without the members of the set. Values that become empty are null. */
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

/** Returns the set with all struct fields on the way to a member as members. Follows EnsureNamedFieldsAreMembers. */
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

/** A set of paths in one version. */
export interface VersionedSet {
  readonly apiVersion: string
  readonly set: PathSet
}

/** The input of pruning: the result of a merge, and the owned fields. */
export interface Pruning {
  readonly type: Type
  readonly apiVersion: string
  readonly merged: JsonObject
  /** The fields that the manager owned before. */
  readonly last: VersionedSet
  /** The fields of the manager's configuration, in the version of the request. */
  readonly applied: PathSet
  /** The fields that other managers own. */
  readonly others: readonly VersionedSet[]
  readonly otherVersion: OtherVersions | undefined
}

/** A version, with the conversions from and to the version of the request. */
interface View {
  readonly type: Type
  readonly from: (object: JsonObject) => JsonObject
  readonly to: (object: JsonObject) => JsonObject
}

const same = (object: JsonObject): JsonObject => object

function viewOf({ type, apiVersion, otherVersion }: Pruning, requested: string): View | undefined {
  if (requested === apiVersion) return { type, from: same, to: same }
  const other = otherVersion?.(requested)
  return other && { type: other.type, from: other.fromRequested, to: other.toRequested }
}

function ownedByVersion(owned: readonly VersionedSet[]): Map<string, PathSet> {
  const sets = new Map<string, PathSet>()
  for (const { apiVersion, set } of owned) sets.set(apiVersion, union(sets.get(apiVersion) ?? EMPTY, set))
  return sets
}

/** Returns all fields of an object, with all struct fields on the way to them. */
const allFields = (type: Type, object: JsonObject): PathSet => withNamedFields(shapeOf(type), fieldSet(type, object))

const addingOwned = 'failed to prune fields: failed add back owned items: '
const addingDangling = 'failed to prune fields: failed add back dangling items: '

/** The merged object and the pruned one, in one version. */
interface Objects {
  readonly view: View
  readonly merged: JsonObject
  readonly pruned: JsonObject
}

/** Converts both objects. @param where the version as messages name it @param during the beginning of messages */
function inView({ view: from, merged, pruned }: Objects, view: View, where: string, during: string): Objects {
  if (from === view) return { view, merged, pruned }
  const convert = (object: JsonObject): JsonObject => view.from(from.to(object))
  return {
    view,
    merged: convertedAs(`merged object ${where}`, convert, merged, during),
    pruned: convertedAs(`pruned object ${where}`, convert, pruned, during),
  }
}

/** Adds back the owned fields that pruning removed. */
function addBackOwned({ view, merged, pruned }: Objects, owned: PathSet): Objects {
  const kept = union(allFields(view.type, pruned), withNamedFields(shapeOf(view.type), owned))
  return { view, merged, pruned: removeFields(view.type, merged, difference(allFields(view.type, merged), kept)) }
}

/** Adds back the removed fields that the manager did not own. */
function addBackDangling({ view, merged, pruned }: Objects, last: PathSet): JsonObject {
  const removed = difference(allFields(view.type, merged), allFields(view.type, pruned))
  return removeFields(view.type, merged, intersection(removed, last))
}

/** Returns the pruned object in the version of the request. */
function toRequested(view: View, pruned: JsonObject): JsonObject {
  try {
    return view.to(pruned)
  } catch (error) {
    if (error instanceof UnconvertibleError) throw new UnconvertibleError(`failed to prune fields: ${error.message}`)
    throw error
  }
}

/**
 * Whether the configuration still has all fields of the last apply. Its field set contains every path element above its members,
 * so nothing can be removed. With managers of other versions, the conversions to them may fail nevertheless.
 */
function coversLastApply({ apiVersion, last, applied, others }: Pruning): boolean {
  const isOneVersion = last.apiVersion === apiVersion && others.every((other) => other.apiVersion === apiVersion)
  return isOneVersion && isEmpty(difference(last.set, applied))
}

/**
 * Returns the merged object without the fields that no manager applies any more; the merged object itself if nothing is removed.
 */
export function prune(pruning: Pruning): JsonObject {
  const { merged, last, apiVersion, applied, others } = pruning
  if (isEmpty(last.set) || coversLastApply(pruning)) return merged
  const view = viewOf(pruning, last.apiVersion)
  if (view === undefined) return merged
  const before = withNamedFields(shapeOf(view.type), last.set)
  const whole = convertedAs('merged object to last applied version', view.from, merged, 'failed to prune fields: ')
  let objects: Objects = { view, merged: whole, pruned: removeFields(view.type, whole, before) }
  const owned = ownedByVersion([{ apiVersion, set: applied }, ...others])
  // The version of the last apply comes first: other conversions may depend on fields that are added back there.
  for (const version of new Set([last.apiVersion, ...owned.keys()])) {
    const set = owned.get(version)
    const next = version === last.apiVersion ? view : viewOf(pruning, version)
    if (set === undefined || next === undefined) continue
    objects = addBackOwned(inView(objects, next, `at version ${version}`, addingOwned), set)
  }
  const { pruned } = inView(objects, view, 'to last applied version', addingDangling)
  return toRequested(view, addBackDangling({ view, merged: whole, pruned }, before))
}
