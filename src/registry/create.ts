/**
 * The create verb: stores a new object under its name or a generated one. Follows rest.BeforeCreate and the registry's Create.
 */
import type { Kind } from '../catalog/kind.ts'
import { withinBound } from '../catalog/validation/checks.ts'
import type { Target } from '../clusters/operation.ts'
import { rfc3339Seconds } from '../go/time.ts'
import { ApiError, alreadyExists, badRequest, detailsOf, type GroupKind, invalid } from '../meta/errors.ts'
import type { FieldError } from '../meta/field-error.ts'
import { nameIsPathSegment } from '../meta/names.ts'
import type { KubernetesObject, ManagedFieldsEntry, ObjectMeta } from '../meta/object-meta.ts'
import { validateObjectMeta, validateStandardFinalizers } from '../meta/object-meta-validation.ts'
import { withExplicitEmptyOf } from '../schema/explicit-empty.ts'
import { access } from './access.ts'
import { admitWrite, validateWrite } from './admission/write.ts'
import { apart } from './apart.ts'
import type { CreateContext, StrategyContext } from './hooks.ts'
import { setManagers, settled, trackCreate } from './managed-fields.ts'
import { requireNamespaceAtCommit } from './namespace-at-commit.ts'
import { dedupeOwners } from './owner-references.ts'
import { requireOwnerSubscriptions } from './owners.ts'
import { type StorageCall, versionOfCreate } from './parity/object-resource-version.ts'
import { dropSelfLink } from './parity/prepare-object-for-storage.ts'
import type { WriteResult } from './registry.ts'
import { clearPaths } from './reset.ts'
import { keyOf, storedOf, toStorageVersion, toStrategyVersion } from './stored-object.ts'
import { type Strategy, strategyOf } from './strategy.ts'
import {
  commitWrite,
  objectSent,
  type SentObject,
  strategyContext,
  type WriteRequest,
  type WriteScope,
  withWarnings,
} from './write-scope.ts'

/** The maximum number of attempts to generate a free name. */
const nameAttempts = 8

/**
 * Creates an object.
 * @throws ApiError 409 AlreadyExists, 422 with all validation errors
 */
export function create(request: WriteRequest, sent: SentObject): Promise<WriteResult> {
  const object = objectSent(request.kind, sent)
  wipeSystemFields(object.metadata)
  return commitWrite(request, (scope) => createIn(scope, { object }))
}

/** Removes the fields of a POST that only the server sets. Follows WipeObjectMetaSystemFields. */
function wipeSystemFields(meta: ObjectMeta): void {
  delete meta.selfLink
  delete meta.deletionTimestamp
  delete meta.deletionGracePeriodSeconds
}

/** The input of a create. The object is in the version of the request and is modified. */
interface CreateInput {
  readonly object: KubernetesObject
  /** managedFields that apply has computed. If absent, all fields are assigned to the request's manager. */
  readonly managers?: readonly ManagedFieldsEntry[]
  /** The call of kube-apiserver's storage: that of a PUT or an apply is another one than that of a POST. */
  readonly storageCall?: StorageCall
}

/** Creates an object within a commit. Also used by a PUT or an apply that creates. */
export function createIn(scope: WriteScope, { object: sent, managers, storageCall = 'Create' }: CreateInput): WriteResult {
  const { registry, kind, target, write } = scope
  const object = settled(kind, sent)
  if (!write.dryRun) requireOwnerSubscriptions(registry.owners, object)
  const strategy = strategyOf(kind)
  const written = strategyContext(scope)
  const now = registry.now()
  requireNamespace(object.metadata, target)
  dedupeOwners(object.metadata, 'body', (text) => written.warnings.add(text))
  if (managers !== undefined) setManagers(object, managers)
  else trackCreate(registry, kind, object, write.manager, strategy.resetFieldsOf(target.subresource), now, target.subresource)
  kind.codec.nullEmptyLists(object)
  return withWarnings(written.warnings, () => {
    admitWrite(scope, object)
    const { name = '', generateName = '', resourceVersion: requestedVersion = '' } = object.metadata
    const context: CreateContext = { ...written, isNameGenerated: name === '' && generateName !== '' }
    versionOfCreate[storageCall].admitted(requestedVersion)
    const stored = withExplicitEmptyOf(object, toStrategyVersion(kind, object))
    prepare(scope, stored, strategy, context)
    validate(scope, strategy, context, stored)
    strategy.warn?.({ object: stored, subresource: '' }, context.warnings)
    requireCreate(kind, target, context)
    validateWrite(scope, stored)
    if (!write.dryRun) versionOfCreate[storageCall].stored(requestedVersion)
    if (managers !== undefined) kind.codec.normalize(stored)
    // Policies and webhooks see the version that the client has sent.
    delete stored.metadata.resourceVersion
    dropSelfLink(stored, write)
    return storeNew(scope, stored, requestedVersion)
  })
}

/** Stores a new object that admission has allowed. @throws ApiError 409 if its name is taken, those of its namespace */
function storeNew(scope: WriteScope, object: KubernetesObject, requestedVersion: string): WriteResult {
  const { kind, transaction, write } = scope
  const key = keyOf(kind, object.metadata.namespace ?? '', object.metadata.name ?? '')
  const existing = transaction.get(key)
  if (existing !== undefined) throw taken(kind, object.metadata, existing.value)
  const { defaultOnRead } = strategyOf(kind)
  defaultOnRead?.(object)
  const kept = toStorageVersion(kind, object)
  if (write.dryRun) return { code: 201, text: kind.codec.withTypeMeta(kind.codec.encode(kept, requestedVersion)) }
  requireNamespaceAtCommit(scope, object)
  const record = storedOf(kind, key, kept, transaction.nextResourceVersion())
  transaction.put(record)
  return { code: 201, text: kind.codec.withTypeMeta(record.value) }
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

function validate({ kind, registry }: WriteScope, strategy: Strategy, context: StrategyContext, object: KubernetesObject): void {
  const { lookups } = registry
  const isOwn = strategy.metadataOnCreate === 'own'
  const looked = lookups && strategy.lookUpErrors?.(object, undefined, lookups, kind)
  const errorsOf = (): FieldError[] => withinBound(() => strategy.validate?.(object, kind) ?? [])
  const ofKind = looked ?? apart(registry, 'errors', () => object, errorsOf)
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
