/**
 * The order of merged lists: elements of the patch are in the patch's order, the others in the object's order, and both are
 * interleaved by the object's order as far as possible.
 */
import { isObject } from '../go/json-object.ts'
import type { JsonValue } from '../go/json-value.ts'
import type { Identity } from './strategic-merge-keys.ts'
import { identityOf, KeyIndex, mergeKeyOf, setOf } from './strategic-merge-keys.ts'

/** The way to identify the elements of a list. */
export interface Elements {
  readonly areObjects: boolean
  /** '' if the elements have no merge key. */
  readonly mergeKey: string
}

/** The two orders by which a list is sorted. */
export interface Orders {
  readonly patch: readonly JsonValue[]
  readonly server: readonly JsonValue[]
}

/** The length up to which Go uses insertion sort, whose result differs if the order is contradictory. */
const INSERTION_SORTED = 20

const BAD_PRIMITIVES = 'invalid patch format of primitive list'

/** Returns the position of an element in an order; -1 if it is not there. */
type Position = (element: JsonValue) => number

function positionsIn(order: readonly JsonValue[], { areObjects, mergeKey }: Elements): Position {
  const identity = (element: JsonValue): Identity => {
    if (!areObjects) return identityOf(element)
    return isObject(element) && Object.hasOwn(element, mergeKey) ? identityOf(element[mergeKey] ?? null) : null
  }
  const positions = new Map<Identity, number>()
  for (const [position, element] of order.entries()) {
    const key = identity(element)
    if (!positions.has(key)) positions.set(key, position)
  }
  return (element) => positions.get(identity(element)) ?? -1
}

/**
 * Sorts by insertion. An element that is not in the order compares as smaller in both directions, so the element that moved last
 * wins.
 */
function insertionSort(elements: JsonValue[], position: Position): JsonValue[] {
  const before = (a: JsonValue, b: JsonValue): boolean => position(a) < 0 || position(b) < 0 || position(a) < position(b)
  for (let i = 1; i < elements.length; i++) {
    const element = elements[i] ?? null
    let at = i
    while (at > 0 && before(element, elements[at - 1] ?? null)) at--
    elements.splice(i, 1)
    elements.splice(at, 0, element)
  }
  return elements
}

function sortedBy(list: readonly JsonValue[], order: readonly JsonValue[], elements: Elements): JsonValue[] {
  const isDeleted = (element: JsonValue): boolean => elements.areObjects && isObject(element) && element.$patch === 'delete'
  if (elements.areObjects) for (const element of [...list, ...order]) mergeKeyOf(element, elements.mergeKey)
  const position = positionsIn(order, elements)
  const kept = list.filter((element) => !isDeleted(element))
  const isComplete = kept.every((element) => position(element) >= 0)
  const sorted =
    isComplete || kept.length > INSERTION_SORTED ? kept.sort((a, b) => position(a) - position(b)) : insertionSort(kept, position)
  return [...sorted, ...list.filter(isDeleted)]
}

/** Inserts the server's elements into the patch's, each before the first one that follows it in the server's order. */
function interleaved(server: readonly JsonValue[], patch: readonly JsonValue[], position: Position): JsonValue[] {
  const all: JsonValue[] = []
  let next = 0
  for (const element of patch) {
    const limit = position(element)
    while (next < server.length) {
      const candidate = server[next] ?? null
      const at = position(candidate)
      if (at < 0 || at >= limit) break
      all.push(candidate)
      next++
    }
    all.push(element)
  }
  return [...all, ...server.slice(next)]
}

/** Returns a predicate that tells whether the patch's order contains an element. */
function namedIn(order: readonly JsonValue[], merged: readonly JsonValue[], mergeKey: string): (element: JsonValue) => boolean {
  if (mergeKey !== '') {
    const index = new KeyIndex(order, mergeKey)
    return (element) => index.find(mergeKeyOf(element, mergeKey)) !== undefined
  }
  setOf(merged, BAD_PRIMITIVES)
  const named = setOf(order, BAD_PRIMITIVES)
  return (element) => named.has(identityOf(element))
}

/**
 * Sorts a merged list.
 * @throws ApiError 500 for elements without a merge key, 400 for elements that cannot be compared
 */
export function inOrder(merged: readonly JsonValue[], orders: Orders, elements: Elements): JsonValue[] {
  const isNamed = namedIn(orders.patch, merged, elements.mergeKey)
  const patch: JsonValue[] = []
  const serverOnly: JsonValue[] = []
  for (const element of merged) (isNamed(element) ? patch : serverOnly).push(element)
  return interleaved(
    sortedBy(serverOnly, orders.server, elements),
    sortedBy(patch, orders.patch, elements),
    positionsIn(orders.server, elements),
  )
}
