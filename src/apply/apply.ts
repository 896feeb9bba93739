/**
 * Server-side apply: merges a configuration into a live object and makes the manager the owner of its fields. Follows
 * Updater.Apply of structured-merge-diff and FieldManager.Apply of apimachinery's managedfields (KEP-555).
 */

import { append } from '../go/append.ts'
import type { JsonObject } from '../go/json-value.ts'
import { ApiError } from '../meta/errors.ts'
import type { ManagedFieldsEntry } from '../meta/object-meta.ts'
import type { Type } from '../schema/type.ts'
import type { Changes } from './changes.ts'
import { ChangesByVersion } from './changes.ts'
import type { Conflict } from './conflicts.ts'
import { conflictError } from './conflicts.ts'
import { allowedByLastApplied, KUBECTL } from './last-applied.ts'
import type { ManagerInfo } from './managed-fields.ts'
import { entryOf, lastByManager, managerIdentifier, sortManagedFields } from './managed-fields.ts'
import { entryAfter, managedFieldsAfter, ownedFields } from './managers.ts'
import { merge } from './merge.ts'
import type { PathSet } from './path-set.ts'
import { difference, EMPTY, intersection, isEmpty, paths, recursiveDifference, storedPathSet } from './path-set.ts'
import { prune } from './prune.ts'
import { reconcile } from './reconcile.ts'
import { shapeOf } from './schema.ts'
import { fieldSet } from './typed.ts'
import { validationErrors } from './validate.ts'
import { equalValues } from './value.ts'
import type { OtherVersions } from './versions.ts'

/** The input of an apply. Objects are in the version of the request. */
export interface Apply {
  readonly type: Type
  readonly apiVersion: string
  /** The stored object; undefined if it does not exist yet. */
  readonly live: JsonObject | undefined
  readonly configuration: JsonObject
  /** The configuration's name in error messages: `default/web; apps/v1, Kind=Deployment`. */
  readonly called: string
  /** The live object's name in error messages. */
  readonly calledLive: string
  /** The managedFields of the live object, as this engine wrote them. */
  readonly managers: readonly ManagedFieldsEntry[]
  readonly manager: string
  /** '' for the main resource. */
  readonly subresource: string
  /** The current time, in the format of `time` in entries. */
  readonly time: string
  /** The strategy's GetResetFields: these fields are merged, but no manager becomes their owner. */
  readonly resetFields: PathSet
  /** Whether to take conflicting fields from their owners. */
  readonly force: boolean
  /** The other versions of the kind, for entries that refer to them; absent if the kind has only one version. */
  readonly otherVersion?: OtherVersions
  /** Whether the type can have changed since the entries were written, as with custom resources. */
  readonly typeVaries?: true
  /** Whether the live object may not fit the type, which has changed since. */
  readonly typeChanged?: boolean
}

/** The result of an apply. */
export interface Applied {
  /** The live object itself if nothing changes. Neither decoded nor defaulted. */
  readonly object: JsonObject
  /** The entries of the object. An entry whose fields do not change is the same object as before. */
  readonly managers: readonly ManagedFieldsEntry[]
}

/** Fields without an owner. Only these members themselves, not the fields below them. */
const IDENTITY: PathSet = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    ...paths(
      [
        'name',
        'namespace',
        'creationTimestamp',
        'selfLink',
        'uid',
        'clusterName',
        'generation',
        'managedFields',
        'resourceVersion',
      ].map((name) => [name]),
    ),
  },
}

/**
 * Returns the entries before the apply. If an object has none, because it was created before field management, all its fields
 * belong to `before-first-apply`.
 */
function managersBefore(apply: Apply): readonly ManagedFieldsEntry[] {
  const { live, type, apiVersion, subresource, time, resetFields } = apply
  const managers = lastByManager(apply.managers)
  if (managers.length > 0 || live === undefined) return managers
  const manager = 'before-first-apply'
  return managedFieldsAfter({ type, apiVersion, old: undefined, new: live, managers, manager, subresource, time, resetFields })
}

/**
 * Checks that a live object without managers fits its type, so that it can get a manager: validation accepts some objects that do
 * not, such as a ServiceAccount's reference to a Secret without a name.
 * @throws ApiError 500
 */
function requireTyped({ live, type, managers, calledLive }: Apply): void {
  if (live === undefined || managers.length > 0) return
  const complaints = validationErrors(type, live, undefined, 'allowed')
  if (complaints === undefined) return
  const why = `failed to convert new object (${calledLive}) to smd typed: ${complaints}`
  throw new ApiError(500, '', `failed to create manager for existing fields: ${why}`)
}

/**
 * Checks that a live object with managers fits its type.
 * @throws ApiError 500
 */
function requireLiveTyped({ live, type, typeChanged, calledLive }: Apply): void {
  if (live === undefined || typeChanged !== true) return
  const complaints = validationErrors(type, live, undefined, 'allowed')
  if (complaints !== undefined) throw new ApiError(500, '', `failed to create typed live object (${calledLive}): ${complaints}`)
}

/** Returns the identity of the manager's entry, which is independent of the version it applies in. */
const applierOf = ({ manager, apiVersion, subresource }: Apply): ManagerInfo => ({
  manager,
  operation: 'Apply',
  apiVersion,
  subresource,
})

/** Returns the fields of the manager's last apply, in the version of that apply. */
function lastAppliedFields(apply: Apply, entry: ManagedFieldsEntry | undefined): { apiVersion: string; set: PathSet } {
  const apiVersion = entry?.apiVersion ?? apply.apiVersion
  const type = apiVersion === apply.apiVersion ? apply.type : apply.otherVersion?.(apiVersion)?.type
  const set = storedPathSet(entry?.fieldsV1)
  return { apiVersion, set: apply.typeVaries && type !== undefined ? reconcile(shapeOf(type), set) : set }
}

/**
 * Checks that the live object has a form in each version that an entry refers to. Follows reconcileManagedFieldsWithSchemaChanges,
 * which fails before anything is merged.
 * @throws UnconvertibleError
 */
function requireConvertible({ typeVaries, live, apiVersion, otherVersion }: Apply, before: readonly ManagedFieldsEntry[]): void {
  if (typeVaries !== true || live === undefined) return
  const versions = new Set(before.map((entry) => entry.apiVersion ?? '').filter((version) => version !== apiVersion))
  for (const version of versions) otherVersion?.(version)?.fromRequested(live)
}

/** The result of one merge attempt: the merged object and the conflicting managers. */
interface Attempt extends Applied {
  readonly conflicts: readonly Conflict[]
}

function conflictOf(entry: ManagedFieldsEntry, changes: Changes, typeVaries: boolean): Conflict[] {
  const set = intersection(ownedFields(entry, changes, typeVaries), changes.changed)
  return isEmpty(set) ? [] : [{ entry, set }]
}

function attempt(apply: Apply): Attempt {
  const { type, apiVersion, live, configuration, resetFields, otherVersion } = apply
  const info = applierOf(apply)
  const identifier = managerIdentifier(info)
  const before = managersBefore(apply)
  const own = before.find((entry) => managerIdentifier(entry) === identifier)
  const others = before.filter((entry) => entry !== own)
  requireConvertible(apply, before)
  const applied = recursiveDifference(fieldSet(type, configuration), resetFields)
  const object = prune({
    type,
    apiVersion,
    merged: merge(type, live ?? {}, configuration),
    last: lastAppliedFields(apply, own),
    applied: applied,
    others: others.map((entry) => ({ apiVersion: entry.apiVersion ?? '', set: storedPathSet(entry.fieldsV1) })),
    otherVersion,
  })
  const changed = live === undefined || (object !== live && !equalValues(object, live))
  const changes = new ChangesByVersion(apiVersion, { type, old: live, new: object, resetFields }, otherVersion)
  const kept: ManagedFieldsEntry[] = []
  const conflicts: Conflict[] = []
  for (const entry of others) {
    const versioned = changes.in(entry.apiVersion ?? '')
    if (versioned === undefined) continue
    append(conflicts, conflictOf(entry, versioned, apply.typeVaries === true))
    const after = entryAfter(entry, versioned, apply.typeVaries === true)
    if (after !== undefined) kept.push(after)
  }
  const set = difference(applied, IDENTITY)
  const ownEntries = isEmpty(set) ? [] : [entryOf(info, changed ? apply.time : (own?.time ?? ''), set)]
  return { object: changed ? object : (live ?? object), managers: sortManagedFields([...ownEntries, ...kept]), conflicts }
}

/**
 * Removes the conflicts that kubectl may ignore: fields of its last-applied annotation that the object still has, because its own
 * client-side apply wrote them.
 */
function effectiveConflicts(apply: Apply, conflicts: readonly Conflict[]): readonly Conflict[] {
  if (conflicts.length === 0 || apply.manager !== KUBECTL || apply.live === undefined) return conflicts
  const allowed = allowedByLastApplied(apply.type, apply.apiVersion, apply.live)
  return conflicts.map(({ entry, set }) => ({ entry, set: difference(set, allowed ?? EMPTY) })).filter(({ set }) => !isEmpty(set))
}

/**
 * Merges a configuration into the live object, removes fields that the manager applied before and that no configuration contains
 * any more, and makes the manager the owner of the configuration's fields. The caller has checked that the configuration is of
 * the kind and has no managedFields.
 *
 * @throws ApiError 500 if the configuration does not fit the type, as upstream; 409 Conflict with a cause FieldManagerConflict
 *   for each field that another manager owns with a different value, unless forced
 * @example
 * const { object, managers } = applyConfiguration({
 *   type, apiVersion: 'v1', live: undefined, configuration: { apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } },
 *   called: 'default/web; /v1, Kind=ConfigMap', calledLive: 'default/web; /v1, Kind=ConfigMap', managers: [], manager: 'kubectl', subresource: '',
 *   time: '2026-01-01T00:00:00Z', resetFields: EMPTY, force: false,
 * })
 * managers[0].fieldsV1 // { 'f:data': { 'f:a': {} } }
 */
export function applyConfiguration(apply: Apply): Applied {
  requireTypes(apply)
  return mergeConfiguration(apply)
}

/**
 * Checks that the configuration and the live object fit their type: the first half of applyConfiguration.
 * @throws ApiError 500
 */
export function requireTypes(apply: Apply): void {
  requireTyped(apply)
  const complaints = validationErrors(apply.type, apply.configuration)
  if (complaints !== undefined)
    throw new ApiError(500, '', `failed to create typed patch object (${apply.called}): ${complaints}`)
  requireLiveTyped(apply)
}

/**
 * Merges a configuration whose types are checked: the second half of applyConfiguration.
 * @throws ApiError as applyConfiguration
 */
export function mergeConfiguration(apply: Apply): Applied {
  const result = attempt(apply)
  const conflicts = apply.force ? [] : effectiveConflicts(apply, result.conflicts)
  if (conflicts.length > 0) throw conflictError(conflicts)
  return result
}
