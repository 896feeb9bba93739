/**
 * Sets of paths into an object: the fields that a manager owns or a write changes. Follows fieldpath.Set of
 * structured-merge-diff.
 *
 * A set has the form of `fieldsV1`, so that stored sets need no parsing and no encoding: an object whose keys are path elements
 * (path-element.ts) in their order. A path element with an empty object is a member of the set; one with a non-empty object is a
 * member if `.` is among its keys. The root never has `.`. Sets are immutable.
 */
import type { JsonObject } from '../go/json-value.ts'
import { fieldElement, sortElements } from './path-element.ts'
import { isEmptyObject } from './value.ts'

/** A set of paths, or the part of a set below a path element. */
export interface PathSet {
  readonly [element: string]: PathSet
}

/** A set under construction. Keys must be added in the order of path elements. */
export interface PathSetBuilder {
  [element: string]: PathSet
}

/** Marks a member that has members below it. */
export const SELF = '.'

/** The empty set; below a path element, a member without members below. */
export const EMPTY: PathSet = Object.freeze({})

/** Returns the set of a managedFields entry that this engine wrote. For entries from clients, use parseFieldsV1. */
export function storedPathSet(fieldsV1: JsonObject | undefined): PathSet {
  return fieldsV1 === undefined ? EMPTY : (fieldsV1 as PathSet)
}

/** Whether the set is empty. */
export const isEmpty: (set: PathSet) => boolean = isEmptyObject

/** Whether the path element of `node` is itself a member. */
export function isMember(node: PathSet): boolean {
  return SELF in node || isEmptyObject(node)
}

/**
 * Returns the node with these members below (whose own mark is ignored), itself a member or not; undefined if it would be empty.
 */
function nodeOf(below: PathSet, member: boolean): PathSet | undefined {
  if (isEmptyObject(below)) return member ? below : undefined
  if (SELF in below === member) return below
  if (member) return { [SELF]: EMPTY, ...below }
  const { [SELF]: _, ...others } = below
  return nodeOf(others, false)
}

/** Combines two nodes with the same path element; undefined if the result is empty. */
type Combine = (left: PathSet, right: PathSet) => PathSet | undefined

/**
 * Returns `left` with the nodes of common path elements combined, or `left` itself if nothing changes. Path elements of `right`
 * alone are ignored. `right` is usually the smaller one: the fields of a write, among all fields of a manager.
 */
function combineShared(left: PathSet, right: PathSet, combine: Combine): PathSet {
  let changes: Map<string, PathSet | undefined> | undefined
  for (const element in right) {
    const node = left[element]
    const other = right[element]
    if (element === SELF || node === undefined || other === undefined) continue
    const combined = combine(node, other)
    if (combined === node) continue
    changes ??= new Map()
    changes.set(element, combined)
  }
  if (changes === undefined) return left
  const result: PathSetBuilder = {}
  for (const element in left) {
    if (element === SELF) continue
    const node = changes.has(element) ? changes.get(element) : left[element]
    if (node !== undefined) result[element] = node
  }
  return result
}

/** Returns the members of `left` that are not members of `right`. Fields below a member of `right` stay. */
export function difference(left: PathSet, right: PathSet): PathSet {
  return left === EMPTY || right === EMPTY ? left : combineShared(left, right, differenceOfNodes)
}

function differenceOfNodes(left: PathSet, right: PathSet): PathSet | undefined {
  return nodeOf(difference(left, right), isMember(left) && !isMember(right))
}

/** Returns the members of `left` that are neither members of `right` nor below one. */
export function recursiveDifference(left: PathSet, right: PathSet): PathSet {
  return combineShared(left, right, (node, other) =>
    isMember(other) ? undefined : nodeOf(recursiveDifference(node, other), isMember(node)),
  )
}

/** Returns the members of both. */
export function intersection(left: PathSet, right: PathSet): PathSet {
  const result: PathSetBuilder = {}
  for (const element in left) {
    const node = left[element]
    const other = right[element]
    if (element === SELF || node === undefined || other === undefined) continue
    const combined = nodeOf(intersection(node, other), isMember(node) && isMember(other))
    if (combined !== undefined) result[element] = combined
  }
  return result
}

/** Returns the members of either, or `left` itself if `right` adds nothing. */
export function union(left: PathSet, right: PathSet): PathSet {
  const shared = combineShared(left, right, (node, other) => nodeOf(union(node, other), isMember(node) || isMember(other)))
  const added = Object.keys(right).filter((element) => element !== SELF && !(element in left))
  if (added.length === 0) return shared
  const result: PathSetBuilder = {}
  for (const element of sortElements([...Object.keys(shared), ...added])) {
    if (element !== SELF) result[element] = shared[element] ?? right[element] ?? EMPTY
  }
  return result
}

/** Returns the members of any of the sets. Merges in pairs, so that a growing set is not copied for each of many small ones. */
export function unionOf(sets: readonly PathSet[]): PathSet {
  const [first = EMPTY, second = EMPTY] = sets
  if (sets.length <= 2) return union(first, second)
  const half = sets.length >> 1
  return union(unionOf(sets.slice(0, half)), unionOf(sets.slice(half)))
}

/** Whether both have the same members. */
export function equals(left: PathSet, right: PathSet): boolean {
  if (left === right) return true
  let count = 0
  for (const element in left) {
    const node = left[element]
    const other = right[element]
    if (node === undefined || other === undefined || !equals(node, other)) return false
    count++
  }
  for (const _ in right) count--
  return count === 0
}

/** Whether the path is a member. */
export function has(set: PathSet, path: readonly string[]): boolean {
  let node: PathSet | undefined = set
  for (const element of path) node = node?.[element]
  return path.length > 0 && node !== undefined && isMember(node)
}

/** Yields all members, those of a node before those below them. Follows the order of fieldpath.Set.Iterate. */
export function* members(set: PathSet, prefix: readonly string[] = []): Generator<readonly string[]> {
  const below = Object.entries(set).filter(([element]) => element !== SELF)
  for (const [element, node] of below) if (isMember(node)) yield [...prefix, element]
  for (const [element, node] of below) yield* members(node, [...prefix, element])
}

/** Returns the members without members below them. */
export function leaves(set: PathSet): PathSet {
  const result: PathSetBuilder = {}
  for (const [element, node] of Object.entries(set)) {
    if (element !== SELF) result[element] = leaves(node)
  }
  return result
}

/** Returns the set of these paths, each given as names of fields: `paths([['spec'], ['metadata', 'labels']])`. */
export function paths(lists: readonly (readonly string[])[]): PathSet {
  return unionOf(lists.map(pathOf))
}

function pathOf(names: readonly string[]): PathSet {
  return names.reduceRight<PathSet>((below, name) => ({ [fieldElement(name)]: below }), EMPTY)
}
