/**
 * The update verb: replaces an object, by a PUT or by the result of a patch.
 * Follows rest.BeforeUpdate and the registry's Update with its optimistic lock.
 */
import type { DecodedObject } from '../catalog/decoded.ts'
import type { Kind } from '../catalog/kind.ts'
import { withinBound } from '../catalog/validation/checks.ts'
import { parseStoredJson } from '../go/json.ts'
import type { JsonObject } from '../go/json-value.ts'
import { conflict, invalid, notFound } from '../meta/errors.ts'
import { type FieldError, invalidValue } from '../meta/field-error.ts'
import type { KubernetesObject, ManagedFieldsEntry, ObjectMeta } from '../meta/object-meta.ts'
import { validateObjectMetaUpdate } from '../meta/object-meta-validation.ts'
import { readObjectResourceVersion } from '../meta/resource-version.ts'
import { WarningRecorder } from '../meta/warnings.ts'
import { withExplicitEmptyOf } from '../schema/explicit-empty.ts'
import { withUnknownFields } from '../schema/unknown-fields.ts'
import type { Stored } from '../storage/store.ts'
import { admitWrite, validateWrite } from './admission/write.ts'
import { apart, scopeOfStored } from './apart.ts'
import { commonMetaErrors, createIn, finalizerErrors, kindMetaErrors, requireNamespace, storedAs } from './create.ts'
import type { AddWarning, StrategyContext } from './hooks.ts'
import { keepTimes, setManagers, settled, trackUpdate } from './managed-fields.ts'
import { dedupeOwners } from './owner-references.ts'
import { requireOwnerSubscriptions } from './owners.ts'
import { answerOfDeletion } from './parity/delete-without-finalizers.ts'
import { dropSelfLink } from './parity/prepare-object-for-storage.ts'
import { misnamedError } from './parity/validate-type-meta.ts'
import { preconditionFailed, unmet } from './preconditions.ts'
import type { Registry, WriteResult } from './registry.ts'
import { resetMetadata, resetPaths } from './reset.ts'
import { isSpecUnchanged } from './spec-change.ts'
import { keyOf, objectOf, storedAfter, toStorageVersion, toStrategyVersion } from './stored-object.ts'
import { type Strategy, strategyOf } from './strategy.ts'
import { mayCreateBy, type UpdateCheck } from './strategy-options.ts'
import {
  commitWrite,
  objectSent,
  type SentObject,
  strategyContext,
  type WriteRequest,
  type WriteScope,
  withWarnings,
} from './write-scope.ts'

const modified = 'the object has been modified; please apply your changes to the latest version and try again'

/**
 * Replaces an object as a whole.
 * @throws ApiError 404, 409 if resourceVersion or uid differ, 422 with all validation errors
 */
export function update(request: WriteRequest, sent: SentObject): Promise<WriteResult> {
  const { kind, target } = request
  const { misnamed } = sent
  const object = objectSent(kind, sent)
  return commitWrite(request, (scope) => {
    const existing = scope.transaction.get(keyOf(kind, target.namespace, target.name))
    if (existing !== undefined) return updateIn(scopeOfStored(scope, existing), { existing, object, misnamed })
    if (!mayCreateBy('update', strategyOf(kind), target.subresource)) throw notFound(kind, target.name)
    return createByUpdate(scope, object)
  })
}

/**
 * Creates an object by a PUT, for a kind with AllowCreateOnUpdate.
 * @throws ApiError 409 if the body has a uid, 500 for a malformed resourceVersion
 */
function createByUpdate(scope: WriteScope, object: KubernetesObject): WriteResult {
  checkUid(scope, object, { metadata: {} })
  return createIn(scope, { object, storageCall: 'GuaranteedUpdate' })
}

/** An update after managedFields were updated. */
interface Update extends WriteScope, Pick<DecodedObject, 'misnamed'> {
  readonly strategy: Strategy
  readonly context: StrategyContext
  readonly existing: Stored
}

/** The input of an update: the stored object and its replacement, which is in the version of the request and is modified. */
export interface UpdateInput extends DecodedObject {
  readonly existing: Stored
  /** managedFields that apply has computed. If absent, changed fields are assigned to the request's manager. */
  readonly managers?: readonly ManagedFieldsEntry[]
}

/** Updates an existing object within a commit. Also used by patches. */
export function updateIn(scope: WriteScope, { existing, object: sent, managers, misnamed }: UpdateInput): WriteResult {
  const { registry, kind, target, write } = scope
  const object = settled(kind, sent)
  const { resetFieldsOf, subresources, numbers } = strategyOf(kind)
  const { subresource } = target
  const old = parseStoredJson(kind.codec.toRequestVersion(existing.value), numbers) as unknown as KubernetesObject
  const warnings = new WarningRecorder()
  dedupeOwners(object.metadata, write.fromPatch === true ? 'patch' : 'body', (text) => warnings.add(text))
  return withWarnings(warnings, () => {
    checkUid(scope, object, old)
    carryServerOwned(object.metadata, old.metadata)
    subresources?.[subresource]?.normalize?.(object, old)
    const by = { manager: write.manager, subresource, resetFields: resetFieldsOf(subresource) }
    // kube-apiserver cannot convert an object of another type, and removes its managedFields.
    if (managers !== undefined || misnamed !== undefined) setManagers(object, managers ?? [])
    else trackUpdate(registry, kind, object, old, by)
    // The fields of a deletion are restored after managedFields are updated: a manager that sets them owns them nevertheless.
    carryDeletion(object.metadata, old.metadata)
    kind.codec.nullEmptyLists(object)
    admitWrite(scope, object, old)
    if (registry.admission !== undefined) {
      requireNamespace(object.metadata, target)
      carryServerOwned(object.metadata, old.metadata)
    }
    const admit = (stored: KubernetesObject, storedOld: KubernetesObject): void => validateWrite(scope, stored, storedOld)
    // The result of an apply is not decoded.
    const complete = managers && ((stored: KubernetesObject): void => kind.codec.normalize(stored))
    return replaceIn(scope, { misnamed, existing, object, old, admit, complete })
  })
}

/** The input of an update whose managedFields are updated already. */
interface ReplaceInput extends DecodedObject {
  readonly existing: Stored
  /** The stored object in the version of the request. */
  readonly old: KubernetesObject
  /** Runs the validating phase of admission, after the strategy's validation. Throws ApiError, MissingLookups. */
  readonly admit: (object: KubernetesObject, old: KubernetesObject) => void
  /** Changes the object in place after it has been validated, before it is stored. */
  readonly complete?: ((object: KubernetesObject) => void) | undefined
}

/** Performs the rest of an update, after managedFields were updated. */
export function replaceIn(scope: WriteScope, input: ReplaceInput): WriteResult {
  const { existing, misnamed } = input
  const context = strategyContext(scope)
  const change: Update = { ...scope, strategy: strategyOf(scope.kind), context, existing, misnamed }
  return withWarnings(context.warnings, () => replace(change, input))
}

/** Returns the object with those fields of the stored one that the emulated release does not have: its clients cannot send them. */
function withLaterFields({ type, older }: Kind, object: KubernetesObject, existing: Stored): KubernetesObject {
  if (older === undefined) return object
  const earlier = parseStoredJson(older.whole.codec.toRequestVersion(existing.value)) as JsonObject
  return withUnknownFields(type, object as unknown as JsonObject, earlier) as unknown as KubernetesObject
}

/** Replaces the object, with warnings in the context. */
function replace(change: Update, { object, old, admit, complete }: ReplaceInput): WriteResult {
  const { registry, kind, target, write, context, existing } = change
  checkVersion(change, object)
  const stored = withExplicitEmptyOf(object, toStrategyVersion(kind, withLaterFields(kind, object, existing)))
  const isSameVersion = kind.conversion === undefined || kind.codec.internalVersion === 'request'
  const storedOld = isSameVersion ? old : objectOf(existing)
  const refusal = change.strategy.authorizeWrite?.(stored, storedOld, context)
  if (refusal !== undefined) throw refusal
  prepare(change, stored, storedOld)
  keepTimes(stored, storedOld)
  validate(change, stored, storedOld)
  change.strategy.warn?.({ object: stored, old: storedOld, subresource: target.subresource }, context.warnings)
  return withWarnings(context.warnings, () => {
    admit(stored, storedOld)
    dropSelfLink(stored, write)
    if (!write.dryRun) requireOwnerSubscriptions(registry.owners, stored)
    complete?.(stored)
    return keep(change, toStorageVersion(kind, stored))
  })
}

/** Returns the resourceVersion of the request; 0 if it has none. */
function requestedVersion(meta: ObjectMeta): number {
  return Number(readObjectResourceVersion(meta.resourceVersion ?? ''))
}

/**
 * Checks the uid of a body. The uid in a patch is not a precondition.
 * @throws ApiError 409 if it differs
 */
export function checkUid({ kind, target, write }: WriteRequest, object: KubernetesObject, { metadata }: KubernetesObject): void {
  const { uid = '' } = object.metadata
  if (uid === '' || uid === metadata.uid || write.fromPatch === true) return
  throw preconditionFailed(kind, target, unmet('UID', uid, metadata.uid), write.dryRun)
}

function checkVersion(change: Update, object: KubernetesObject): void {
  const { kind, target, strategy, existing } = change
  const requested = requestedVersion(object.metadata)
  if (requested === 0 && !strategy.allowUnconditionalUpdate) {
    const error = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update')
    throw invalid({ group: kind.group, kind: kind.resource }, target.name, [error])
  }
  if (requested !== 0 && requested !== existing.resourceVersion) throw conflict(kind, target.name, modified)
  object.metadata.resourceVersion = String(existing.resourceVersion)
}

/** Restores fields that only the server sets. */
function carryServerOwned(meta: ObjectMeta, old: ObjectMeta): void {
  meta.uid ||= old.uid ?? ''
  if (old.creationTimestamp !== undefined) meta.creationTimestamp = old.creationTimestamp
  if (old.generation === undefined) delete meta.generation
  else meta.generation = old.generation
  if (old.namespace !== undefined) meta.namespace = old.namespace
  else delete meta.namespace
}

/** Restores the fields of a pending deletion. */
function carryDeletion(meta: ObjectMeta, old: ObjectMeta): void {
  if (old.deletionTimestamp === undefined) return
  meta.deletionTimestamp = old.deletionTimestamp
  meta.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds ?? 0
  if (old.deletionGracePeriodSeconds === undefined) delete meta.deletionGracePeriodSeconds
}

function prepare(change: Update, object: KubernetesObject, old: KubernetesObject): void {
  const { strategy, target, context } = change
  resetPaths(object, old, strategy.resetsOf(target.subresource))
  if (target.subresource !== '') {
    if (strategy.subresourceResets[target.subresource] === undefined) resetMetadata(object, old, strategy.statusMetadata)
    strategy.subresources?.[target.subresource]?.prepareForUpdate?.(object, old, context)
    return
  }
  strategy.prepareForUpdate?.(object, old, context)
  if (strategy.generation === 'counted' && !(strategy.isSpecUnchanged ?? isSpecUnchanged)(object, old))
    object.metadata.generation = (old.metadata.generation ?? 0) + 1
}

function validate(change: Update, object: KubernetesObject, old: KubernetesObject): void {
  const { kind, strategy, target, context, misnamed } = change
  // Metadata is validated by the registry and again by the kind's own validation: both report their errors.
  const changed = validateObjectMetaUpdate(object.metadata, old.metadata)
  const ownErrors = target.subresource === '' ? kindErrors : subresourceErrors
  const own = withinBound(() => ownErrors(change, object, old, changed))
  const common = commonMetaErrors(object, kind)
  const found = [...common, ...changed, ...own]
  const { permit } = target.subresource === '' ? strategy : (strategy.subresources?.[target.subresource] ?? {})
  // A write to a subresource takes only that part of the body, and neither its apiVersion nor its kind.
  if (misnamed !== undefined && (target.subresource === '' || misnamed.apiVersion === ''))
    throw misnamedError(kind, misnamed, target.name, [...common, ...changed])
  const errors = permit?.(found, object, old, context) ?? found
  if (errors.length > 0)
    throw invalid(storedAs(kind), object.metadata.name || target.name, errors).warning(context.warnings.texts)
}

/** Returns the errors of a validation, and adds its warnings to those of the context. */
function errorsApart(
  registry: Registry,
  { warnings }: StrategyContext,
  object: KubernetesObject,
  old: KubernetesObject,
  validate: (warn: AddWarning) => FieldError[] | undefined,
): readonly FieldError[] {
  const { errors, texts } = apart(
    registry,
    'errors',
    () => [object, old],
    () => {
      const own = new WarningRecorder()
      return { errors: withinBound(() => validate((text) => own.add(text)) ?? []), texts: own.texts }
    },
  )
  for (const text of texts) warnings.add(text)
  return errors
}

/**
 * Returns the errors that the kind's own validation finds.
 * @param changed the errors in the change of metadata
 */
function kindErrors(
  { registry, kind, strategy, context }: Update,
  object: KubernetesObject,
  old: KubernetesObject,
  changed: readonly FieldError[],
): FieldError[] {
  const { lookups } = registry
  const checks: Readonly<Record<UpdateCheck, () => readonly FieldError[]>> = {
    whole: () => kindMetaErrors(object, strategy, kind),
    changes: () => [...changed, ...finalizerErrors(object.metadata, strategy)],
    object: () =>
      (lookups && strategy.lookUpErrors?.(object, old, lookups, kind)) ??
      errorsApart(registry, context, object, old, (warn) => strategy.validateUpdate?.(object, old, kind, warn)),
    difference: () => strategy.validateChange?.(object, old) ?? [],
  }
  return strategy.updateChecks.flatMap((check) => checks[check]())
}

/** Returns the errors of a write to a subresource, which by default validates only the change of metadata. */
function subresourceErrors(
  { kind, strategy, target, context }: Update,
  object: KubernetesObject,
  old: KubernetesObject,
  changed: readonly FieldError[],
): FieldError[] {
  const validatesMetadata = strategy.updateChecks.some((check) => check === 'whole' || check === 'changes')
  const checks = strategy.subresourceChecks ?? (validatesMetadata ? ['changes'] : [])
  const warn = (text: string): void => context.warnings.add(text)
  return [
    ...checks.flatMap((check) =>
      check === 'whole' ? kindMetaErrors(object, strategy, kind) : [...changed, ...finalizerErrors(object.metadata, strategy)],
    ),
    ...(strategy.subresources?.[target.subresource]?.validateUpdate?.(object, old, warn) ?? []),
  ]
}

function keep(change: Update, object: KubernetesObject): WriteResult {
  const { transaction, kind, existing, write } = change
  const unchanged = kind.codec.encodeAt(object, existing.resourceVersion)
  if (write.dryRun || unchanged === existing.value) return { code: 200, text: kind.codec.withTypeMeta(unchanged) }
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata
  const gone = deletionTimestamp !== undefined && (deletionGracePeriodSeconds ?? 0) === 0 && (finalizers ?? []).length === 0
  if (gone && change.strategy.shouldDeleteDuringUpdate?.(object) !== false) {
    // The update that completes a deletion is not stored, and its response has the resourceVersion that it was based on. The
    // DELETED event has the state before it, with the resourceVersion of the deletion.
    transaction.remove(kind.codec.withResourceVersion(existing, transaction.nextResourceVersion()))
    return { code: 200, text: kind.codec.withTypeMeta(answerOfDeletion(kind, object, existing)) }
  }
  const record = storedAfter(kind, existing, object, unchanged, transaction.nextResourceVersion())
  transaction.put(record)
  return { code: 200, text: kind.codec.withTypeMeta(record.value) }
}
