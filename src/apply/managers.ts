/**
 * Who owns what after a write that is no apply. Follows FieldManager.Update of apimachinery's managedfields with all that it
 * wraps: fields that were changed or added pass to the writer, fields that went away are no one's.
 */
import { ApiError } from '../meta/errors.ts'
import type { JsonObject, JsonValue } from '../meta/json-value.ts'
import type { ManagedFieldsEntry } from '../meta/object-meta.ts'
import type { Type } from '../schema/type.ts'
import type { Uncompared } from './compare.ts'
import { compare } from './compare.ts'
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
import { difference, EMPTY, isEmpty, recursiveDifference, storedPathSet, union } from './path-set.ts'
import { reconcile } from './reconcile.ts'
import { shapeOf } from './schema.ts'
import { equalValues, isObject, own } from './value.ts'

/** Both sides of a write in one version of the API. */
export interface VersionedWrite {
  readonly type: Type
  /** The object before; undefined when it is created. */
  readonly old: JsonObject | undefined
  /** The object as it is to be stored, with the `metadata.managedFields` that the client sent. */
  readonly new: JsonObject
  /** What the strategy resets: no one comes to own it by this write, nor loses it. */
  readonly resetFields: PathSet
}

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
  /** The write in another version, for the entries of that version; undefined for versions that are not served any more. */
  readonly inVersion?: (apiVersion: string) => VersionedWrite | undefined
  /** The type may have changed since the entries were written, as a custom resource's may. */
  readonly typeVaries?: true
}

/** What a write changed (added or modified) and removed. */
interface Changes {
  readonly changed: PathSet
  readonly removed: PathSet
  readonly type: Type
}

/** What no one ever owns. */
const STRIPPED_OBJECT_FIELDS = ['apiVersion', 'kind']
const STRIPPED_META: Uncompared = {
  fields: new Set([
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ]),
  within: new Map(),
}
const WITHIN = new Map([['metadata', STRIPPED_META]])

const uncomparedFor = new WeakMap<PathSet, Uncompared>()

/** What need not be looked at: what is never owned, and fields of the object that are reset as a whole. */
function uncomparedOf(resetFields: PathSet): Uncompared {
  const known = uncomparedFor.get(resetFields)
  if (known !== undefined) return known
  const reset = Object.keys(resetFields).filter((element) => isEmpty(resetFields[element] ?? EMPTY))
  const fields = new Set([...STRIPPED_OBJECT_FIELDS, ...reset.map((element) => element.slice(2))])
  const uncompared = { fields, within: WITHIN }
  uncomparedFor.set(resetFields, uncompared)
  return uncompared
}

function changesOf(write: VersionedWrite): Changes {
  const { type, old, resetFields } = write
  const { added, modified, removed } = compare(type, old, write.new, uncomparedOf(resetFields))
  return {
    changed: recursiveDifference(union(added, modified), resetFields),
    removed: recursiveDifference(removed, resetFields),
    type,
  }
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
  const type = entry.apiVersion === write.apiVersion ? write.type : write.inVersion?.(entry.apiVersion ?? '')?.type
  if (type === undefined) return entry
  return withSet(entry, reconcile(shapeOf(type), storedPathSet(entry.fieldsV1)))
}

/** The entry with this set: itself where that is its set already. */
function withSet(entry: ManagedFieldsEntry, set: PathSet): ManagedFieldsEntry {
  return set === entry.fieldsV1 ? entry : { ...entry, fieldsV1: set }
}

/** The changes in each version that an entry has, made when first asked for. */
class ChangesByVersion {
  private readonly write: Write
  private readonly versions = new Map<string, Changes | undefined>()

  constructor(write: Write) {
    this.write = write
    this.versions.set(write.apiVersion, changesOf(write))
  }

  /** Undefined for a version that is not served any more. */
  in(apiVersion: string): Changes | undefined {
    if (this.versions.has(apiVersion)) return this.versions.get(apiVersion)
    const versioned = this.write.inVersion?.(apiVersion)
    const changes = versioned && changesOf(versioned)
    this.versions.set(apiVersion, changes)
    return changes
  }
}

/** The entry without what the write took from it, undefined when nothing is left. */
function entryAfter(entry: ManagedFieldsEntry, changes: Changes, typeVaries: boolean): ManagedFieldsEntry | undefined {
  const stored = storedPathSet(entry.fieldsV1)
  const before = typeVaries ? reconcile(shapeOf(changes.type), stored) : stored
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
    manager: write.manager,
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

function managedFieldsAfter(write: Write): ManagedFieldsEntry[] {
  const before = managersBefore(write)
  const exists = metadataOf(write.old, 'uid') !== null
  if (before.length === 0 && exists) return []
  const changes = new ChangesByVersion(write)
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
