/** patch: what is there, changed by a document, then written as an update is; retried here and never by the client. */
import type { Kind } from '../catalog/kind.ts'
import type { FieldValidation, PatchType, Target, WriteOptions } from '../clusters/operation.ts'
import { type ApiError, invalid, notFound } from '../meta/errors.ts'
import { invalidValue } from '../meta/field-error.ts'
import { goQuote } from '../meta/go-text.ts'
import { parseJson, stringify } from '../meta/json.ts'
import { duplicateFields } from '../meta/json-duplicates.ts'
import type { JsonObject, JsonValue } from '../meta/json-value.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import { jsonPatch, jsonPatchStrictErrors } from '../patch/json-patch.ts'
import { mergePatch } from '../patch/merge-patch.ts'
import { strategicMergePatch } from '../patch/strategic-merge-patch.ts'
import { DecodeError } from '../schema/decode-run.ts'
import type { Transaction } from '../storage/store.ts'
import { type Decoded, decodeObject, StrictDecodeError } from './field-validation.ts'
import { checkIdentity } from './identity.ts'
import type { Answer, Registry } from './registry.ts'
import { keyOf, shownValue } from './stored-object.ts'
import { viewOf } from './subresources/views.ts'
import { customTypeErrors, typeMetaError } from './type-meta.ts'
import { updateIn } from './update.ts'

/** A patch and how it is meant. */
export interface PatchRequest {
  readonly patchType: PatchType
  readonly text: string
  readonly fieldValidation: FieldValidation
}

type Engine = (current: JsonObject, patch: PatchRequest, kind: Kind) => JsonValue

const engines: Readonly<Record<PatchType, Engine>> = {
  json: (current, patch) => jsonPatch(current, patch.text, patch.fieldValidation === 'Ignore'),
  merge: (current, patch) => mergePatch(current, patch.text, patch.fieldValidation === 'Ignore'),
  strategic: (current, patch, kind) => strategicMergePatch(current, patch.text, kind.type),
}

/**
 * @throws ApiError 404, 400 for a document that is no patch, 409 for a version in it that is not the current one,
 *   422 where the result is no valid object
 */
export function patch(
  registry: Registry,
  kind: Kind,
  target: Target,
  write: WriteOptions,
  request: PatchRequest,
): Promise<Answer> {
  return registry.store.write((transaction) => patchIn(registry, transaction, kind, target, write, request))
}

function patchIn(
  registry: Registry,
  transaction: Transaction,
  kind: Kind,
  target: Target,
  write: WriteOptions,
  request: PatchRequest,
): Answer {
  const existing = transaction.get(keyOf(kind, target.namespace, target.name))
  if (existing === undefined) throw notFound(kind, target.name)
  const view = viewOf(kind, target.subresource)
  const bodyKind = view?.kind ?? kind
  const whole = parseJson(`${kind.prologue}${shownValue(kind, existing.value).slice(1)}`) as JsonObject
  const current = view === undefined ? whole : view.beforePatch(kind, whole as unknown as KubernetesObject)
  const patched = engines[request.patchType](current, request, bodyKind)
  const { object, warnings } = decodePatched(bodyKind, patched, request)
  checkIdentity(object.metadata, target)
  const answer = (view?.updateIn ?? updateIn)(
    registry,
    transaction,
    kind,
    target,
    { ...write, fromPatch: true },
    existing,
    object,
  )
  return { ...answer, warnings: [...warnings, ...(answer.warnings ?? [])] }
}

/** The result of a patch may be no object of the kind: that is told of the patch, with the result in full. */
function decodePatched(kind: Kind, patched: JsonValue, request: PatchRequest): Decoded {
  const refuse = (why: string): ApiError => invalid({ group: '', kind: '' }, '', [invalidValue('patch', stringify(patched), why)])
  const misnamed = customTypeErrors(kind, patched)
  if (misnamed.length > 0) throw invalid(kind, nameOf(patched), misnamed)
  const wrong = kind.custom === undefined ? typeMetaError(kind, patched) : undefined
  if (wrong !== undefined) throw refuse(wrong)
  const ofPatch = request.fieldValidation === 'Ignore' ? [] : patchComplaints(request)
  try {
    const decoded = decodeObject(
      kind,
      patched,
      undefined,
      request.fieldValidation === 'Strict' ? 'Warn' : request.fieldValidation,
    )
    const complaints = [...ofPatch, ...decoded.warnings]
    if (request.fieldValidation === 'Strict' && complaints.length > 0) {
      throw new StrictDecodeError(`strict decoding error: ${complaints.join(', ')}`)
    }
    return { object: decoded.object, warnings: complaints }
  } catch (error) {
    if (error instanceof DecodeError || error instanceof StrictDecodeError) throw refuse(error.message)
    throw error
  }
}

const nameOf = (object: JsonValue): string =>
  String((object as { readonly metadata?: { readonly name?: string } } | null)?.metadata?.name ?? '')

/** What the document itself holds twice, or that is no part of a patch. */
function patchComplaints({ patchType, text }: PatchRequest): string[] {
  return patchType === 'json' ? jsonPatchStrictErrors(text) : duplicateFields(text).map((f) => `duplicate field ${goQuote(f)}`)
}
