/** The field sets that a write changes and removes, in each version of the API that an entry refers to. */
import type { JsonObject } from '../go/json-value.ts'
import type { Type } from '../schema/type.ts'
import type { Uncompared } from './compare.ts'
import { compare } from './compare.ts'
import type { PathSet } from './path-set.ts'
import { EMPTY, isEmpty, recursiveDifference, union } from './path-set.ts'
import { convertedAs, type OtherVersions } from './versions.ts'

/** A write in one version of the API. */
export interface VersionedWrite {
  readonly type: Type
  /** The object before the write; undefined for a create. */
  readonly old: JsonObject | undefined
  /** The object to be stored, with the `metadata.managedFields` of the request. */
  readonly new: JsonObject
  /** The strategy's GetResetFields: their ownership is not changed by this write. */
  readonly resetFields: PathSet
  /** Fields that count as changed in this version, even if they are equal. */
  readonly rewritten?: PathSet
}

/** The fields that a write changed (added or modified) and removed. */
export interface Changes {
  readonly changed: PathSet
  readonly removed: PathSet
  readonly type: Type
}

/** Fields without an owner. */
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

/** Returns the fields that need no comparison: those without an owner, and fields of the object that are reset as a whole. */
function uncomparedOf(resetFields: PathSet): Uncompared {
  const cached = uncomparedFor.get(resetFields)
  if (cached !== undefined) return cached
  const reset = Object.keys(resetFields).filter((element) => isEmpty(resetFields[element] ?? EMPTY))
  const fields = new Set([...STRIPPED_OBJECT_FIELDS, ...reset.map((element) => element.slice(2))])
  const uncompared = { fields, within: WITHIN }
  uncomparedFor.set(resetFields, uncompared)
  return uncompared
}

function changesOf(write: VersionedWrite): Changes {
  const { type, old, resetFields, rewritten = EMPTY } = write
  const { added, modified, removed } = compare(type, old, write.new, uncomparedOf(resetFields))
  return {
    changed: recursiveDifference(union(union(added, modified), rewritten), resetFields),
    removed: recursiveDifference(removed, resetFields),
    type,
  }
}

/** The changes in each version that an entry refers to, computed on first use. */
export class ChangesByVersion {
  private readonly write: VersionedWrite
  private readonly otherVersion: OtherVersions | undefined
  private readonly versions = new Map<string, Changes | undefined>()

  constructor(apiVersion: string, write: VersionedWrite, otherVersion: OtherVersions | undefined) {
    this.write = write
    this.otherVersion = otherVersion
    this.versions.set(apiVersion, changesOf(write))
  }

  /** Returns undefined for a version that is no longer served. */
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
