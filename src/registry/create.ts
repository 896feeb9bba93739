/**
 * The create verb: stores a new object under its name or a generated one. Follows rest.BeforeCreate and the registry's Create.
 */
import { type DecodedObject, shareLabels } from '../catalog/decoded.ts'
import type { Kind } from '../catalog/kind.ts'
import { withinBound } from '../catalog/validation/checks.ts'
import type { Target } from '../clusters/operation.ts'
import { parseJson } from '../go/json.ts'
import { rfc3339Seconds } from '../go/time.ts'
import { ApiError, alreadyExists, badRequest, detailsOf, type GroupKind, invalid } from '../meta/errors.ts'
import type { FieldError } from '../meta/field-error.ts'
import { nameIsPathSegment } from '../meta/names.ts'
import type { KubernetesObject, ManagedFieldsEntry, ObjectMeta } from '../meta/object-meta.ts'
import { validateObjectMeta, validateStandardFinalizers } from '../meta/object-meta-validation.ts'
import { readObjectResourceVersion } from '../meta/resource-version.ts'
import { recordExplicitEmpty } from '../schema/explicit-empty.ts'
import { access } from './access.ts'
import { admitWrite, validateWrite } from './admission/write.ts'
import type { CreateContext, StrategyContext } from './hooks.ts'
import { setManagers, settled, trackCreate } from './managed-fields.ts'
import { requireNamespaceAtCommit } from './namespace-at-commit.ts'
import { dedupeOwners } from './owner-references.ts'
import { requireOwnerSubscriptions } from './owners.ts'
import type { WriteResult } from './registry.ts'
import { clearPaths } from './reset.ts'
import { keepForm } from './stored-form.ts'
import { keyOf, storedOf, toStorageVersion, toStrategyVersion } from './stored-object.ts'
import { type Strategy, strategyOf } from './strategy.ts'
import { commitWrite, type SentObject, strategyContext, type WriteRequest, type WriteScope, withWarnings } from './write-scope.ts'

/** The maximum number of attempts to generate a free name. */
const nameAttempts = 8

/**
 * Creates an object.
 * @throws ApiError 409 AlreadyExists, 422 with all validation errors
 */
export function create(request: WriteRequest, { text, explicitEmpty, sharesLabels }: SentObject): Promise<WriteResult> {
  const object = parseJson(text, request.kind.codec.decodedNumbers) as unknown as KubernetesObject
  if (sharesLabels === true) shareLabels(object)
  return commitWrite(request, (scope) => createIn(scope, { object, explicitEmpty }))
}

/** Fields that the server removes from the object of a POST before its admission. */
const ownedByServer = ['selfLink', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const

/** The input of a create. The object is in the version of the request and is modified. */
interface CreateInput extends DecodedObject {
  /** managedFields that apply has computed. If absent, all fields are assigned to the request's manager. */
  readonly managers?: readonly ManagedFieldsEntry[]
  /** Allows a resourceVersion in the object. It has no effect, but a dry run returns it. */
  readonly mayNameVersion?: true
}

/** Creates an object within a commit. Also used by a PUT or an apply that creates. */
export function createIn(scope: WriteScope, { object: sent, explicitEmpty, managers, mayNameVersion }: CreateInput): WriteResult {
  const { registry, kind, target, write } = scope
  const object = settled(kind, sent)
  if (!write.dryRun) requireOwnerSubscriptions(registry.owners, object)
  const strategy = strategyOf(kind)
  const written = strategyContext(scope)
  const now = registry.now()
  requireNamespace(object.metadata, target)
  dedupeOwners(object.metadata, 'body', (text) => written.warnings.add(text))
  if (mayNameVersion === undefined) for (const owned of ownedByServer) delete object.metadata[owned]
  if (managers !== undefined) setManagers(object, managers)
  else trackCreate(registry, kind, object, write.manager, strategy.resetFieldsOf(target.subresource), now, target.subresource)
  kind.codec.nullEmptyLists(object)
  return withWarnings(written.warnings, () => {
    admitWrite(scope, object)
    const { name = '', generateName = '', resourceVersion: requestedVersion = '' } = object.metadata
    const context: CreateContext = { ...written, isNameGenerated: name === '' && generateName !== '' }
    if (mayNameVersion === true) readObjectResourceVersion(requestedVersion)
    const stored = toStrategyVersion(kind, object)
    if (explicitEmpty !== undefined) recordExplicitEmpty(stored, explicitEmpty)
    prepare(scope, stored, strategy, context)
    validate(scope, strategy, context, { object: stored, explicitEmpty })
    strategy.warn?.({ object: stored, subresource: '' }, context.warnings)
    requireCreate(kind, target, context)
    validateWrite(scope, stored)
    if (mayNameVersion === undefined && !write.dryRun) refuseVersion(requestedVersion)
    if (managers !== undefined) kind.codec.normalize(stored)
    // Policies and webhooks see the version that the client has sent.
    delete stored.metadata.resourceVersion
    // A dry run returns the selfLink of a PUT, an apply or a policy.
    if (!write.dryRun) delete stored.metadata.selfLink
    return storeNew(scope, stored, requestedVersion)
  })
}

/** Stores a new object that admission has allowed. @throws ApiError 409 if its name is taken, those of its namespace */
function storeNew(scope: WriteScope, object: KubernetesObject, requestedVersion: string): WriteResult {
  const { registry, kind, transaction, write, form } = scope
  const key = keyOf(kind, object.metadata.namespace ?? '', object.metadata.name ?? '')
  const existing = transaction.get(key)
  if (existing !== undefined) throw taken(kind, object.metadata, existing.value)
  const { readDefaults } = strategyOf(kind)
  readDefaults?.set(object)
  const kept = toStorageVersion(kind, object)
  if (write.dryRun) return { code: 201, text: kind.codec.withTypeMeta(kind.codec.encode(kept, requestedVersion)) }
  requireNamespaceAtCommit(scope, object)
  const record = storedOf(kind, key, kept, transaction.nextResourceVersion())
  transaction.put(record)
  if (form !== undefined) transaction.afterCommit(() => keepForm(registry.store, record, form))
  return { code: 201, text: kind.codec.withTypeMeta(record.value) }
}

/**
 * Rejects an object to create that has a resourceVersion.
 * @throws ApiError 500
 */
function refuseVersion(resourceVersion: string): void {
  if (/^[1-9]\d*$/.test(resourceVersion))
    throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created')
}

/** Returns the kind of the storage version, which strategies of built-in kinds see. */
function storageKindOf({ registry, kind }: WriteScope): Kind {
  const { group, version, resource } = kind.storage
  return kind.conversion === undefined ? kind : (registry.kindOf(group, version, resource) ?? kind)
}

function prepare(scope: WriteScope, object: KubernetesObject, strategy: Strategy, context: CreateContext): void {
  const { registry, target } = scope
  const meta = object.metadata
  requireNamespace(meta, target)
  const refusal = strategy.authorizeWrite?.(object, undefined, context)
  if (refusal !== undefined) throw refusal
  if (context.isNameGenerated) chooseName(scope, object, strategy)
  meta.uid = registry.names.uid(keyOf(scope.kind, meta.namespace ?? '', meta.name ?? ''))
  meta.creationTimestamp = rfc3339Seconds(context.now)
  if (strategy.generation !== 'none') meta.generation = 1
  clearPaths(storageKindOf(scope), object, strategy.createResets)
  if (target.subresource === '') strategy.beginCreate?.(object, context)
  strategy.prepareForCreate?.(object, context)
}

/**
 * Sets the namespace of the request, unless the object names another one: then a policy or webhook has changed it.
 * Follows EnsureObjectNamespaceMatchesRequestNamespace.
 * @throws ApiError 400
 */
export function requireNamespace(meta: ObjectMeta, { namespace }: Target): void {
  if (namespace === '') {
    delete meta.namespace
    return
  }
  if ((meta.namespace ?? '') !== '' && meta.namespace !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  meta.namespace = namespace
}

/**
 * Requires the permission `create` for a PUT or an apply that creates: it was authorized only as `update` or `patch`.
 * @throws ApiError 403
 */
function requireCreate(kind: Kind, { namespace, name }: Target, context: StrategyContext): void {
  if (name === '') return
  const { group, version, resource } = kind
  const answer = access(context, { verb: 'create', group, version, resource, namespace, name })
  if (!answer.allowed) throw new ApiError(403, 'Forbidden', answer.refusal, detailsOf(kind, name))
}

/** Generates a name. After too many attempts it may be one that is taken. */
function chooseName(scope: WriteScope, { metadata: meta }: KubernetesObject, strategy: Strategy): void {
  const { registry, transaction, kind } = scope
  if (strategy.generatedName === 'base') {
    meta.name = meta.generateName ?? ''
    return
  }
  for (let attempt = 1; attempt <= nameAttempts; attempt++) {
    meta.name = registry.names.name(meta.generateName ?? '')
    if (transaction.get(keyOf(kind, meta.namespace ?? '', meta.name)) === undefined) return
  }
}

function validate(
  { kind, registry }: WriteScope,
  strategy: Strategy,
  context: StrategyContext,
  { object, explicitEmpty }: DecodedObject,
): void {
  const { lookups } = registry
  const isOwn = strategy.metadataOnCreate === 'own'
  const looked = lookups && strategy.lookUpErrors?.(object, undefined, explicitEmpty, lookups, kind)
  const ofKind = looked ?? withinBound(() => strategy.validate?.(object, kind) ?? [])
  const own = [...(isOwn ? kindMetaErrors(object, strategy, kind) : []), ...ofKind]
  const found = strategy.permit?.(own, object, undefined, context) ?? own
  // A name that the kind does not check must still be a valid path segment.
  const isWhole = isOwn && strategy.generateName === 'checked'
  const errors = found.length > 0 || isWhole ? found : commonMetaErrors(object, kind)
  if (errors.length > 0) throw invalid(storedAs(kind), object.metadata.name ?? '', errors)
}

/** Returns the group and kind for the errors of a write, which name the group of the storage version. */
export const storedAs = ({ kind, storage }: Kind): GroupKind => ({ group: storage.group, kind })

/** Returns the errors in finalizers, if the kind's own validation checks them. */
export const finalizerErrors = ({ finalizers = [] }: ObjectMeta, strategy: Strategy): FieldError[] =>
  strategy.finalizers === 'known' ? validateStandardFinalizers(finalizers, 'metadata.finalizers') : []

/** Returns the errors in metadata by the rules for all kinds. */
export const commonMetaErrors = ({ metadata }: KubernetesObject, { namespaced }: Kind): FieldError[] =>
  validateObjectMeta(metadata, { namespaced, validateName: nameIsPathSegment })

/** Returns the errors that the kind's own validation finds in metadata. */
export function kindMetaErrors(object: KubernetesObject, strategy: Strategy, { namespaced }: Kind): FieldError[] {
  const { metadata } = object
  const { generateName, validateName, validateNameOf } = strategy
  const rules = { namespaced, generateName, validateName: validateNameOf?.(object) ?? validateName }
  return [...validateObjectMeta(metadata, rules), ...finalizerErrors(metadata, strategy)]
}

/** Returns the 409 error for a generated name that is taken. Its retryAfterSeconds asks the client to try again. */
function generatedNameTaken(kind: Kind, name: string): ApiError {
  const error = alreadyExists(kind, name)
  const message = `${error.message}, the server was not able to generate a unique name for the object`
  return new ApiError(error.code, error.reason, message, { ...error.details, retryAfterSeconds: 1 })
}

function taken(kind: Kind, { name = '', generateName = '' }: ObjectMeta, value: string): ApiError {
  const error = generateName === '' ? alreadyExists(kind, name) : generatedNameTaken(kind, name)
  const { metadata } = JSON.parse(value) as KubernetesObject
  if (metadata.deletionTimestamp === undefined) return error
  return new ApiError(error.code, error.reason, `object is being deleted: ${error.message}`, error.details)
}
