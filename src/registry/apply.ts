/** The server-side apply verb: merges a configuration into the object, or creates it. Its field manager owns the fields. */

import { type Applied, type Apply, mergeConfiguration, requireTypes } from '../apply/apply.ts'
import { withLastApplied } from '../apply/last-applied.ts'
import { own } from '../apply/value.ts'
import { UnconvertibleError } from '../apply/versions.ts'
import type { Kind } from '../catalog/kind.ts'
import { areManagedFields } from '../catalog/managed-fields-list.ts'
import { parseJson, parseStoredJson } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { rfc3339Seconds } from '../go/time.ts'
import { ApiError, badRequest, conflict, notFound } from '../meta/errors.ts'
import type { KubernetesObject, ManagedFieldsEntry } from '../meta/object-meta.ts'
import { DecodeError, InternalConversionError } from '../schema/decode-run.ts'
import type { Stored } from '../storage/store.ts'
import { apart, scopeOfStored } from './apart.ts'
import { called, gvkText, metadataOf, textAt } from './configuration-name.ts'
import { createIn } from './create.ts'
import { otherVersionsOf, typeVariesOf } from './managed-fields.ts'
import { checkNameAndNamespace } from './name-check.ts'
import { noConversion, requireManagers } from './parity/cr-converter.ts'
import { type RepeatedKeys, reportRepeatedKeys } from './parity/unmarshal-strict.ts'
import type { WriteResult } from './registry.ts'
import { keyOf } from './stored-object.ts'
import { strategyOf } from './strategy.ts'
import { mayCreateBy } from './strategy-options.ts'
import type { SubresourceView } from './subresources/view.ts'
import { viewOf } from './subresources/views.ts'
import { updateIn } from './update.ts'
import { commitWrite, type WriteRequest, type WriteScope } from './write-scope.ts'

/** Options of an apply. */
interface ApplyOptions extends RepeatedKeys {
  readonly force: boolean
}

/** A configuration and its options. */
export interface ApplyRequest extends ApplyOptions {
  /** JSON: an object or null. */
  readonly text: string
}

/**
 * Applies a configuration.
 * @throws ApiError 400 for a document that is not a configuration of this object, 409 if other managers own its fields or it has
 *   a different resourceVersion or uid, 500 if it does not match the kind's type, 422 if the result is invalid, 404 for a
 *   subresource of an object that does not exist
 */
export function apply(write: WriteRequest, request: ApplyRequest): Promise<WriteResult> {
  const { kind, target } = write
  const document = parseJson(request.text)
  return commitWrite(write, (scope) => {
    requireTarget(scope)
    const configuration = configurationOf(viewOf(kind, target.subresource)?.kind ?? kind, document)
    return applyIn(scope, { ...request, configuration })
  })
}

/**
 * Checks that the object exists, unless apply may create it.
 * @throws ApiError 404
 */
function requireTarget({ transaction, kind, target: { namespace, name, subresource } }: WriteScope): void {
  if (mayCreateBy('apply', strategyOf(kind), subresource)) return
  if (transaction.get(keyOf(kind, namespace, name)) === undefined) throw notFound(kind, name)
}

/** Reads the document as a configuration of the kind. */
function configurationOf(kind: Kind, value: JsonValue): JsonObject {
  const configuration = isObject(value) ? value : {}
  const gvk = gvkText(textAt(configuration, 'apiVersion'), textAt(configuration, 'kind'))
  if (gvk !== gvkText(kind.apiVersion, kind.kind)) throw badRequest(`invalid object type: ${gvk}`)
  if (areManagedFields(own(metadataOf(configuration), 'managedFields'))) throw badRequest('metadata.managedFields must be nil')
  return configuration
}

/** A parsed configuration and its options. */
interface ApplyInput extends ApplyOptions {
  readonly configuration: JsonObject
}

/** Applies a parsed configuration within a commit. */
export function applyIn(unread: WriteScope, input: ApplyInput): WriteResult {
  const { transaction, kind, target, write } = unread
  const { configuration } = input
  const existing = transaction.get(keyOf(kind, target.namespace, target.name))
  const scope = scopeOfStored(unread, existing)
  const view = viewOf(kind, target.subresource)
  const bodyKind = view?.kind ?? kind
  const live = existing && liveOf(kind, view, existing)
  const isCustomScale = view !== undefined && kind.definition !== undefined
  if (isCustomScale) requireManagers(bodyKind, live)
  const applied = merged(scope, bodyKind, input, live)
  if (isCustomScale && applied.object !== live) throw noConversion(bodyKind, configuration)
  const object = decodeApplied(bodyKind, withLastApplied(applied.object, configuration, write.manager), live, configuration)
  return reportRepeatedKeys(input, () => {
    if (existing === undefined) return createApplied(scope, object, applied.managers)
    checkNameAndNamespace(object.metadata, target)
    const patched: WriteScope = { ...scope, write: { ...write, fromPatch: true } }
    return (view?.updateIn ?? updateIn)(patched, { existing, object, managers: applied.managers })
  })
}

/** Returns the object into which the configuration is merged, or its view. */
function liveOf(kind: Kind, view: SubresourceView | undefined, existing: Stored): JsonObject {
  const whole = parseStoredJson(`${kind.typeMetaPrefix}${kind.codec.toRequestVersion(existing.value).slice(1)}`) as JsonObject
  return view === undefined ? whole : view.beforePatch(kind, whole as unknown as KubernetesObject)
}

/**
 * Merges the configuration into the live object.
 * @param kind the kind of the configuration; that of the view if the subresource has one
 */
function merged(scope: WriteScope, kind: Kind, { configuration, force }: ApplyInput, live: JsonObject | undefined): Applied {
  const { registry, target, write } = scope
  const { subresource } = target
  const apply: Apply = {
    type: kind.type,
    apiVersion: kind.apiVersion,
    live,
    configuration,
    called: called(kind, configuration),
    calledLive: called(kind, live ?? {}),
    managers: (live as unknown as KubernetesObject | undefined)?.metadata.managedFields ?? [],
    manager: write.manager,
    subresource,
    time: rfc3339Seconds(registry.now()),
    // A view has no subresources, so none of its fields are reset.
    resetFields: strategyOf(kind).resetFieldsOf(kind === scope.kind ? subresource : ''),
    force,
    otherVersion: otherVersionsOf(registry, kind, subresource),
    ...typeVariesOf(kind),
    typeChanged: kind.codec.typeChanged,
  }
  const inputs = (): unknown => [configuration, live, force]
  try {
    apart(registry, 'typed', inputs, () => {
      requireTypes(apply)
      return true
    })
    return apart(registry, 'merged', inputs, () => mergeConfiguration(apply))
  } catch (error) {
    if (error instanceof UnconvertibleError) throw new ApiError(500, '', error.message)
    throw error
  }
}

/**
 * Decodes and defaults the merged object. The unchanged live object needs neither. The managedFields of a configuration that do
 * not decode are still part of the object, and an object with Go types cannot be made of them.
 */
function decodeApplied(
  kind: Kind,
  object: JsonObject,
  live: JsonObject | undefined,
  configuration: JsonObject,
): KubernetesObject {
  if (object === live) return object as unknown as KubernetesObject
  const { managedFields: _, ...rest } = metadataOf(object)
  const malformed = own(metadataOf(configuration), 'managedFields')
  const metadata = malformed === undefined ? rest : { ...rest, managedFields: malformed }
  try {
    return kind.codec.decodeUnstructured({ ...object, metadata }, 'Ignore').object
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    if (error instanceof InternalConversionError)
      throw new ApiError(500, '', `failed to convert to unversioned (${called(kind, configuration)}): ${error.message}`)
    const gvk = gvkText(kind.apiVersion, kind.kind)
    const why = `unable to convert unstructured object to ${gvk}: ${error.message}`
    throw new ApiError(500, '', `failed to convert new object (${called(kind, configuration)}) to proper version: ${why}`)
  }
}

function createApplied(scope: WriteScope, object: KubernetesObject, managers: readonly ManagedFieldsEntry[]): WriteResult {
  const { kind, target } = scope
  const { uid = '' } = object.metadata
  if (uid !== '') {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
    throw conflict(kind, target.name, why)
  }
  checkNameAndNamespace(object.metadata, target)
  return createIn(scope, { object, managers, storageCall: 'GuaranteedUpdate' })
}
