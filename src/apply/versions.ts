/** The versions of a kind: entries of managedFields may speak of an object in another one than the request does. */
import type { JsonObject } from '../meta/json-value.ts'
import type { Type } from '../schema/type.ts'
import type { PathSet } from './path-set.ts'

/** A kind in one version, and the way of objects to and from the version of the request. */
export interface OtherVersion {
  readonly type: Type
  /** What the strategy resets, in this version. */
  readonly resetFields: PathSet
  readonly fromRequested: (object: JsonObject) => JsonObject
  readonly toRequested: (object: JsonObject) => JsonObject
}

/** Gives a version by its apiVersion; undefined for one that is not served any more. */
export type OtherVersions = (apiVersion: string) => OtherVersion | undefined
