/**
 * Server-side apply: a configuration becomes part of a live object, and its fields the applier's.
 * Follows Updater.Apply of structured-merge-diff and FieldManager.Apply of apimachinery's managedfields (KEP-555).
 */

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
import { entryAfter, managedFieldsAfter, setOf } from './managers.ts'
import { merge } from './merge.ts'
import type { PathSet } from './path-set.ts'
import { difference, EMPTY, intersection, isEmpty, paths, recursiveDifference, storedPathSet } from './path-set.ts'
import { prune } from './prune.ts'
import { reconcile } from './reconcile.ts'
import { shapeOf } from './schema.ts'
import { fieldSet } from './typed.ts'
import { complaintsOf } from './validate.ts'
import { equalValues } from './value.ts'
import type { OtherVersions } from './versions.ts'

/** A configuration to be applied. Objects are in the version of the request. */
export interface Apply {
  readonly type: Type
  readonly apiVersion: string
  /** The object as it is stored, and undefined where there is none yet. */
  readonly live: JsonObject | undefined
  readonly configuration: JsonObject
  /** The configuration as messages name it: `default/web; apps/v1, Kind=Deployment`. */
  readonly called: string
  /** The entries of the live object, as this engine wrote them. */
  readonly managers: readonly ManagedFieldsEntry[]
  readonly manager: string
  /** '' for the resource itself. */
  readonly subresource: string
  /** Now, as `time` of entries is written. */
  readonly time: string
  /** What the strategy resets: it is merged, but no one comes to own it. */
  readonly resetFields: PathSet
  /** Take the fields that others own otherwise. */
  readonly force: boolean
  /** What entries of another version speak of; absent where the kind has one version alone. */
  readonly otherVersion?: OtherVersions
  /** The type may have changed since the entries were written, as a custom resource's may. */
  readonly typeVaries?: true
}

/** What comes of it. */
export interface Applied {
  /** The live object itself where nothing changes. Neither decoded nor defaulted. */
  readonly object: JsonObject
  /** The entries of the object: the ones before, each the same, where nobody's fields change. */
  readonly managers: readonly ManagedFieldsEntry[]
}

/** What no one ever owns, member by member: not what lies below. */
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

/** An object that nobody owns anything of, as one that was made before ownership was recorded: all of it is `before-first-apply`'s. */
function managersBefore(apply: Apply): readonly ManagedFieldsEntry[] {
  const { live, type, apiVersion, subresource, time, resetFields } = apply
  const managers = lastByManager(apply.managers)
  if (managers.length > 0 || live === undefined) return managers
  const manager = 'before-first-apply'
  return managedFieldsAfter({ type, apiVersion, old: undefined, new: live, managers, manager, subresource, time, resetFields })
}

/** The applier's entry: one, whatever version it applied in. */
const applierOf = ({ manager, apiVersion, subresource }: Apply): ManagerInfo => ({
  manager,
  operation: 'Apply',
  apiVersion,
  subresource,
})

/** What the applier owned before, in the version in which it said so. */
function lastSaid(apply: Apply, entry: ManagedFieldsEntry | undefined): { apiVersion: string; set: PathSet } {
  const apiVersion = entry?.apiVersion ?? apply.apiVersion
  const type = apiVersion === apply.apiVersion ? apply.type : apply.otherVersion?.(apiVersion)?.type
  const set = storedPathSet(entry?.fieldsV1)
  return { apiVersion, set: apply.typeVaries && type !== undefined ? reconcile(shapeOf(type), set) : set }
}

/** One attempt: what would come of it, and who stands against it. */
interface Attempt extends Applied {
  readonly conflicts: readonly Conflict[]
}

function conflictOf(entry: ManagedFieldsEntry, changes: Changes, typeVaries: boolean): Conflict[] {
  const set = intersection(setOf(entry, changes, typeVaries), changes.changed)
  return isEmpty(set) ? [] : [{ entry, set }]
}

function attempt(apply: Apply): Attempt {
  const { type, apiVersion, live, configuration, resetFields, otherVersion } = apply
  const info = applierOf(apply)
  const identifier = managerIdentifier(info)
  const before = managersBefore(apply)
  const own = before.find((entry) => managerIdentifier(entry) === identifier)
  const others = before.filter((entry) => entry !== own)
  const said = recursiveDifference(fieldSet(type, configuration), resetFields)
  const object = prune({
    type,
    apiVersion,
    merged: merge(type, live ?? {}, configuration),
    last: lastSaid(apply, own),
    said,
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
    conflicts.push(...conflictOf(entry, versioned, apply.typeVaries === true))
    const after = entryAfter(entry, versioned, apply.typeVaries === true)
    if (after !== undefined) kept.push(after)
  }
  const set = difference(said, IDENTITY)
  const mine = isEmpty(set) ? [] : [entryOf(info, changed ? apply.time : (own?.time ?? ''), set)]
  return { object: changed ? object : (live ?? object), managers: sortManagedFields([...mine, ...kept]), conflicts }
}

/** kubectl may take what its own client-side apply left to others: what the last-applied annotation says and the object still has. */
function contested(apply: Apply, conflicts: readonly Conflict[]): readonly Conflict[] {
  if (conflicts.length === 0 || apply.manager !== KUBECTL || apply.live === undefined) return conflicts
  const allowed = allowedByLastApplied(apply.type, apply.apiVersion, apply.live)
  return conflicts.map(({ entry, set }) => ({ entry, set: difference(set, allowed ?? EMPTY) })).filter(({ set }) => !isEmpty(set))
}

/**
 * Merges the configuration into the live object, takes away what the applier said before and nobody says any more, and gives
 * the applier what it says now. The configuration is known to be of the kind, and without managedFields.
 *
 * @throws ApiError 500 for a configuration that is not of the type, as upstream; 409 Conflict with a FieldManagerConflict for
 *   each field that somebody else owns with another value, unless forced
 */
export function applyConfiguration(apply: Apply): Applied {
  const complaints = complaintsOf(apply.type, apply.configuration)
  if (complaints !== undefined)
    throw new ApiError(500, '', `failed to create typed patch object (${apply.called}): ${complaints}`)
  const attempted = attempt(apply)
  const conflicts = apply.force ? [] : contested(apply, attempted.conflicts)
  if (conflicts.length > 0) throw conflictError(conflicts)
  return attempted
}
