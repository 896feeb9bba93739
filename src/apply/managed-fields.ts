/** The entries of `metadata.managedFields`: identity, order, maximum number, and decoding of entries from clients. */

import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { compareText } from '../go/text.ts'
import { badRequest } from '../meta/errors.ts'
import type { ManagedFieldsEntry } from '../meta/object-meta.ts'
import { parseFieldsV1 } from './fields-v1.ts'
import type { PathSet } from './path-set.ts'
import { EMPTY, storedPathSet, unionOf } from './path-set.ts'
import { own } from './value.ts'

/** The properties of an entry besides its field set and time. */
export interface ManagerInfo {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
}

/** Returns an entry with its keys in Go's encoding order and without empty ones. */
export function entryOf(info: ManagerInfo, time: string, set: PathSet): ManagedFieldsEntry {
  return {
    ...(info.manager !== '' && { manager: info.manager }),
    operation: info.operation,
    apiVersion: info.apiVersion,
    ...(time !== '' && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: set,
    ...(info.subresource !== '' && { subresource: info.subresource }),
  }
}

/**
 * Returns the identity of an entry. The identity of an apply entry does not depend on its version. Follows
 * BuildManagerIdentifier.
 */
export function managerIdentifier(entry: ManagedFieldsEntry | ManagerInfo): string {
  const { manager, operation, apiVersion, subresource } = entry
  return JSON.stringify({
    ...(manager && { manager }),
    operation,
    ...(operation === 'Update' && { apiVersion }),
    ...(subresource && { subresource }),
  })
}

/**
 * Keeps the last of several entries with one identity, which writes through the Scale subresource can leave. Returns the same
 * list if there are no duplicates. Follows DecodeManagedFields, which decodes entries into a map.
 */
export function lastByManager(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  if (entries.length < 2) return entries
  const byManager = new Map(entries.map((entry) => [managerIdentifier(entry), entry]))
  return byManager.size === entries.length ? entries : [...byManager.values()]
}

function textOf(entry: JsonObject, key: string): string {
  const value = own(entry, key) ?? ''
  if (typeof value !== 'string') throw badRequest(`managedFields: ${key} must be a string`)
  return value
}

function decodeEntry(value: JsonValue, index: number): ManagedFieldsEntry {
  if (!isObject(value)) throw badRequest('managedFields must hold objects')
  const operation = textOf(value, 'operation')
  if (operation !== 'Apply' && operation !== 'Update') throw badRequest('operation must be `Apply` or `Update`')
  const apiVersion = textOf(value, 'apiVersion')
  if (apiVersion === '') throw badRequest('apiVersion must not be empty')
  const fieldsType = textOf(value, 'fieldsType')
  if (fieldsType === '') throw badRequest(`missing fieldsType in managed fields entry ${index}`)
  if (fieldsType !== 'FieldsV1') throw badRequest(`invalid fieldsType "${fieldsType}" in managed fields entry ${index}`)
  const info = { manager: textOf(value, 'manager'), operation, apiVersion, subresource: textOf(value, 'subresource') } as const
  const fieldsV1 = own(value, 'fieldsV1') ?? null
  return entryOf(info, textOf(value, 'time'), fieldsV1 === null ? EMPTY : parseFieldsV1(fieldsV1))
}

/**
 * Decodes the entries of a request, with canonical field sets, and keeps the last of several with one identity. Follows
 * DecodeManagedFields.
 * @throws ApiError 400 if they are not valid
 */
export function decodeManagedFields(value: readonly JsonValue[]): ManagedFieldsEntry[] {
  return [...lastByManager(value.map(decodeEntry))]
}

function isEmptyEntry(value: JsonValue): boolean {
  return isObject(value) && Object.values(value).every((field) => field === '' || field === null)
}

/** Whether a client resets managedFields: with an empty list, or a list with one empty entry. */
export function isReset(value: readonly JsonValue[]): boolean {
  return value.length === 0 || (value.length === 1 && isEmptyEntry(value[0] ?? null))
}

/** Returns whole seconds, the precision by which entries are sorted; 0 for an entry without a time. */
function secondsOf(entry: ManagedFieldsEntry): number {
  const milliseconds = Date.parse(entry.time ?? '')
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1000)
}

function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareText(a.operation ?? '', b.operation ?? '') ||
    secondsOf(a) - secondsOf(b) ||
    compareText(a.manager ?? '', b.manager ?? '') ||
    compareText(a.apiVersion ?? '', b.apiVersion ?? '') ||
    compareText(a.subresource ?? '', b.subresource ?? '')
  )
}

/** Sorts entries for output: apply entries first, then the oldest. */
export function sortManagedFields(entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  return entries.length < 2 ? [...entries] : entries.toSorted(compareEntries)
}

const MAX_UPDATE_MANAGERS = 10

/** Entries by identity. */
export type Managers = Map<string, ManagedFieldsEntry>

/** The entries of one version that are merged into `ancient-changes`. */
interface Bucket {
  readonly info: ManagerInfo
  readonly identifier: string
  /** The identifier of the oldest entry of the version, which is merged only if a second one is. */
  readonly first: string
  sets: PathSet[]
  time: string
}

function bucketOf(apiVersion: string, first: string): Bucket {
  const info: ManagerInfo = { manager: 'ancient-changes', operation: 'Update', apiVersion, subresource: '' }
  return { info, identifier: managerIdentifier(info), first, sets: [], time: '' }
}

function oldestUpdaters(managers: Managers): (readonly [identifier: string, entry: ManagedFieldsEntry])[] {
  const updaters = [...managers].filter(([, entry]) => entry.operation === 'Update')
  updaters.sort(([x, a], [y, b]) => secondsOf(a) - secondsOf(b) || compareText(x, y))
  return updaters
}

/**
 * Merges the oldest update entries into one entry `ancient-changes` per version until at most ten are left. Modifies `managers`.
 * Follows capManagersManager, which keeps the first entry of a version until a second must be merged, and forgets a bucket that
 * comes after an entry of the same second.
 */
export function capUpdateManagers(managers: Managers): void {
  if (managers.size <= MAX_UPDATE_MANAGERS) return
  const updaters = oldestUpdaters(managers)
  const buckets = new Map<string, Bucket>()
  let count = updaters.length
  for (const [identifier, entry] of updaters) {
    if (count <= MAX_UPDATE_MANAGERS) break
    const version = entry.apiVersion ?? ''
    const bucket = buckets.get(version)
    if (bucket === undefined) {
      buckets.set(version, bucketOf(version, identifier))
      continue
    }
    merge(managers, bucket, identifier, entry)
    count--
  }
  for (const { info, identifier, sets, time } of buckets.values()) {
    if (sets.length > 0) managers.set(identifier, entryOf(info, time, unionOf(sets)))
  }
}

function merge(managers: Managers, bucket: Bucket, identifier: string, entry: ManagedFieldsEntry): void {
  managers.delete(identifier)
  if (identifier === bucket.identifier) {
    bucket.sets = []
    return
  }
  if (bucket.sets.length === 0) {
    const begun = managers.has(bucket.identifier) ? bucket.identifier : bucket.first
    bucket.sets.push(storedPathSet(managers.get(begun)?.fieldsV1))
    managers.delete(begun)
  }
  bucket.sets.push(storedPathSet(entry.fieldsV1))
  bucket.time = entry.time ?? ''
}
