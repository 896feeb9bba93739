/** The entries of `metadata.managedFields`: their identity, their order, their bound, and reading what a client sent as such. */

import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { compareText } from '../go/text.ts'
import { badRequest } from '../meta/errors.ts'
import type { ManagedFieldsEntry } from '../meta/object-meta.ts'
import { parseFieldsV1 } from './fields-v1.ts'
import type { PathSet } from './path-set.ts'
import { EMPTY, storedPathSet, unionOf } from './path-set.ts'
import { own } from './value.ts'

/** What an entry records beside its set. */
export interface ManagerInfo {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
}

/** An entry, its keys in the order in which Go encodes them; those with nothing in them left out. */
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

/** What makes two entries one: an applier is the same whatever version it applied in. Follows BuildManagerIdentifier. */
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
 * Of entries of one identity the last: writes through a Scale leave two of one manager. The same list where there are none.
 * Follows DecodeManagedFields, which reads entries into a map.
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
 * The entries that a client sent, their sets in canonical form; of entries of one identity the last.
 * Throws badRequest for what is no managedFields. Follows DecodeManagedFields.
 */
export function decodeManagedFields(value: readonly JsonValue[]): ManagedFieldsEntry[] {
  return [...lastByManager(value.map(decodeEntry))]
}

function isEmptyEntry(value: JsonValue): boolean {
  return isObject(value) && Object.values(value).every((field) => field === '' || field === null)
}

/** Whether a client asks for managedFields to be forgotten: with an empty list, or with one empty entry. */
export function isReset(value: readonly JsonValue[]): boolean {
  return value.length === 0 || (value.length === 1 && isEmptyEntry(value[0] ?? null))
}

/** Whole seconds, because that is what the order of entries looks at; 0 for an entry without a time. */
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

/** The order in which objects show their entries: appliers first, then the oldest. */
export function sortManagedFields(entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  return entries.length < 2 ? [...entries] : entries.toSorted(compareEntries)
}

const MAX_UPDATE_MANAGERS = 10

/** Entries by their identity. */
export type Managers = Map<string, ManagedFieldsEntry>

/** What is merged into the `ancient-changes` of a version. */
interface Bucket {
  readonly info: ManagerInfo
  readonly identifier: string
  /** The oldest entry of the version, which becomes part of a bucket only where one is made. */
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
 * Merges the oldest entries of updates into one entry `ancient-changes` per version until no more than ten are left.
 * Changes `managers`. Follows capManagersManager, which keeps the first of a version as it is until a second has to go, and
 * forgets a bucket that comes behind an entry of the same second.
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
