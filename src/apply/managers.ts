/**
 * Computes managedFields after writes other than apply. Follows FieldManager.Update of apimachinery's managedfields with all
 * managers that it wraps: changed and added fields belong to the writer, removed fields to no manager.
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
import { difference, EMPTY, isEmpty, paths, storedPathSet, union } from './path-set.ts'
import { reconcile } from './reconcile.ts'
import { shapeOf } from './schema.ts'
import { equalValues, own } from './value.ts'
import type { OtherVersions } from './versions.ts'

/** A write other than apply. */
export interface Write extends VersionedWrite {
  readonly apiVersion: string
  /** The managedFields of the object before the write, as this engine wrote them. */
  readonly managers: readonly ManagedFieldsEntry[]
  /** The field manager: see fieldManagerOf of meta/options.ts. */
  readonly manager: string
  /** '' for the main resource. */
  readonly subresource: string
  /** The current time, in the format of `time` in entries. */
  readonly time: string
  /** The other versions of the kind, for entries that refer to them; absent if the kind has only one version. */
  readonly otherVersion?: OtherVersions
  /** Whether the type can have changed since the entries were written, as with custom resources. */
  readonly typeVaries?: true
}

function metadataOf(object: JsonObject | undefined, key: string): JsonValue {
  const metadata = (object && own(object, 'metadata')) ?? null
  return (isObject(metadata) && own(metadata, key)) || null
}

/** Returns the entries before the write: those of the request if they are valid, otherwise those of the object. */
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

/** Returns the entry with this set, or the entry itself if the set is not changed. */
function withSet(entry: ManagedFieldsEntry, set: PathSet): ManagedFieldsEntry {
  return set === entry.fieldsV1 ? entry : { ...entry, fieldsV1: set }
}

/** Returns the fields that the entry owned before the write. */
export function ownedFields(entry: ManagedFieldsEntry, { type }: Changes, typeVaries: boolean): PathSet {
  const stored = storedPathSet(entry.fieldsV1)
  return typeVaries ? reconcile(shapeOf(type), stored) : stored
}

/** Returns the entry without the fields that the write changed or removed, and without others; undefined if none is left. */
export function entryAfter(
  entry: ManagedFieldsEntry,
  changes: Changes,
  typeVaries: boolean,
  others: PathSet = EMPTY,
): ManagedFieldsEntry | undefined {
  return without(entry, ownedFields(entry, changes, typeVaries), changes.changed, changes.removed, others)
}

/** Fields without an owner that a create sets: entries of the request lose them. */
const CREATED: PathSet = paths([
  ['metadata', 'name'],
  ['metadata', 'namespace'],
])

/** Returns the entry with the fields that it owned, except some of them; undefined if none is left. */
function without(entry: ManagedFieldsEntry, owned: PathSet, ...others: readonly PathSet[]): ManagedFieldsEntry | undefined {
  const after = others.reduce(difference, owned)
  return isEmpty(after) ? undefined : withSet(entry, after)
}

/** The manager that writes. */
interface Writer {
  readonly info: ManagerInfo
  readonly identifier: string
}

function writerOf({ manager, apiVersion, subresource }: Write): Writer {
  // 'unknown' is a client that sends neither a fieldManager nor a User-Agent.
  const info: ManagerInfo = { manager: manager || 'unknown', operation: 'Update', apiVersion, subresource }
  return { info, identifier: managerIdentifier(info) }
}

/** Returns the managers without what the write changed or removed. The writer keeps what it changes. */
function managersAfter(write: Write, before: readonly ManagedFieldsEntry[], changes: ChangesByVersion, writer: Writer): Managers {
  const managers: Managers = new Map()
  const typeVaries = write.typeVaries === true
  for (const entry of before) {
    const versioned = changes.in(entry.apiVersion ?? '')
    if (versioned === undefined) continue
    const identifier = managerIdentifier(entry)
    const after =
      identifier === writer.identifier
        ? without(entry, ownedFields(entry, versioned, typeVaries), versioned.removed)
        : entryAfter(entry, versioned, typeVaries, write.old === undefined ? CREATED : EMPTY)
    if (after !== undefined) managers.set(identifier, after)
  }
  return managers
}

/**
 * Makes the writer the owner of the changed fields. The time of an entry is that of the last write by which its manager became
 * the owner of a field.
 */
function recordWriter(managers: Managers, { info, identifier }: Writer, changed: PathSet, time: string): void {
  if (isEmpty(changed)) return
  const previous = managers.get(identifier)
  const set = previous === undefined ? changed : union(storedPathSet(previous.fieldsV1), changed)
  managers.set(identifier, entryOf(info, time, set))
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i])

/**
 * Returns the managedFields of the object, as updateManagedFields does.
 * @throws ApiError 500 or RangeError if an object does not fit the type
 */
export function managedFieldsAfter(write: Write): ManagedFieldsEntry[] {
  const before = managersBefore(write)
  const exists = metadataOf(write.old, 'uid') !== null
  if (before.length === 0 && exists) return []
  const changes = new ChangesByVersion(write.apiVersion, write, write.otherVersion)
  const writer = writerOf(write)
  const managers = managersAfter(write, before, changes, writer)
  recordWriter(managers, writer, changes.in(write.apiVersion)?.changed ?? EMPTY, write.time)
  capUpdateManagers(managers)
  const entries = [...managers.values()]
  return isSame(entries, before) && before === write.managers ? entries : sortManagedFields(entries)
}

/**
 * Returns the managedFields of the object after a create, an update or a patch other than apply. The list is empty if no field is
 * owned, or if an existing object has no managedFields: its owners are then unknown until the next apply. Entries that the write
 * does not change are the same objects as before. An object that does not fit its type gets no managedFields, as upstream:
 * validation will reject it.
 */
export function updateManagedFields(write: Write): ManagedFieldsEntry[] {
  try {
    return managedFieldsAfter(write)
  } catch (error) {
    if (error instanceof ApiError || error instanceof RangeError) return []
    throw error
  }
}
