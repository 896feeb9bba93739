/** JSON Merge Patch (RFC 7386), with kube-apiserver's errors. */

import { mayOverflow } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { badRequest } from '../meta/errors.ts'
import { checkNumbers, jsonType, readPatch, sortedObject } from './decode.ts'

const PREFIX = 'error decoding patch: '

const notAPatch = (): Error => badRequest('Invalid JSON Patch')

function readStrictly(text: string): JsonObject {
  const patch = readPatch(text, 'verbatim', PREFIX)
  if (patch === null) throw notAPatch()
  if (!isObject(patch)) {
    throw badRequest(`${PREFIX}json: cannot unmarshal ${jsonType(patch)} into Go value of type map[string]interface {}`)
  }
  if (mayOverflow(text)) checkNumbers(patch, PREFIX)
  return patch
}

function readLeniently(text: string): JsonObject | JsonValue[] {
  let patch: JsonValue
  try {
    patch = readPatch(text, 'verbatim', '')
  } catch {
    throw notAPatch()
  }
  if (!isObject(patch) && !Array.isArray(patch)) throw notAPatch()
  return patch
}

/**
 * Returns the value to set if the target is not an object: members of objects that are null are dropped, nulls in arrays are
 * kept.
 */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return sortedObject(members.map(([key, member]) => [key, withoutNulls(member)]))
}

function mergeObjects(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, mergeValue(merged.get(key), value))
  }
  return sortedObject(merged)
}

function mergeValue(current: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(current)) return withoutNulls(patch)
  // A value that replaces an object is taken unchanged, with the nulls of objects inside arrays.
  return isObject(patch) ? mergeObjects(current, patch) : patch
}

/**
 * Applies a JSON Merge Patch and returns the result. The target is not changed; the result shares all values that the patch does
 * not touch. Objects that the patch touches get sorted keys, the others keep their order. Follows evanphx/json-patch v4 and
 * kube-apiserver's patch handler.
 * @param lenient fieldValidation=Ignore: a patch that is an array is then the result, without the nulls of its objects
 * @throws ApiError 400 if the body is not a merge patch
 * @example
 * mergePatch({ data: { a: '1', b: '2' } }, '{"data":{"a":null,"c":"3"}}', false) // { data: { b: '2', c: '3' } }
 */
export function mergePatch(target: JsonObject, patchText: string, lenient: boolean): JsonValue {
  const patch = lenient ? readLeniently(patchText) : readStrictly(patchText)
  return Array.isArray(patch) ? withoutNulls(patch) : mergeObjects(target, patch)
}
