/** What a write changed, in each version of the API that someone asks about. */
import type { JsonObject } from '../go/json-value.ts'
import type { Type } from '../schema/type.ts'
import type { Uncompared } from './compare.ts'
import { compare } from './compare.ts'
import type { PathSet } from './path-set.ts'
import { EMPTY, isEmpty, recursiveDifference, union } from './path-set.ts'
import { convertedAs, type OtherVersions } from './versions.ts'

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

/** What a write changed (added or modified) and removed. */
export interface Changes {
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

/** The changes in each version that an entry has, made when first asked for. */
export class ChangesByVersion {
  private readonly write: VersionedWrite
  private readonly otherVersion: OtherVersions | undefined
  private readonly versions = new Map<string, Changes | undefined>()

  constructor(apiVersion: string, write: VersionedWrite, otherVersion: OtherVersions | undefined) {
    this.write = write
    this.otherVersion = otherVersion
    this.versions.set(apiVersion, changesOf(write))
  }

  /** Undefined for a version that is not served any more. */
  in(apiVersion: string): Changes | undefined {
    if (this.versions.has(apiVersion)) return this.versions.get(apiVersion)
    const changes = this.otherChanges(apiVersion)
    this.versions.set(apiVersion, changes)
    return changes
  }

  private otherChanges(apiVersion: string): Changes | undefined {
    const other = this.otherVersion?.(apiVersion)
    if (other === undefined) return undefined
    const { type, resetFields, fromRequested } = other
    const { old } = this.write
    return changesOf({
      type,
      resetFields,
      old: old && convertedAs('old object', fromRequested, old),
      new: convertedAs('new object', fromRequested, this.write.new),
    })
  }
}
