/**
 * update: the object replaced as a whole, by PUT or by what a patch makes of it.
 * Follows rest.BeforeUpdate and the registry's Update with its optimistic lock.
 */
import { equalValues } from '../apply/value.ts'
import type { BodyFindings, DecodedObject } from '../catalog/decoded.ts'
import { parseJson, parseStoredJson } from '../go/json.ts'
import type { JsonObject } from '../go/json-value.ts'
import { ApiError, conflict, invalid, notFound } from '../meta/errors.ts'
import { type FieldError, invalidValue } from '../meta/field-error.ts'
import type { KubernetesObject, ManagedFieldsEntry, ObjectMeta } from '../meta/object-meta.ts'
import { validateObjectMetaUpdate } from '../meta/object-meta-validation.ts'
import { readObjectResourceVersion } from '../meta/resource-version.ts'
import { recordExplicitEmpty } from '../schema/explicit-empty.ts'
import type { Stored } from '../storage/store.ts'
import { admitWrite, validateWrite } from './admission/write.ts'
import { commonMetaErrors, createIn, finalizerErrors, kindMetaErrors, storedAs } from './create.ts'
import type { StrategyContext } from './hooks.ts'
import { keepTimes, setManagers, settled, trackUpdate } from './managed-fields.ts'
import { dedupeOwners } from './owner-references.ts'
import { requireOwnerSubscriptions } from './owners.ts'
import { preconditionFailed } from './preconditions.ts'
import type { WriteResult } from './registry.ts'
import { resetPaths } from './reset.ts'
import { keyOf, objectOf, storedAfter, toStorageVersion, toStrategyVersion } from './stored-object.ts'
import { type Strategy, strategyOf } from './strategy.ts'
import { mayCreateBy, type UpdateCheck } from './strategy-options.ts'
import { misnamedError } from './type-meta.ts'
import { commitWrite, type SentObject, strategyContext, type WriteRequest, type WriteScope } from './write-scope.ts'

const modified = 'the object has been modified; please apply your changes to the latest version and try again'

/**
 * Replaces an object as a whole.
 * @throws ApiError 404, 409 if the version or uid is another one, 422 with all that is wrong
 */
export function update(request: WriteRequest, { text, misnamed, explicitEmpty }: SentObject): Promise<WriteResult> {
  const { kind, target } = request
  const object = parseJson(text, kind.codec.decodedNumbers) as unknown as KubernetesObject
  return commitWrite(request, (scope) => {
    const existing = scope.transaction.get(keyOf(kind, target.namespace, target.name))
    if (existing !== undefined) return updateIn(scope, { existing, object, misnamed, explicitEmpty })
    if (!mayCreateBy('update', strategyOf(kind), target.subresource)) throw notFound(kind, target.name)
    return createByUpdate(scope, { object, explicitEmpty })
  })
}

/**
 * A PUT that finds no object, for a kind whose objects a PUT may create.
 * @throws ApiError 409 if the body names a uid, 500 for a malformed resourceVersion
 */
function createByUpdate(scope: WriteScope, decoded: DecodedObject): WriteResult {
  checkUid(scope, decoded.object, { metadata: {} })
  return createIn(scope, { ...decoded, mayNameVersion: true })
}

/** An update once it is known who owns which field. */
interface Update extends WriteScope, BodyFindings {
  readonly strategy: Strategy
  readonly context: StrategyContext
  readonly existing: Stored
}

/** An object that exists, and the one that takes its place: in the version of the request, and changed on the way. */
export interface UpdateInput extends DecodedObject {
  readonly existing: Stored
  /** managedFields that apply has computed. If absent, changed fields are assigned to the request's manager. */
  readonly managers?: readonly ManagedFieldsEntry[]
}

/** The same within a commit, for an object that exists: patches use it too. */
export function updateIn(scope: WriteScope, { existing, object: sent, managers, ...findings }: UpdateInput): WriteResult {
  const { registry, kind, target, write } = scope
  const object = settled(kind, sent)
  const { resetFieldsOf, subresources, numbers } = strategyOf(kind)
  const { subresource } = target
  const old = parseStoredJson(kind.codec.toRequestVersion(existing.value), numbers) as unknown as KubernetesObject
  const warnings: string[] = []
  dedupeOwners(object.metadata, warnings, write.fromPatch === true ? 'patch' : 'body')
  checkUid(scope, object, old)
  // selfLink is dropped only if the object is stored: a dry run returns it as sent.
  if (!write.dryRun) delete object.metadata.selfLink
  carryServerOwned(object.metadata, old.metadata)
  subresources?.[subresource]?.normalize?.(object, old)
  const by = { manager: write.manager, subresource, resetFields: resetFieldsOf(subresource) }
  if (managers !== undefined) setManagers(object, managers)
  else trackUpdate(registry, kind, object, old, by)
  // A manager that sets the fields of a deletion changes nothing and owns them all the same.
  carryDeletion(object.metadata, old.metadata)
  kind.codec.nullEmptyLists(object)
  return alsoWarned(warnings, () => {
    admitWrite(scope, object, old)
    const admit = (stored: KubernetesObject, storedOld: KubernetesObject): void => validateWrite(scope, stored, storedOld)
    return replaceIn(scope, { ...findings, existing, object, old, admit })
  })
}

/** Puts these warnings before those of the result, or of the error. */
function alsoWarned(warnings: readonly string[], act: () => WriteResult): WriteResult {
  try {
    const answer = act()
    return { ...answer, warnings: [...warnings, ...(answer.warnings ?? [])] }
  } catch (error) {
    if (error instanceof ApiError) error.warning(warnings)
    throw error
  }
}

/** The same of an object whose managedFields are decided. */
interface ReplaceInput extends DecodedObject {
  readonly existing: Stored
  /** `existing` in the version of the request. */
  readonly old: KubernetesObject
  /** The validating phase of admission, for an object that is valid. Throws ApiError, MissingLookups. */
  readonly admit: (object: KubernetesObject, old: KubernetesObject) => void
}

/** The rest of an update, once it is known who owns which field. */
export function replaceIn(scope: WriteScope, input: ReplaceInput): WriteResult {
  const { existing, object, old, admit, misnamed, explicitEmpty } = input
  const { registry, kind, target, write } = scope
  const context = strategyContext(scope)
  const change: Update = { ...scope, strategy: strategyOf(kind), context, existing, misnamed, explicitEmpty }
  checkVersion(change, object)
  const stored = toStrategyVersion(kind, object)
  if (explicitEmpty !== undefined) recordExplicitEmpty(stored, explicitEmpty)
  const isSameVersion = kind.conversion === undefined || kind.codec.internalVersion === 'request'
  const storedOld = isSameVersion ? old : objectOf(existing)
  const refusal = change.strategy.authorizeWrite?.(stored, storedOld, context)
  if (refusal !== undefined) throw refusal
  prepare(change, stored, storedOld)
  keepTimes(stored, storedOld)
  validate(change, stored, storedOld)
  admit(stored, storedOld)
  if (!write.dryRun) requireOwnerSubscriptions(registry.owners, stored)
  context.warnings.push(...(change.strategy.warn?.({ object: stored, old: storedOld, subresource: target.subresource }) ?? []))
  return { ...keep(change, toStorageVersion(kind, stored)), warnings: context.warnings }
}

/** The version that the writer has seen; 0 for none. */
function requestedVersion(meta: ObjectMeta): number {
  return Number(readObjectResourceVersion(meta.resourceVersion ?? ''))
}

/** @throws ApiError 409 if the body names another uid; in a patch the uid is no precondition */
export function checkUid({ kind, target, write }: WriteRequest, object: KubernetesObject, { metadata }: KubernetesObject): void {
  const { uid = '' } = object.metadata
  if (uid === '' || uid === metadata.uid || write.fromPatch === true) return
  throw preconditionFailed(kind, target, `UID in precondition: ${uid}, UID in object meta: ${metadata.uid ?? ''}`, write.dryRun)
}

function checkVersion(change: Update, object: KubernetesObject): void {
  const { kind, target, strategy, existing } = change
  const asked = requestedVersion(object.metadata)
  const isUnconditional =
    target.subresource === '' ? strategy.allowUnconditionalUpdate : strategy.allowUnconditionalSubresourceUpdate
  if (asked === 0 && !isUnconditional) {
    const error = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update')
    throw invalid({ group: kind.group, kind: kind.resource }, target.name, [error])
  }
  if (asked !== 0 && asked !== existing.resourceVersion) throw conflict(kind, target.name, modified)
  object.metadata.resourceVersion = String(existing.resourceVersion)
}

/** Fields that the server alone sets stay as they are, whatever the client left out or wrote. */
function carryServerOwned(meta: ObjectMeta, old: ObjectMeta): void {
  meta.uid ||= old.uid ?? ''
  if (old.creationTimestamp !== undefined) meta.creationTimestamp = old.creationTimestamp
  if (old.generation === undefined) delete meta.generation
  else meta.generation = old.generation
  if (old.namespace !== undefined) meta.namespace = old.namespace
  else delete meta.namespace
}

/** A deletion that has begun goes on. */
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
    strategy.subresources?.[target.subresource]?.prepareForUpdate?.(object, old, context)
    return
  }
  strategy.prepareForUpdate?.(object, old, context)
  if (strategy.generation === 'counted' && !(strategy.isSpecUnchanged ?? sameDesire)(object, old))
    object.metadata.generation = (old.metadata.generation ?? 0) + 1
}

/** Whether all but metadata and status is the same. */
function sameDesire(object: KubernetesObject, old: KubernetesObject): boolean {
  const desire = ({ metadata: _metadata, status: _status, apiVersion: _apiVersion, kind: _kind, ...rest }: KubernetesObject) =>
    rest as JsonObject
  return equalValues(desire(object), desire(old))
}

function validate(change: Update, object: KubernetesObject, old: KubernetesObject): void {
  const { kind, strategy, target, context, misnamed } = change
  // Each check of metadata runs in the registry and again in the kind's own validation: both report their errors.
  const changed = validateObjectMetaUpdate(object.metadata, old.metadata)
  const own =
    target.subresource === '' ? kindErrors(change, object, old, changed) : subresourceErrors(change, object, old, changed)
  const common = commonMetaErrors(object, kind)
  const found = [...common, ...changed, ...own]
  const { permit } = target.subresource === '' ? strategy : (strategy.subresources?.[target.subresource] ?? {})
  if (misnamed !== undefined) throw misnamedError(kind, misnamed, target.name, [...common, ...changed])
  const errors = permit?.(found, object, old, context) ?? found
  if (errors.length > 0) throw invalid(storedAs(kind), target.name, errors).warning(context.warnings)
}

/** The errors that the kind's own validation finds. @param changed the errors in how metadata have changed */
function kindErrors(
  { registry, kind, strategy, context, explicitEmpty }: Update,
  object: KubernetesObject,
  old: KubernetesObject,
  changed: readonly FieldError[],
): FieldError[] {
  const { lookups } = registry
  const checks: Readonly<Record<UpdateCheck, () => readonly FieldError[]>> = {
    whole: () => kindMetaErrors(object, strategy, kind),
    changes: () => [...changed, ...finalizerErrors(object.metadata, strategy)],
    object: () =>
      (lookups && strategy.lookUpErrors?.(object, old, explicitEmpty, lookups)) ??
      strategy.validateUpdate?.(object, old, kind, (text) => context.warnings.push(text)) ??
      [],
    difference: () => strategy.validateChange?.(object, old) ?? [],
  }
  return strategy.updateChecks.flatMap((check) => checks[check]())
}

/** The same for writes to subresources, which look at the changes of metadata alone. */
function subresourceErrors(
  { strategy, target, context }: Update,
  object: KubernetesObject,
  old: KubernetesObject,
  changed: readonly FieldError[],
): FieldError[] {
  const looksAtMetadata = strategy.updateChecks.some((check) => check === 'whole' || check === 'changes')
  const notice = (text: string): void => void context.warnings.push(text)
  return [
    ...(looksAtMetadata ? [...changed, ...finalizerErrors(object.metadata, strategy)] : []),
    ...(strategy.subresources?.[target.subresource]?.validateUpdate?.(object, old, notice) ?? []),
  ]
}

function keep(change: Update, object: KubernetesObject): WriteResult {
  const { transaction, kind, existing, write } = change
  const unchanged = kind.codec.encodeAt(object, existing.resourceVersion)
  if (write.dryRun || unchanged === existing.value) return { code: 200, text: kind.codec.withTypeMeta(unchanged) }
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata
  const gone = deletionTimestamp !== undefined && (deletionGracePeriodSeconds ?? 0) === 0 && (finalizers ?? []).length === 0
  if (gone && change.strategy.shouldDeleteDuringUpdate?.(object) !== false) {
    // The update that ends a deletion is answered under the version that it was based on, and never stored: the event shows
    // the object as it was before, under the deletion's version.
    transaction.remove(kind.codec.withResourceVersion(existing, transaction.nextResourceVersion()))
    return { code: 200, text: kind.codec.withTypeMeta(unchanged) }
  }
  const record = storedAfter(kind, existing, object, unchanged, transaction.nextResourceVersion())
  transaction.put(record)
  return { code: 200, text: kind.codec.withTypeMeta(record.value) }
}
