/**
 * Who owns what after a write that is no apply. Follows FieldManager.Update of apimachinery's managedfields with all that it
 * wraps: fields that were changed or added pass to the writer, fields that went away are no one's.
 */

import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { ApiError } from '../meta/errors.ts'
import type { ManagedFieldsEntry } from '../meta/object-meta.ts'
import type { Changes, VersionedWrite } from './changes.ts'
import { ChangesByVersion } from './changes.ts'
import type { ManagerInfo, Managers } from './managed-fields.ts'
import {
  capUpdateManagers,
  decodeManagedFields,
  entryOf,
  isReset,
  managerIdentifier,
  sortManagedFields,
} from './managed-fields.ts'
import type { PathSet } from './path-set.ts'
import { difference, EMPTY, isEmpty, storedPathSet, union } from './path-set.ts'
import { reconcile } from './reconcile.ts'
import { shapeOf } from './schema.ts'
import { equalValues, own } from './value.ts'
import type { OtherVersions } from './versions.ts'

/** A write that is no apply. */
export interface Write extends VersionedWrite {
  readonly apiVersion: string
  /** The entries of the object before, as this engine wrote them. */
  readonly managers: readonly ManagedFieldsEntry[]
  /** See fieldManagerOf of meta/options.ts. */
  readonly manager: string
  /** '' for the resource itself. */
  readonly subresource: string
  /** Now, as `time` of entries is written. */
  readonly time: string
  /** What entries of another version speak of; absent where the kind has one version alone. */
  readonly otherVersion?: OtherVersions
  /** The type may have changed since the entries were written, as a custom resource's may. */
  readonly typeVaries?: true
}

function metadataOf(object: JsonObject | undefined, key: string): JsonValue {
  const metadata = (object && own(object, 'metadata')) ?? null
  return (isObject(metadata) && own(metadata, key)) || null
}

/** The entries that the write begins with: those of the client where it sent readable ones, else those of the object. */
function managersBefore(write: Write): readonly ManagedFieldsEntry[] {
  if (write.subresource !== '') return write.managers
  const requested = metadataOf(write.new, 'managedFields')
  if (!Array.isArray(requested)) return write.managers
  if (isReset(requested)) return []
  if (equalValues(requested, metadataOf(write.old, 'managedFields'))) return write.managers
  try {
    return decodeManagedFields(requested).map((entry) => reconciled(entry, write))
  } catch (error) {
    if (error instanceof ApiError) return write.managers
    throw error
  }
}

function reconciled(entry: ManagedFieldsEntry, write: Write): ManagedFieldsEntry {
  const type = entry.apiVersion === write.apiVersion ? write.type : write.otherVersion?.(entry.apiVersion ?? '')?.type
  if (type === undefined) return entry
  return withSet(entry, reconcile(shapeOf(type), storedPathSet(entry.fieldsV1)))
}

/** The entry with this set: itself where that is its set already. */
function withSet(entry: ManagedFieldsEntry, set: PathSet): ManagedFieldsEntry {
  return set === entry.fieldsV1 ? entry : { ...entry, fieldsV1: set }
}

/** What the entry owned before the write. */
export function setOf(entry: ManagedFieldsEntry, { type }: Changes, typeVaries: boolean): PathSet {
  const stored = storedPathSet(entry.fieldsV1)
  return typeVaries ? reconcile(shapeOf(type), stored) : stored
}

/** The entry without what the write took from it, undefined when nothing is left. */
export function entryAfter(entry: ManagedFieldsEntry, changes: Changes, typeVaries: boolean): ManagedFieldsEntry | undefined {
  const before = setOf(entry, changes, typeVaries)
  const after = difference(difference(before, changes.changed), changes.removed)
  return isEmpty(after) ? undefined : withSet(entry, after)
}

function managersAfter(before: readonly ManagedFieldsEntry[], changes: ChangesByVersion, typeVaries: boolean): Managers {
  const managers: Managers = new Map()
  for (const entry of before) {
    const versioned = changes.in(entry.apiVersion ?? '')
    const after = versioned && entryAfter(entry, versioned, typeVaries)
    if (after !== undefined) managers.set(managerIdentifier(after), after)
  }
  return managers
}

/** Gives the writer what it changed. The time of an entry is that of the last write by which its manager came to own something. */
function recordWriter(managers: Managers, write: Write, changed: PathSet): void {
  if (isEmpty(changed)) return
  const info: ManagerInfo = {
    // Who sends neither a fieldManager nor a User-Agent.
    manager: write.manager || 'unknown',
    operation: 'Update',
    apiVersion: write.apiVersion,
    subresource: write.subresource,
  }
  const identifier = managerIdentifier(info)
  const previous = managers.get(identifier)
  const set = previous === undefined ? changed : union(changed, storedPathSet(previous.fieldsV1))
  managers.set(identifier, entryOf(info, write.time, set))
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i])

/** The same, with the error of an object that is not of its type. */
export function managedFieldsAfter(write: Write): ManagedFieldsEntry[] {
  const before = managersBefore(write)
  const exists = metadataOf(write.old, 'uid') !== null
  if (before.length === 0 && exists) return []
  const changes = new ChangesByVersion(write.apiVersion, write, write.otherVersion)
  const managers = managersAfter(before, changes, write.typeVaries === true)
  recordWriter(managers, write, changes.in(write.apiVersion)?.changed ?? EMPTY)
  capUpdateManagers(managers)
  const entries = [...managers.values()]
  return isSame(entries, before) && before === write.managers ? entries : sortManagedFields(entries)
}

/**
 * The managedFields of the object after a create, an update or a patch that is no apply; none (an empty list) where nothing is
 * owned, or where an object that exists has none: who owns what is then not known, and stays so until the next apply.
 * Entries that the write leaves as they are come back as the same objects.
 * An object that is not of its type gets none, as upstream gives it none: its validation is about to refuse it.
 */
export function updateManagedFields(write: Write): ManagedFieldsEntry[] {
  try {
    return managedFieldsAfter(write)
  } catch (error) {
    if (error instanceof ApiError || error instanceof RangeError) return []
    throw error
  }
}
