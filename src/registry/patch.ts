/** The patch verb: applies a patch to the stored object and updates it in the same commit, so that clients need no retries. */

import { type Decoded, type FieldValidation, refuseStrictly, StrictDecodeError } from '../catalog/decoded.ts'
import type { Kind } from '../catalog/kind.ts'
import type { PatchType } from '../clusters/operation.ts'
import { parseJson, parseStoredJson, stringify } from '../go/json.ts'
import { duplicateFields } from '../go/json-duplicates.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { nestedText } from '../go/nested-fields.ts'
import { goPrint } from '../go/print.ts'
import { escapeHtml, goQuote } from '../go/text.ts'
import { ApiError, invalid, notFound } from '../meta/errors.ts'
import { invalidValue } from '../meta/field-error.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import { readTypeMeta } from '../meta/type-meta.ts'
import { jsonPatch, jsonPatchStrictErrors, strictJsonPatch } from '../patch/json-patch.ts'
import { mergePatch } from '../patch/merge-patch.ts'
import { strategicMerge } from '../patch/strategic-merge-patch.ts'
import { conversionError } from '../schema/convert.ts'
import { DecodeError } from '../schema/decode-run.ts'
import type { Stored } from '../storage/store.ts'
import { apart, scopeOfStored } from './apart.ts'
import { checkNameAndNamespace } from './name-check.ts'
import { isInternal, unknownFields } from './parity/internal-version.ts'
import { lostInJson, restoreLost } from './parity/lost-in-json.ts'
import type { Registry, WriteResult } from './registry.ts'
import { keyOf } from './stored-object.ts'
import { strategyOf } from './strategy.ts'
import type { SubresourceView } from './subresources/view.ts'
import { viewOf } from './subresources/views.ts'
import { typeMetaError } from './type-meta.ts'
import { updateIn } from './update.ts'
import { commitWrite, type WriteRequest, type WriteScope } from './write-scope.ts'

/** A patch and its options. */
export interface PatchRequest {
  readonly patchType: PatchType
  readonly text: string
  readonly fieldValidation: FieldValidation
}

/** The result of a patch. */
interface Patched {
  readonly value: JsonValue
  /** Returns what the error quotes if the result is not an object of the kind. */
  readonly quoted: () => string
  /** The paths of keys that a JSON Patch repeats. */
  readonly repeated?: readonly string[]
}

type Engine = (current: JsonObject, patch: PatchRequest, kind: Kind) => Patched

/** Returns a result that errors quote as it is. */
const quoting = (value: JsonValue): Patched => ({ value, quoted: () => escapeHtml(stringify(value)) })

const engines: Readonly<Record<PatchType, Engine>> = {
  json: (current, { text, fieldValidation }) => {
    if (fieldValidation === 'Ignore') return quoting(jsonPatch(current, text, true))
    const { result, repeated } = strictJsonPatch(current, text)
    return { ...quoting(result), repeated }
  },
  merge: (current, patch) => quoting(mergePatch(current, patch.text, patch.fieldValidation === 'Ignore')),
  strategic: (current, request, kind) => {
    const { patched, patch: rest } = strategicMerge(current, request.text, kind.type)
    return { value: patched, quoted: () => goPrint(rest) }
  },
}

/**
 * Patches an object.
 * @throws ApiError 404, 400 for a malformed patch, 409 if it contains another resourceVersion than the current one, 422 if the
 *   result is not a valid object
 */
export function patch(write: WriteRequest, request: PatchRequest): Promise<WriteResult> {
  return commitWrite(write, (scope) => patchIn(scope, request))
}

function patchIn(unread: WriteScope, request: PatchRequest): WriteResult {
  const { transaction, kind, target, write } = unread
  const existing = transaction.get(keyOf(kind, target.namespace, target.name))
  if (existing === undefined) throw notFound(kind, target.name)
  const scope = scopeOfStored(unread, existing)
  const { registry } = scope
  const view = viewOf(kind, target.subresource)
  const { warnings, ...decoded } = decodedApart(registry, view?.kind ?? kind, [existing.value, request.text], () =>
    patchedOf(scope, existing, view, request),
  )
  const asPatched: WriteScope = { ...scope, write: { ...write, fromPatch: true } }
  const update = view?.updateIn ?? updateIn
  try {
    checkNameAndNamespace(decoded.object.metadata, target)
    const answer = update(asPatched, { ...decoded, existing })
    return { ...answer, warnings: [...warnings, ...(answer.warnings ?? [])] }
  } catch (error) {
    if (error instanceof ApiError) error.warning(warnings)
    throw error
  }
}

/**
 * Decodes an object. In a long write that is a part of its own: each attempt then parses the result, which it may change.
 * @param inputs all that the object depends on
 */
function decodedApart(registry: Registry, kind: Kind, inputs: readonly string[], decode: () => Decoded): Decoded {
  if (registry.isLongWrite !== true) return decode()
  const { text, lost, ...decoded } = apart(
    registry,
    'patched',
    () => inputs,
    () => {
      const { object, ...rest } = decode()
      return { ...rest, text: stringify(object as unknown as JsonObject), lost: lostInJson(object) }
    },
  )
  const object = parseJson(text, kind.codec.decodedNumbers) as unknown as KubernetesObject
  return { ...decoded, object: restoreLost(object, lost) }
}

/** Applies a patch to the stored object, and decodes the result. */
function patchedOf(
  { registry, kind }: WriteScope,
  existing: Stored,
  view: SubresourceView | undefined,
  request: PatchRequest,
): Decoded {
  const numbers = request.patchType === 'strategic' ? 'untyped' : strategyOf(kind).numbers
  const whole = parseStoredJson(
    `${kind.typeMetaPrefix}${kind.codec.toRequestVersion(existing.value).slice(1)}`,
    numbers,
  ) as JsonObject
  const current = view === undefined ? whole : view.beforePatch(kind, whole as unknown as KubernetesObject)
  const bodyKind = view?.kind ?? kind
  return decodePatched(registry, bodyKind, engines[request.patchType](current, request, bodyKind), request)
}

/** Decodes the result of a patch. */
function decodePatched(registry: Registry, kind: Kind, result: Patched, request: PatchRequest): Decoded {
  const { value: patched, quoted, repeated } = result
  const refuse = (why: string): ApiError => refuseResult(quoted(), why)
  if (request.patchType === 'strategic') return decodeConverted(kind, patched as JsonObject, request, refuse)
  const named = readTypeMeta(patched)
  if (typeof named !== 'string' && isInternal(kind, named)) return decodeInternal(kind, patched, request, refuse)
  const wrong = typeMetaError(kind, patched)
  if (wrong !== undefined) throw refuse(wrong)
  const declared = readTypeMeta(patched)
  if (typeof declared === 'string' || kind.codec.typeErrors(declared).length === 0)
    return decodeOwn(kind, patched, request, refuse, repeated)
  if (declared.kind === '') throw refuse(`Object 'Kind' is missing in '${quoted()}'`)
  const nested = isObject(patched) ? nestedText(patched, ['apiVersion']) : undefined
  if (nested !== undefined && 'error' in nested) throw refuse(nested.error)
  return refusing(refuse, () => {
    const complaints = request.fieldValidation === 'Ignore' ? [] : otherVersionComplaints(registry, kind, patched)
    refuseStrictly(request.fieldValidation, complaints)
    return { ...kind.codec.decode(patched, undefined, 'Ignore', declared), warnings: complaints, misnamed: declared }
  })
}

/** Decodes a result, and converts its errors to errors of the patch. */
function refusing(refuse: (why: string) => ApiError, read: () => Decoded): Decoded {
  try {
    return read()
  } catch (error) {
    if (error instanceof DecodeError || error instanceof StrictDecodeError) throw refuse(error.message)
    throw error
  }
}

/** Decodes the result of a patch whose apiVersion and kind are those of the request. */
function decodeOwn(
  kind: Kind,
  patched: JsonValue,
  request: PatchRequest,
  refuse: (why: string) => ApiError,
  repeated: readonly string[] = [],
): Decoded {
  const result = kind.codec.readPatched(patched, request.text)
  return decodeResult(request, refuse, (validation) => {
    const decoded = kind.codec.decode(result, undefined, validation)
    if (repeated.length === 0) return decoded
    return { ...decoded, warnings: [...duplicateComplaints(kind, repeated, decoded.warnings), ...decoded.warnings] }
  })
}

/** Returns the complaints about repeated keys. Keys below an unknown field of a built-in kind are never read. */
function duplicateComplaints(kind: Kind, repeated: readonly string[], complaints: readonly string[]): string[] {
  const isRead = (field: string): boolean =>
    kind.definition !== undefined ||
    !complaints.some((complaint) => {
      const unknown = complaint.startsWith('unknown field "') ? complaint.slice('unknown field "'.length, -1) : field
      return field.startsWith(unknown) && /^[.[]/.test(field.slice(unknown.length))
    })
  return repeated.filter(isRead).map((field) => `duplicate field ${goQuote(field)}`)
}

/** Decodes a result that declares the internal version, as an empty object. */
function decodeInternal(kind: Kind, patched: JsonValue, request: PatchRequest, refuse: (why: string) => ApiError): Decoded {
  return decodeResult(request, refuse, (validation) => ({
    ...kind.codec.decode({}, undefined, 'Ignore'),
    warnings: validation === 'Ignore' ? [] : unknownFields(patched),
  }))
}

/** Decodes the result of a strategic merge patch. kube-apiserver converts it without encoding it: its declared kind is ignored. */
function decodeConverted(kind: Kind, patched: JsonObject, request: PatchRequest, refuse: (why: string) => ApiError): Decoded {
  const object = { ...patched, kind: kind.kind, apiVersion: kind.apiVersion }
  const declared = [patched.kind ?? '', patched.apiVersion ?? ''].map((value) =>
    conversionError({ kind: 'string', go: 'string' }, value),
  )
  const why = declared.find((error) => error !== undefined) ?? conversionError(kind.type, object)
  if (why !== undefined) throw refuse(why)
  return decodeResult(request, refuse, (validation) => kind.codec.decodeUnstructured(object, validation))
}

function decodeResult(
  request: PatchRequest,
  refuse: (why: string) => ApiError,
  read: (validation: FieldValidation) => Decoded,
): Decoded {
  const { fieldValidation } = request
  const ofPatch = fieldValidation === 'Ignore' ? [] : patchComplaints(request)
  return refusing(refuse, () => {
    const decoded = read(fieldValidation === 'Strict' ? 'Warn' : fieldValidation)
    const complaints = [...ofPatch, ...decoded.warnings]
    refuseStrictly(fieldValidation, complaints)
    return { ...decoded, warnings: complaints }
  })
}

const rootFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/** Returns the unknown fields of a custom resource in the version that it declares; all fields if that version does not exist. */
function otherVersionComplaints(registry: Registry, kind: Kind, patched: JsonValue): readonly string[] {
  const declared = readTypeMeta(patched)
  if (typeof declared === 'string' || declared.kind !== kind.kind || !isObject(patched)) return []
  const [group = '', version = ''] = declared.apiVersion.split('/')
  if (group !== kind.group) return []
  const other = registry.kindOf(group, version, kind.resource)
  if (other !== undefined) return other.codec.decode(patched, undefined, 'Warn').warnings
  const unknown = Object.keys(patched).filter((key) => !rootFields.has(key))
  return unknown.sort().map((key) => `unknown field ${goQuote(key)}`)
}

/**
 * Returns the 422 error of a patch.
 * @param quoted the result as JSON, or what a strategic merge has left of the patch
 */
const refuseResult = (quoted: string, why: string): ApiError =>
  invalid({ group: '', kind: '' }, '', [invalidValue('patch', quoted, why)])

/** Returns the strict errors of the patch document: duplicate fields, and unknown fields of a JSON patch. */
function patchComplaints({ patchType, text }: PatchRequest): string[] {
  return patchType === 'json' ? jsonPatchStrictErrors(text) : duplicateFields(text).map((f) => `duplicate field ${goQuote(f)}`)
}
