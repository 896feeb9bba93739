/** Parses `fieldsV1` from clients. Follows fieldpath.Set.FromJSON of structured-merge-diff. */

import { isObject } from '../go/json-object.ts'
import type { JsonValue } from '../go/json-value.ts'
import { badRequest } from '../meta/errors.ts'
import { canonicalElement, sortElements } from './path-element.ts'
import type { PathSet, PathSetBuilder } from './path-set.ts'
import { EMPTY, SELF, union } from './path-set.ts'
import { isEmptyObject } from './value.ts'

/** No schema is nested as deeply as this; parsing is recursive. */
const MAX_DEPTH = 1000

/**
 * Returns the set in its canonical form. Unknown kinds of path elements are dropped, as upstream does.
 * @throws ApiError 400 if it is not a fieldsV1
 */
export function parseFieldsV1(fieldsV1: JsonValue): PathSet {
  const { [SELF]: _, ...set } = parseNode(fieldsV1, 0)
  return set
}

function parseNode(value: JsonValue, depth: number): PathSet {
  if (value === null) return EMPTY
  if (!isObject(value)) throw badRequest('fieldsV1 must be an object')
  if (depth > MAX_DEPTH) throw badRequest('fieldsV1 is nested too deeply')
  const nodes = new Map<string, PathSet>()
  for (const [text, below] of Object.entries(value)) {
    if (text === SELF) continue
    const element = canonicalElement(text)
    if (element === undefined) continue
    const known = nodes.get(element)
    const node = parseNode(below, depth + 1)
    nodes.set(element, known === undefined ? node : mergedNodes(known, node))
  }
  return nodes.size === 0 ? EMPTY : sortedNode(nodes, Object.hasOwn(value, SELF))
}

function sortedNode(nodes: ReadonlyMap<string, PathSet>, member: boolean): PathSet {
  const node: PathSetBuilder = member ? { [SELF]: EMPTY } : {}
  for (const element of sortElements([...nodes.keys()])) node[element] = nodes.get(element) ?? EMPTY
  return node
}

/** Merges two nodes whose path elements have different texts but are equal. */
function mergedNodes(left: PathSet, right: PathSet): PathSet {
  const member = [left, right].some((node) => isEmptyObject(node) || SELF in node)
  const below = union(left, right)
  if (!member || isEmptyObject(below) || SELF in below) return below
  return { [SELF]: EMPTY, ...below }
}
