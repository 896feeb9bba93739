/** JSON Merge Patch (RFC 7386), with the answers of kube-apiserver. */

import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { badRequest } from '../meta/errors.ts'
import { checkNumbers, jsonType, mayOverflow, readPatch, sortedObject } from './decode.ts'

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

/** What is set where nothing is to be merged with: nulls are instructions in objects, and plain values in arrays. */
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
  // Whatever replaces an object is taken as it stands, with the nulls of objects inside an array.
  return isObject(patch) ? mergeObjects(current, patch) : patch
}

/**
 * The target as the merge patch makes it. The target is not changed; what the patch does not touch is shared with it.
 * Objects that the patch reaches into have their keys sorted, the others keep their order. With `lenient`
 * (fieldValidation=Ignore) a patch that is an array is the result, without the nulls of its objects.
 * Follows evanphx/json-patch v4 and kube-apiserver's patch handler.
 * @throws ApiError 400 for a body that is no merge patch
 */
export function mergePatch(target: JsonObject, patchText: string, lenient: boolean): JsonValue {
  const patch = lenient ? readLeniently(patchText) : readStrictly(patchText)
  return Array.isArray(patch) ? withoutNulls(patch) : mergeObjects(target, patch)
}
