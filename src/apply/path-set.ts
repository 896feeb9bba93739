/**
 * Sets of paths into an object: what a manager owns, what a write changed. Follows structured-merge-diff's fieldpath.Set.
 *
 * A set is held in the form in which `fieldsV1` shows it, so that what is stored needs no parsing and no encoding: an object
 * whose keys are steps (path-element.ts) in their order. A step with an empty object is a member of the set; one whose object
 * has keys is a member where `.` is among them. The root's own `.` means nothing and is never there. Sets are never changed.
 */
import type { JsonObject } from '../go/json-value.ts'
import { fieldElement, sortElements } from './path-element.ts'
import { isEmptyObject } from './value.ts'

/** A set of paths, or the part of one below a step. */
export interface PathSet {
  readonly [element: string]: PathSet
}

/** A set under construction. Keys are to be added in the order of steps. */
export interface PathSetBuilder {
  [element: string]: PathSet
}

/** The mark of a member that has members below it. */
export const SELF = '.'

/** The empty set; below a step: the member without members below. */
export const EMPTY: PathSet = Object.freeze({})

/** The set that an entry of managedFields holds which this engine wrote. What clients sent is to be read with parseFieldsV1. */
export function storedPathSet(fieldsV1: JsonObject | undefined): PathSet {
  return fieldsV1 === undefined ? EMPTY : (fieldsV1 as PathSet)
}

/** Whether the set has no paths. */
export const isEmpty: (set: PathSet) => boolean = isEmptyObject

/** Whether the step that leads to `node` is itself a member. */
export function isMember(node: PathSet): boolean {
  return SELF in node || isEmptyObject(node)
}

/** What stands below a step: `below` (its own mark ignored) and whether the step is a member. Undefined for nothing at all. */
function nodeOf(below: PathSet, member: boolean): PathSet | undefined {
  if (isEmptyObject(below)) return member ? EMPTY : undefined
  if (SELF in below === member) return below
  if (member) return { [SELF]: EMPTY, ...below }
  const { [SELF]: _, ...others } = below
  return nodeOf(others, false)
}

/** How two nodes below the same step become one, undefined for nothing. */
type Combine = (left: PathSet, right: PathSet) => PathSet | undefined

/** `left` with the nodes that both have combined: `left` itself where that changes nothing. Steps of `right` alone are left out. */
function combineShared(left: PathSet, right: PathSet, combine: Combine): PathSet {
  const result: PathSetBuilder = {}
  let changed = false
  for (const element in left) {
    if (element === SELF) continue
    const node = left[element] ?? EMPTY
    const other = right[element]
    const combined = other === undefined ? node : combine(node, other)
    if (combined !== node) changed = true
    if (combined !== undefined) result[element] = combined
  }
  return changed ? result : left
}

/** The members of `left` that are not members of `right`. Membership is exact: what lies below a member of `right` stays. */
export function difference(left: PathSet, right: PathSet): PathSet {
  return left === EMPTY || right === EMPTY ? left : combineShared(left, right, differenceOfNodes)
}

function differenceOfNodes(left: PathSet, right: PathSet): PathSet | undefined {
  return nodeOf(difference(left, right), isMember(left) && !isMember(right))
}

/** The members of `left` that are neither members of `right` nor below one. */
export function recursiveDifference(left: PathSet, right: PathSet): PathSet {
  return combineShared(left, right, (node, other) =>
    isMember(other) ? undefined : nodeOf(recursiveDifference(node, other), isMember(node)),
  )
}

/** The members of both. */
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

/** The members of either. Gives `left` itself where `right` adds nothing. */
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

/** The members of any of the sets. Merges in pairs, so that many small sets do not copy a growing one again and again. */
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

/** All members, those of a node before those further below. Follows the order of fieldpath.Set.Iterate. */
export function* members(set: PathSet, prefix: readonly string[] = []): Generator<readonly string[]> {
  const below = Object.entries(set).filter(([element]) => element !== SELF)
  for (const [element, node] of below) if (isMember(node)) yield [...prefix, element]
  for (const [element, node] of below) yield* members(node, [...prefix, element])
}

/** The members that have no members below them. */
export function leaves(set: PathSet): PathSet {
  const result: PathSetBuilder = {}
  for (const [element, node] of Object.entries(set)) {
    if (element !== SELF) result[element] = leaves(node)
  }
  return result
}

/** The set of these paths, each given by the names of its fields: `paths([['spec'], ['metadata', 'labels']])`. */
export function paths(lists: readonly (readonly string[])[]): PathSet {
  return unionOf(lists.map(pathOf))
}

function pathOf(names: readonly string[]): PathSet {
  return names.reduceRight<PathSet>((below, name) => ({ [fieldElement(name)]: below }), EMPTY)
}
