/** The delete verb: removes an object at once, or in two phases if finalizers are present. Follows the registry's Delete. */
import type { Kind } from '../catalog/kind.ts'
import type { DeleteOptions, Target } from '../clusters/operation.ts'
import { parseJson } from '../go/json.ts'
import { conflict, notFound } from '../meta/errors.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { User } from '../meta/user.ts'
import type { Stored, Transaction } from '../storage/store.ts'
import { withFindings } from './admission/findings.ts'
import type { AdmissionFindings } from './admission/plugin.ts'
import { admitDelete, type DecidedOptions } from './admission/write.ts'
import { commit } from './commit.ts'
import { storedAs } from './create.ts'
import { deletionFinalizers } from './finalizers.ts'
import { graceOf, markDeleted, markGraceful } from './grace.ts'
import { emptyObject } from './parity/new-func.ts'
import { preconditionFailed, unmet } from './preconditions.ts'
import type { Registry, WriteResult } from './registry.ts'
import { keyOf, objectOf, storedOf, toStorageVersion } from './stored-object.ts'
import { strategyOf } from './strategy.ts'
import { garbageCollectionOf } from './strategy-options.ts'
import type { CommitScope } from './write-scope.ts'

/** A deletion that a client or a controller requests. */
export interface DeleteRequest {
  readonly registry: Registry
  readonly kind: Kind
  readonly target: Target
  readonly options: DeleteOptions
  readonly dryRun: boolean
  /** Absent if the server itself deletes: its deletions skip admission. */
  readonly user?: User | undefined
  /** The deletion is part of a deletecollection: admission then does not see the name. */
  readonly ofCollection?: true
}

/**
 * Deletes an object.
 * @throws ApiError 404, 409 if a precondition does not hold, 403 if the object may not be deleted
 */
export function remove(request: DeleteRequest): Promise<WriteResult> {
  return commit(request.registry, (transaction) => withFindings((findings) => removeTarget(request, transaction, findings)))
}

function removeTarget(
  { registry, kind, target, options, dryRun, user, ofCollection }: DeleteRequest,
  transaction: Transaction,
  findings: AdmissionFindings,
): WriteResult {
  for (const warning of deletionWarnings(kind, options)) findings.warn(warning)
  const refusal = ofCollection === true ? undefined : strategyOf(kind).refuseDelete?.(target.name)
  if (refusal !== undefined) throw refusal
  const existing = transaction.get(keyOf(kind, target.namespace, target.name))
  if (existing === undefined) throw notFound(kind, target.name)
  // kube-apiserver reads the object first, so an object that cannot be converted cannot be deleted.
  if (kind.conversion?.remote !== undefined) kind.codec.toRequestVersion(existing.value)
  const admit = (object: KubernetesObject, decided: DecidedOptions): void => {
    const admitted = ofCollection === true ? { ...target, name: '' } : target
    if (user !== undefined) admitDelete({ registry, kind, target: admitted, user, dryRun }, object, decided, findings)
  }
  const { value, gone, isUnread } = removeIn({ registry, transaction, kind }, { existing, options, dryRun, admit })
  if (isUnread === true) return { code: 200, text: emptyObject(kind) }
  const whole = !gone || strategyOf(kind).returnsDeletedObject
  const code = !gone && options.orphanDependents === false ? 202 : 200
  return {
    code,
    text: whole ? kind.codec.withTypeMeta(value) : deletedStatus(kind, value),
  }
}

/** Returns the warnings for a deletion without an explicit propagationPolicy. */
export function deletionWarnings(kind: Kind, { propagationPolicy, orphanDependents }: DeleteOptions): string[] {
  const { deletionWarning } = strategyOf(kind)
  return deletionWarning === '' || propagationPolicy !== undefined || orphanDependents !== undefined ? [] : [deletionWarning]
}

/** The result of a deletion. */
export interface Removal {
  /** The last state of the object, as stored. */
  readonly value: string
  /** Whether the object was removed. If not, its deletion has begun and it still exists. */
  readonly gone: boolean
  /** kube-apiserver has not read the last state: it responds with an empty object. */
  readonly isUnread?: true
}

/** One deletion within its commit. */
interface Deletion {
  readonly transaction: Transaction
  readonly kind: Kind
  readonly existing: Stored
  /** The object in the version in which it is stored, which may be an older one. */
  readonly object: KubernetesObject
  readonly dryRun: boolean
}

/** The input of a deletion: an existing object and the options. */
interface RemoveInput {
  readonly existing: Stored
  readonly options: DeleteOptions
  readonly dryRun: boolean
  /** Runs admission; absent if the server itself deletes. Throws ApiError, MissingLookups. */
  readonly admit?: (object: KubernetesObject, decided: DecidedOptions) => void
}

/** Deletes an existing object within a commit. */
export function removeIn(scope: CommitScope, { existing, options, dryRun, admit }: RemoveInput): Removal {
  const { registry, transaction, kind } = scope
  const { kind: own, object } = deleted(kind, existing)
  const strategy = strategyOf(kind)
  const deletion: Deletion = { kind: own, transaction, existing, object, dryRun }
  const refusal = strategy.validateDelete?.(object, options)
  if (refusal !== undefined) throw refusal
  checkPreconditions(kind, object, existing, options)
  const now = registry.now()
  const isNew = object.metadata.deletionTimestamp === undefined
  const begins = strategy.beginDelete !== undefined && isNew
  const grace = graceOf(object, strategy.checkGracefulDelete, options.gracePeriodSeconds, now)
  const isPending = grace.is === 'pending' || (!begins && strategy.shouldDeleteDuringUpdate?.(object) === false)
  // A deletion that changes nothing is not admitted.
  if (isPending) return { value: existing.value, gone: false }
  admit?.(object, {
    ...(grace.is === 'granted' && isNew && { gracePeriodSeconds: grace.seconds }),
    ...(strategy.beginDelete !== undefined && { uid: object.metadata.uid ?? '' }),
  })
  if (begins) {
    strategy.beginDelete?.(object, options, now)
    return { value: keep(deletion).value, gone: false }
  }
  const finalizers = deletionFinalizers(object.metadata.finalizers ?? [], options, garbageCollectionOf(kind, strategy))
  if (grace.is === 'none' && finalizers.length === 0) return endNow(deletion, options)
  object.metadata.finalizers = [...finalizers]
  if (grace.is === 'granted') markGraceful(object, grace)
  else markDeleted(object, now)
  const kept = keep(deletion)
  const stays = finalizers.length > 0 || (grace.is === 'granted' && grace.seconds > 0)
  return stays ? { value: kept.value, gone: false } : end(deletion, kept)
}

/**
 * Returns the object to store while its deletion is pending. A client's deletion stores it in the storage version, as every write
 * does. A deletion that must not depend on a webhook leaves it in the version in which it is stored.
 */
function deleted(kind: Kind, existing: Stored): { readonly kind: Kind; readonly object: KubernetesObject } {
  const version = kind.codec.storedVersion(existing)
  if (version === kind.storage.version) return { kind, object: objectOf(existing) }
  if (kind.conversion?.remote === undefined) {
    return { kind: kind.asStored(version), object: objectOf(existing) }
  }
  const served = parseJson(kind.codec.toRequestVersion(existing.value)) as unknown as KubernetesObject
  return { kind, object: toStorageVersion(kind, served) }
}

/** Stores the changed object. An unchanged object is not stored again. */
function keep({ kind, transaction, existing, object, dryRun }: Deletion): Stored {
  const value = kind.codec.encodeAt(object, existing.resourceVersion)
  if (dryRun || value === existing.value) return { ...existing, value }
  const record = storedOf(kind, existing.key, object, transaction.nextResourceVersion())
  transaction.put(record)
  return record
}

/**
 * Removes an object that no finalizer keeps. If the options remove its last ones, kube-apiserver begins an update that reads the
 * object but does not keep what it read: a dry run responds with an empty object, and no resourceVersion is the expected one.
 * @throws ApiError 409 if the options have a resourceVersion and remove finalizers
 */
function endNow(deletion: Deletion, { resourceVersion }: DeleteOptions): Removal {
  const { kind, existing, object, dryRun } = deletion
  const { finalizers = [], namespace = '', name = '' } = object.metadata
  if (finalizers.length === 0) return end(deletion, existing)
  if (dryRun) return { value: existing.value, gone: true, isUnread: true }
  if (resourceVersion === undefined) return end(deletion, existing)
  throw preconditionFailed(kind, { namespace, name }, unmet('ResourceVersion', '', String(existing.resourceVersion)))
}

/**
 * Removes the object.
 * @param last its last state
 */
function end({ kind, transaction, dryRun }: Deletion, last: Stored): Removal {
  if (dryRun) return { value: last.value, gone: true }
  const record = kind.codec.withResourceVersion(last, transaction.nextResourceVersion())
  transaction.remove(record)
  return { value: record.value, gone: true }
}

/**
 * Checks the preconditions of a deletion.
 * @throws ApiError 409 if the object has another uid or resourceVersion than the options
 */
export function checkPreconditions(kind: Kind, object: KubernetesObject, existing: Stored, options: DeleteOptions): void {
  const { uid = '' } = object.metadata
  const { name = '' } = object.metadata
  const { group, kind: resource } = storedAs(kind)
  const subject = { group, resource }
  if (options.uid !== undefined && options.uid !== uid) {
    const why = `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`
    throw conflict(subject, name, why)
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== String(existing.resourceVersion)) {
    const why = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${existing.resourceVersion}). The object might have been modified`
    throw conflict(subject, name, why)
  }
}

function deletedStatus(kind: Kind, value: string): string {
  const { metadata } = JSON.parse(value) as KubernetesObject
  return JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: metadata.name,
      ...(kind.group !== '' && { group: kind.group }),
      kind: kind.resource,
      uid: metadata.uid,
    },
  })
}
