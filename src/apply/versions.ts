/** The versions of a kind: entries of managedFields may speak of an object in another one than the request does. */
import type { JsonObject } from '../go/json-value.ts'
import type { Type } from '../schema/type.ts'
import type { PathSet } from './path-set.ts'

/** An object that has fields which another version does not know: what is owned there cannot be told. */
export class UnconvertibleError extends Error {}

/**
 * Converts what a message calls so.
 * @throws UnconvertibleError as structured-merge-diff words it
 */
export function convertedAs(called: string, convert: (object: JsonObject) => JsonObject, object: JsonObject): JsonObject {
  try {
    return convert(object)
  } catch (error) {
    if (error instanceof UnconvertibleError) throw new UnconvertibleError(`failed to convert ${called}: ${error.message}`)
    throw error
  }
}

/** A kind in one version, and the way of objects to and from the version of the request. */
export interface OtherVersion {
  readonly type: Type
  /** What the strategy resets, in this version. */
  readonly resetFields: PathSet
  /** Both throw UnconvertibleError. */
  readonly fromRequested: (object: JsonObject) => JsonObject
  readonly toRequested: (object: JsonObject) => JsonObject
}

/** Gives a version by its apiVersion; undefined for one that is not served any more. */
export type OtherVersions = (apiVersion: string) => OtherVersion | undefined
