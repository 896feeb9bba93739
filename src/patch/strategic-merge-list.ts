/** Strategic merge of lists: objects by merge key, scalars as sets. */

import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { goPrint, goPrintText, goTypeOf } from '../go/print.ts'
import { ApiError, badRequest } from '../meta/errors.ts'
import type { Identity } from './strategic-merge-keys.ts'
import { identityOf, KeyIndex, mergeKeyOf, setOf } from './strategic-merge-keys.ts'
import type { PatchField, TypeReference } from './strategic-merge-metadata.ts'
import { goKind, noMergeKey, unexpectedType, unhandledError } from './strategic-merge-metadata.ts'
import { inOrder } from './strategic-merge-order.ts'

/** Merges the patch of an object into the object. */
export type MergeObjects = (original: JsonObject, patch: JsonObject, reference: TypeReference) => JsonObject

const BAD_PRIMITIVES = 'invalid patch format of primitive list'

const areObjects = (elementType: string): boolean => elementType === goTypeOf({})

/** Returns the Go type of all elements of the lists. */
function elementTypeOf(lists: readonly (readonly JsonValue[])[]): string {
  const [first, ...others] = lists.flat()
  if (first === undefined) throw unhandledError('no elements in any of the given slices')
  // kube-apiserver panics on a list that begins with null.
  if (first === null) throw badRequest(BAD_PRIMITIVES)
  if (Array.isArray(first)) {
    throw new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {})
  }
  const type = goTypeOf(first)
  if (others.some((element) => goTypeOf(element) !== type)) {
    throw unhandledError(`list element types are not identical: ${goPrint(lists.map((list) => [...list]))}`)
  }
  return type
}

/** A list and its patch after the patch's `$patch` directives are applied. */
interface WithoutDirectives {
  readonly original: readonly JsonValue[]
  readonly patch: readonly JsonObject[]
  /** The original list without the deleted elements, even if the patch replaces it. */
  readonly remaining: readonly JsonValue[]
}

/** A merged list, and the order of the server's elements after the merge. */
interface MergedList {
  readonly list: JsonValue[]
  readonly server: readonly JsonValue[]
}

/** Removes the elements with `$patch` from the patch and applies them. */
function followDirectives(original: readonly JsonValue[], patch: readonly JsonObject[], mergeKey: string): WithoutDirectives {
  const plain = patch.filter((element) => !Object.hasOwn(element, '$patch'))
  const deleted = new Set<Identity>()
  let replaces = false
  for (const element of patch) {
    if (!Object.hasOwn(element, '$patch')) continue
    const directive = element.$patch ?? null
    if (directive === 'replace') replaces = true
    else if (directive === 'delete') deleted.add(identityOf(mergeKeyOf(element, mergeKey)))
    else if (directive === 'merge') throw unhandledError('merging lists cannot yet be specified in the patch')
    else throw unhandledError(`unknown patch type: ${goPrintText(directive)} in map: ${goPrint(element)}`)
  }
  const isDeleted = (element: JsonValue): boolean =>
    isObject(element) && Object.hasOwn(element, mergeKey) && deleted.has(identityOf(element[mergeKey] ?? null))
  const remaining = original.filter((element) => !isDeleted(element))
  return replaces ? { original: plain, patch: [], remaining } : { original: remaining, patch: plain, remaining }
}

function mergeByKey({ original, patch }: WithoutDirectives, field: PatchField, mergeObjects: MergeObjects): JsonValue[] {
  const merged = [...original]
  const index = new KeyIndex(merged, field.mergeKey)
  for (const element of patch) {
    if (!Object.hasOwn(element, field.mergeKey)) throw noMergeKey(element, field.mergeKey)
    const key = element[field.mergeKey] ?? null
    const position = index.find(key)
    const current = position === undefined ? undefined : merged[position]
    if (position !== undefined && isObject(current)) merged[position] = mergeObjects(current, element, field.reference)
    else index.add(key, merged.push(element) - 1)
  }
  return merged
}

/**
 * Merges lists of objects. kube-apiserver deletes in place, so new elements occupy the freed positions at the end of the server's
 * order.
 */
function mergeObjectLists(
  original: readonly JsonValue[],
  patch: readonly JsonObject[],
  field: PatchField,
  mergeObjects: MergeObjects,
): MergedList {
  const { mergeKey } = field
  if (mergeKey === '') throw unhandledError(`cannot merge lists without merge key for ${goKind(field.reference)}`)
  const directed = followDirectives(original, patch, mergeKey)
  const merged = mergeByKey(directed, field, mergeObjects)
  const added = directed.patch.length === 0 ? [] : merged.slice(directed.original.length)
  return {
    list: inOrder(merged, { patch: directed.patch, server: directed.original }, { areObjects: true, mergeKey }),
    server: [...directed.remaining, ...added.slice(0, original.length - directed.remaining.length)],
  }
}

function mergeWithOrder(
  original: readonly JsonValue[],
  patch: JsonValue[],
  field: PatchField,
  mergeObjects: MergeObjects,
): MergedList {
  if (field.strategy !== 'merge' || original.length + patch.length === 0) return { list: patch, server: original }
  if (areObjects(elementTypeOf([original, patch]))) return mergeObjectLists(original, patch.filter(isObject), field, mergeObjects)
  const merged = new Map([...original, ...patch].map((element) => [identityOf(element), element]))
  const elements = { areObjects: false, mergeKey: field.mergeKey }
  return { list: inOrder([...merged.values()], { patch, server: original }, elements), server: original }
}

/**
 * Merges two lists by the field's strategy.
 * @throws ApiError 500 for elements of different types or without a merge key, 422 for lists of lists
 */
export function mergeLists(
  original: readonly JsonValue[],
  patch: JsonValue[],
  field: PatchField,
  mergeObjects: MergeObjects,
): JsonValue[] {
  return mergeWithOrder(original, patch, field, mergeObjects).list
}

/**
 * Returns the list without the elements in `$deleteFromPrimitiveList`. A list of objects is merged instead.
 * @throws ApiError as mergeLists
 */
export function deleteFromList(
  original: readonly JsonValue[],
  deleted: JsonValue[],
  field: PatchField,
  mergeObjects: MergeObjects,
): JsonValue[] {
  if (original.length === 0 && deleted.length === 0) return deleted
  if (areObjects(elementTypeOf([original, deleted]))) {
    return mergeLists(original, deleted, { ...field, strategy: 'merge' }, mergeObjects)
  }
  const deletedSet = setOf(deleted, BAD_PRIMITIVES)
  return original.filter((element) => !deletedSet.has(identityOf(element)))
}

/** Whether the element of the patch and the element of the order have the same identity. */
function isSame(element: JsonValue, ordered: JsonValue, mergeKey: string): boolean {
  if (mergeKey !== '') return identityOf(mergeKeyOf(element, mergeKey)) === identityOf(mergeKeyOf(ordered, mergeKey))
  if (goTypeOf(element) === goTypeOf(ordered)) setOf([element], BAD_PRIMITIVES)
  return identityOf(element) === identityOf(ordered)
}

const isDirective = (element: JsonValue): boolean => isObject(element) && Object.hasOwn(element, '$patch')

function isDeletion(element: JsonValue): boolean {
  if (!isObject(element)) throw unexpectedType('map[string]interface {}', element)
  return element.$patch === 'delete'
}

/** Checks that the elements of the patch's list are in `$setElementOrder`, in the same order. */
function checkOrder(patch: readonly JsonValue[], order: readonly JsonValue[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return
  const checked = mergeKey === '' ? patch : patch.filter((element) => !isDeletion(element))
  let next = 0
  for (const ordered of order) {
    while (next < checked.length && isDirective(checked[next] ?? null)) next++
    if (next < checked.length && isSame(checked[next] ?? null, ordered, mergeKey)) next++
  }
  if (next < checked.length) {
    const orderText = goPrint([...order])
    throw unhandledError(
      `The order in patch list:\n${goPrint([...patch])}\n doesn't match $setElementOrder list:\n${orderText}\n`,
    )
  }
}

function elementsWithoutDirectives(list: readonly JsonValue[]): JsonValue[] {
  return list.map(withoutDirectives).filter((element) => element !== undefined)
}

/** Removes the parts with a `$patch`, in place; undefined if the value itself has one. */
export function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return elementsWithoutDirectives(value)
  if (!isObject(value)) return value
  if (Object.hasOwn(value, '$patch')) return undefined
  for (const [key, member] of Object.entries(value)) {
    const kept = withoutDirectives(member)
    if (kept === undefined) delete value[key]
    else if (kept !== member) Object.defineProperty(value, key, { value: kept })
  }
  return value
}

/** The input of `$setElementOrder`: the lists of the object and of the patch, if they have one, and the order. */
export interface OrderedLists {
  readonly original: readonly JsonValue[] | undefined
  readonly patch: JsonValue[] | undefined
  readonly order: readonly JsonValue[]
}

/**
 * Merges and sorts the list as the patch orders; undefined if neither the object nor the patch has the list.
 * @throws ApiError 500 if the patch's list contradicts the order, and as mergeLists
 */
export function mergeOrdered(lists: OrderedLists, field: PatchField, mergeObjects: MergeObjects): JsonValue[] | undefined {
  const { original, patch, order } = lists
  checkOrder(patch ?? [], order, field.mergeKey)
  if (original === undefined && patch === undefined) return undefined
  const elements = { areObjects: areObjects(elementTypeOf([original ?? [], patch ?? []])), mergeKey: field.mergeKey }
  const merged =
    original === undefined || patch === undefined
      ? { list: original ?? elementsWithoutDirectives(patch ?? []), server: original ?? [] }
      : mergeWithOrder(original, patch, field, mergeObjects)
  return inOrder(merged.list, { patch: order, server: merged.server }, elements)
}
