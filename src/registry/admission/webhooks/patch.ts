/** Applies the patch of a mutating webhook. Follows callAttrMutatingHook of the package webhook/mutating. */
import { equalValues } from '../../../apply/value.ts'
import { StrictDecodeError } from '../../../catalog/decoded.ts'
import type { Kind } from '../../../catalog/kind.ts'
import { parseJson } from '../../../go/json.ts'
import { isObject } from '../../../go/json-object.ts'
import { JsonSyntaxError } from '../../../go/json-syntax.ts'
import type { JsonObject, JsonValue } from '../../../go/json-value.ts'
import { ApiError, internalError } from '../../../meta/errors.ts'
import { readTypeMeta } from '../../../meta/type-meta.ts'
import { jsonPatch } from '../../../patch/json-patch.ts'
import { JsonPatchRefusal } from '../../../patch/json-patch-refusal.ts'
import { DecodeError } from '../../../schema/decode-run.ts'

/** A patch that is not a JSON Patch: the failure of a call. */
export class UndecodablePatch extends Error {}

/**
 * Parses a patch.
 * @returns undefined if it has no operations
 * @throws UndecodablePatch with Go's text
 */
export function decodePatch(text: string): JsonValue[] | undefined {
  let patch: JsonValue
  try {
    patch = parseJson(text, 'verbatim')
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw new UndecodablePatch(error.message)
  }
  if (patch === null) return undefined
  if (!Array.isArray(patch))
    throw new UndecodablePatch(`json: cannot unmarshal ${typeName(patch)} into Go value of type jsonpatch.Patch`)
  const wrong = patch.find((operation) => operation !== null && !isObject(operation))
  if (wrong !== undefined)
    throw new UndecodablePatch(`json: cannot unmarshal ${typeName(wrong)} into Go value of type jsonpatch.Operation`)
  return patch.length === 0 ? undefined : patch
}

function typeName(value: JsonValue): string {
  if (Array.isArray(value)) return 'array'
  if (isObject(value)) return 'object'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** An object after a patch. */
export interface Patched {
  /** Decoded and defaulted, without apiVersion and kind. */
  readonly object: JsonObject
  /** Whether the patch has changed it. */
  readonly isChanged: boolean
}

/**
 * Applies a patch to an object.
 * @param kind in the version of the object
 * @param before the object with apiVersion and kind
 * @throws ApiError 500 if the patch cannot be applied, or its result is not an object of the kind
 */
export function applyPatch(kind: Kind, before: JsonObject, patch: string): Patched {
  try {
    const patched = jsonPatch(before, patch, true)
    checkTypeMeta(patched)
    const {
      apiVersion: _apiVersion,
      kind: _kind,
      ...object
    } = kind.codec.decode(kind.codec.readPatched(patched, patch), undefined, 'Ignore').object as unknown as JsonObject
    const { apiVersion: _before, kind: _ofBefore, ...original } = before
    return { object, isChanged: !equalValues(object, original) }
  } catch (error) {
    if (error instanceof JsonPatchRefusal) throw internalError(error.why)
    if (error instanceof DecodeError || error instanceof StrictDecodeError) throw internalError(error.message)
    if (error instanceof ApiError) throw internalError(error.message)
    throw error
  }
}

/** @throws DecodeError if the object has no kind or apiVersion */
function checkTypeMeta(patched: JsonValue): void {
  const typeMeta = readTypeMeta(patched)
  if (typeof typeMeta === 'string') throw new DecodeError(typeMeta)
}
