/** Strategic Merge Patch, with kube-apiserver's errors. */

import { mayOverflow, setKey } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { goPrint, goPrintText, goTypeOf } from '../go/print.ts'
import { badRequest } from '../meta/errors.ts'
import type { Type } from '../schema/type.ts'
import { checkNumbers, jsonType, readPatch } from './decode.ts'
import { identityOf, setOf } from './strategic-merge-keys.ts'
import { deleteFromList, mergeLists, mergeOrdered, withoutDirectives } from './strategic-merge-list.ts'
import type { TypeReference } from './strategic-merge-metadata.ts'
import { listField, objectField, unexpectedType, unhandledError } from './strategic-merge-metadata.ts'

/** The result of a strategic merge. */
export interface StrategicMerge {
  readonly patched: JsonObject
  /**
   * The patch without the parts that the merge consumed. kube-apiserver's error for a `patched` that cannot be decoded contains
   * it in Go syntax.
   */
  readonly patch: JsonObject
}

const RETAIN_KEYS = '$retainKeys'
const DELETE_FROM_PRIMITIVE_LIST = '$deleteFromPrimitiveList'
const SET_ELEMENT_ORDER = '$setElementOrder'

const BAD_FORMAT = {
  [RETAIN_KEYS]: 'invalid patch format of retainKeys',
  [DELETE_FROM_PRIMITIVE_LIST]: 'invalid patch format of primitive list',
  [SET_ELEMENT_ORDER]: 'invalid patch format of setElementOrder list',
}

/** Returns the name of the list in a key like `$setElementOrder/ports`. */
function listOf(key: string, directive: typeof DELETE_FROM_PRIMITIVE_LIST | typeof SET_ELEMENT_ORDER): string {
  if (!key.startsWith(`${directive}/`)) throw badRequest(BAD_FORMAT[directive])
  return key.slice(directive.length + 1)
}

function memberOf(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

function discardNulls(value: JsonValue): void {
  if (Array.isArray(value)) value.forEach(discardNulls)
  if (!isObject(value)) return
  for (const [key, member] of Object.entries(value)) {
    if (member === null) delete value[key]
    else discardNulls(member)
  }
}

/** Sets the patch's value without its nulls and directives. */
function setWithoutDirectives(merged: JsonObject, key: string, value: JsonValue): void {
  discardNulls(value)
  const kept = withoutDirectives(value)
  if (kept === undefined) delete merged[key]
  else setKey(merged, key, kept)
}

/** Applies a `$patch` directive to the object that contains it. */
function followDirective(directive: JsonValue, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {}
  if (directive !== 'replace') throw unhandledError(`unknown patch type: ${goPrintText(directive)} in map: ${goPrint(patch)}`)
  delete patch.$patch
  return patch
}

/** Applies `$retainKeys`, which removes all other keys. The patch must not set other keys. */
function retainKeys(merged: JsonObject, patch: JsonObject): void {
  const keys = memberOf(patch, RETAIN_KEYS)
  if (keys === undefined) return
  delete patch[RETAIN_KEYS]
  if (!Array.isArray(keys)) throw badRequest(BAD_FORMAT[RETAIN_KEYS])
  const retained = setOf(keys, BAD_FORMAT[RETAIN_KEYS])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(DELETE_FROM_PRIMITIVE_LIST) || key.startsWith(SET_ELEMENT_ORDER)) continue
    if (!retained.has(identityOf(key))) throw badRequest(BAD_FORMAT[RETAIN_KEYS])
  }
  for (const key of Object.keys(merged)) if (!retained.has(identityOf(key))) delete merged[key]
}

function listAt(object: JsonObject, key: string): JsonValue[] | undefined {
  const list = memberOf(object, key)
  if (list !== undefined && !Array.isArray(list)) throw unexpectedType(goTypeOf([]), list)
  return list
}

/** Merges the lists for which the patch sets an order, and removes them from the patch. */
function mergeOrderedLists(merged: JsonObject, patch: JsonObject, type: TypeReference): void {
  for (const directive of Object.keys(patch).filter((key) => key.startsWith(SET_ELEMENT_ORDER))) {
    const order = patch[directive] ?? null
    delete patch[directive]
    if (!Array.isArray(order)) throw unexpectedType(goTypeOf([]), order)
    const key = listOf(directive, SET_ELEMENT_ORDER)
    const lists = { original: listAt(merged, key), patch: listAt(patch, key), order }
    const list = mergeOrdered(lists, listField(type, key), mergeObjects)
    if (list === undefined) continue
    setKey(merged, key, list)
    delete patch[key]
  }
}

function mergeMember(merged: JsonObject, patchKey: string, value: JsonValue, type: TypeReference): void {
  const deletes = patchKey.startsWith(DELETE_FROM_PRIMITIVE_LIST)
  const key = deletes ? listOf(patchKey, DELETE_FROM_PRIMITIVE_LIST) || patchKey : patchKey
  const current = memberOf(merged, key)
  if (value === null) delete merged[key]
  else if (isObject(current) && isObject(value)) {
    const field = objectField(type, key)
    setKey(merged, key, field.strategy === 'replace' ? value : mergeObjects(current, value, field.reference))
  } else if (Array.isArray(current) && Array.isArray(value)) {
    const merge = deletes ? deleteFromList : mergeLists
    setKey(merged, key, merge(current, value, listField(type, key), mergeObjects))
  } else if (!deletes) setWithoutDirectives(merged, key, value)
  else if (current !== undefined && goTypeOf(current) === goTypeOf(value)) setKey(merged, key, value)
}

/** Merges a patch into a copy of the original, and removes consumed parts from the patch. */
function mergeObjects(original: JsonObject, patch: JsonObject, type: TypeReference): JsonObject {
  const directive = memberOf(patch, '$patch')
  if (directive !== undefined) return followDirective(directive, patch)
  const merged = { ...original }
  retainKeys(merged, patch)
  mergeOrderedLists(merged, patch, type)
  for (const [key, value] of Object.entries(patch)) mergeMember(merged, key, value, type)
  return merged
}

function read(text: string): JsonObject {
  const patch = readPatch(text, 'unstructured', '')
  if (patch === null) return {}
  if (!isObject(patch)) {
    throw badRequest(`json: cannot unmarshal ${jsonType(patch)} into Go value of type map[string]interface {}`)
  }
  if (mayOverflow(text)) checkNumbers(patch, '')
  return patch
}

/**
 * Applies a Strategic Merge Patch to a copy of the target, which must fit the type. The result shares all values that the patch
 * does not touch. Follows k8s.io/apimachinery/pkg/util/strategicpatch and kube-apiserver's patch handler, which answers most
 * errors about the content of a patch with 500.
 * @throws ApiError 400 for a body that is not a patch or malformed directives, 422 for lists of lists, 500 for values that cannot
 *   be merged
 */
export function strategicMerge(target: JsonObject, patchText: string, type: Type): StrategicMerge {
  const patch = read(patchText)
  return { patched: mergeObjects(target, patch, { type, pointer: false }), patch }
}

/**
 * Applies a Strategic Merge Patch and returns the result. The target must fit the type and is not changed.
 * @throws ApiError as strategicMerge
 * @example
 * const pod = resolver.resolve('core/v1.Pod')
 * const target = { spec: { containers: [{ name: 'a', image: 'x' }] } }
 * strategicMergePatch(target, '{"spec":{"containers":[{"name":"b","image":"y"}]}}', pod)
 * // { spec: { containers: [{ name: 'b', image: 'y' }, { name: 'a', image: 'x' }] } }
 */
export function strategicMergePatch(target: JsonObject, patchText: string, type: Type): JsonValue {
  return strategicMerge(target, patchText, type).patched
}
