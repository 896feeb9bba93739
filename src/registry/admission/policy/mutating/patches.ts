/** Applies the results of mutations to objects. Follows the package policy/mutating/patch. */
import { atomicFields } from '../../../../apply/atomic-fields.ts'
import { merge } from '../../../../apply/merge.ts'
import { validationErrors } from '../../../../apply/validate.ts'
import type { Kind } from '../../../../catalog/kind.ts'
import { jsonOf, NativeError, nativeObject, typeNameErrors } from '../../../../cel/native-values.ts'
import { PatchObject } from '../../../../cel/patch-objects.ts'
import { ListValue, type Value } from '../../../../cel/value.ts'
import { stringify } from '../../../../go/json.ts'
import type { JsonObject, JsonValue } from '../../../../go/json-value.ts'
import { jsonPatch } from '../../../../patch/json-patch.ts'
import { JsonPatchRefusal } from '../../../../patch/json-patch-refusal.ts'
import { DecodeError } from '../../../../schema/decode-run.ts'
import { MutationError } from './mutation-error.ts'
import { decodePatched, decodePatchedOptions, withTypeMeta } from './patched-document.ts'

/** The object to which mutations are applied. */
export interface Patched {
  /** The kind of the object, in its version; undefined for the options of a connection. */
  readonly kind: Kind | undefined
  /** Whether the OpenAPI document of the kind's version describes it: not so for a Scale and for options. */
  readonly isDescribed: boolean
  /** The object with apiVersion and kind. */
  readonly object: JsonObject
}

/** Formats the kind of an object as Go does: `apps/v1, Kind=Deployment`; the core group is empty. */
function kindText({ apiVersion, kind }: JsonObject): string {
  const version = String(apiVersion)
  return `${version.includes('/') ? version : `/${version}`}, Kind=${String(kind)}`
}

/** Decodes and defaults an object that was merged from parts. @throws MutationError if a field has a wrong type */
function decodeMerged(kind: Kind, merged: JsonObject): JsonObject {
  try {
    return withTypeMeta(kind, kind.codec.decodeUnstructured(merged, 'Ignore').object)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new MutationError(`unable to convert unstructured object to ${kindText(merged)}: ${error.message}`)
  }
}

/** Converts a value. @throws MutationError if it has no JSON form */
function converted<T>(convert: () => T, context: string): T {
  try {
    return convert()
  } catch (error) {
    if (error instanceof NativeError) throw new MutationError(`${context}${error.message}`)
    throw error
  }
}

/**
 * Merges an `Object{…}` into the object as server-side apply does, without owners.
 * @returns the object, decoded and defaulted
 * @throws MutationError if the value or the object does not fit the type of the object, or the value writes an atomic value
 */
export function applyMutation({ kind, isDescribed, object }: Patched, value: Value): JsonObject {
  if (!(value instanceof PatchObject)) throw new MutationError('unsupported return type from ApplyConfiguration expression')
  const misnamed = typeNameErrors(value)
  if (misnamed !== undefined) throw new MutationError(`type mismatch: ${misnamed}`)
  const native = converted(() => nativeObject(value), '')
  const { apiVersion = null, kind: name = null } = object
  const configuration = { ...native.object, apiVersion, kind: name }
  const refuse = (why: string): MutationError => new MutationError(`error applying patch: ${why}`)
  if (kind === undefined || !isDescribed) {
    throw refuse(`failed to convert patch object to typed object: no corresponding type for ${kindText(object)}`)
  }
  const errors = validationErrors(kind.type, configuration, native.values)
  if (errors !== undefined) throw refuse(`failed to convert patch object to typed object: ${errors}`)
  const atomic = atomicFields(kind.type, configuration)
  if (atomic.length > 0) {
    throw refuse(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomic.join(', ')}`)
  }
  // Objects that validation would reject come here: policies run before it.
  const unfit = validationErrors(kind.type, object, undefined, 'allowed')
  if (unfit !== undefined) throw refuse(`failed to convert original object to typed object: ${unfit}`)
  return decodeMerged(kind, merge(kind.type, object, configuration))
}

/** Returns the text of an operation's member; undefined if it is absent. */
function textOf(operation: PatchObject, member: 'op' | 'path' | 'from'): string | undefined {
  const value = operation.fields.get(member)
  return typeof value === 'string' ? value : undefined
}

function operationOf(operation: Value): JsonObject {
  if (!(operation instanceof PatchObject)) {
    throw new MutationError('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch')
  }
  const from = textOf(operation, 'from') ?? ''
  const value = operation.fields.get('value')
  const misnamed = value instanceof PatchObject ? typeNameErrors(value) : undefined
  if (misnamed !== undefined) throw new MutationError(`type mismatch: ${misnamed}`)
  return {
    op: textOf(operation, 'op') ?? '',
    path: textOf(operation, 'path') ?? '',
    ...(from !== '' && { from }),
    ...(value !== undefined && { value: converted(() => jsonOf(value), unmarshalable) }),
  }
}

/** The beginning of the message for values of operations that have no JSON form. */
const unmarshalable = 'JSONPath valueExpression evaluated to a type that could not marshal to JSON: '

/**
 * Applies a list of `JSONPatch{…}` to the object. A failed test leaves the object as it is.
 * @returns the object, decoded and defaulted
 * @throws MutationError if an operation cannot be applied, ApiError 500 if the result does not fit the type of the object
 */
export function patchMutation({ kind, object }: Patched, value: Value): JsonObject {
  if (!(value instanceof ListValue)) {
    throw new MutationError('type mismatch: JSONPatchType.expression should evaluate to array')
  }
  const operations = value.elements.map(operationOf)
  let document: JsonValue
  try {
    document = jsonPatch(object, stringify(operations), true)
  } catch (error) {
    if (!(error instanceof JsonPatchRefusal)) throw error
    if (error.why.endsWith(': test failed')) return object
    throw new MutationError(`JSON Patch: ${error.why}`)
  }
  return kind === undefined ? decodePatchedOptions(String(object.kind), document) : decodePatched(kind, document)
}
