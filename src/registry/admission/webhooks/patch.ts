/** Applies the patch of a mutating webhook. Follows callAttrMutatingHook of the package webhook/mutating. */
import { equalValues } from '../../../apply/value.ts'
import { StrictDecodeError } from '../../../catalog/decoded.ts'
import type { Kind } from '../../../catalog/kind.ts'
import { allKinds } from '../../../catalog/scheme.ts'
import { parseJson, parseStoredJson } from '../../../go/json.ts'
import { isObject } from '../../../go/json-object.ts'
import { JsonSyntaxError } from '../../../go/json-syntax.ts'
import type { JsonObject, JsonValue } from '../../../go/json-value.ts'
import { goQuote } from '../../../go/text.ts'
import { ApiError, internalError } from '../../../meta/errors.ts'
import { readTypeMeta, scheme } from '../../../meta/type-meta.ts'
import { jsonPatch } from '../../../patch/json-patch.ts'
import { JsonPatchRefusal } from '../../../patch/json-patch-refusal.ts'
import { decode } from '../../../schema/decode.ts'
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
 * @param text the JSON of the object with apiVersion and kind
 * @throws ApiError 500 if the patch cannot be applied, or its result is not an object of the kind
 */
export function applyPatch(kind: Kind, text: string, patch: string): Patched {
  const before = parseStoredJson(text, kind.codec.decodedNumbers) as JsonObject
  try {
    const patched = kind.codec.readPatched(jsonPatch(before, patch, true), patch)
    checkTypeMeta(kind, patched)
    const { object: decoded } = kind.codec.decode(ofOwnType(kind, patched), undefined, 'Ignore')
    const { apiVersion: _apiVersion, kind: _kind, ...object } = decoded as unknown as JsonObject
    const { apiVersion: _before, kind: _ofBefore, ...original } = before
    return { object, isChanged: !equalValues(object, original) }
  } catch (error) {
    if (error instanceof JsonPatchRefusal) throw internalError(error.why)
    if (error instanceof DecodeError || error instanceof StrictDecodeError) throw internalError(error.message)
    if (error instanceof ApiError) throw internalError(error.message)
    throw error
  }
}

/**
 * Checks the apiVersion and kind of a patched object of a built-in kind; missing ones are its own.
 * @throws DecodeError if it is of another type
 */
function checkTypeMeta(kind: Kind, patched: JsonValue): void {
  const declared = readTypeMeta(patched)
  if (typeof declared === 'string') throw new DecodeError(declared)
  const actual = { apiVersion: declared.apiVersion || kind.apiVersion, kind: declared.kind || kind.kind }
  if (kind.definition !== undefined || (actual.apiVersion === kind.apiVersion && actual.kind === kind.kind)) return
  for (const other of allKinds()) {
    if (other.kind !== actual.kind || other.apiVersion !== actual.apiVersion) continue
    decode(other.type, patched)
    throw new DecodeError(`converting (${other.version}.${other.kind}) to (${kind.version}.${kind.kind}): unknown conversion`)
  }
  const where = `is registered for version ${goQuote(actual.apiVersion)} in scheme ${goQuote(scheme)}`
  throw new DecodeError(`no kind ${goQuote(actual.kind)} ${where}`)
}

/** Returns a patched object with the apiVersion and kind of its kind, which a patch may have removed. */
const ofOwnType = ({ apiVersion, kind }: Kind, patched: JsonValue): JsonValue =>
  isObject(patched) ? { ...patched, apiVersion, kind } : patched
