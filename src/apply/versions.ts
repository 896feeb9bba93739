/** The versions of a kind: entries of managedFields may refer to other versions than the request. */
import type { JsonObject } from '../go/json-value.ts'
import type { Type } from '../schema/type.ts'
import type { PathSet } from './path-set.ts'

/** The object has fields that another version does not have, so ownership there is unknown. */
export class UnconvertibleError extends Error {}

/**
 * Converts an object that messages call `called`.
 * @param during the beginning of the message: the work that fails
 * @throws UnconvertibleError with structured-merge-diff's text
 */
export function convertedAs(
  called: string,
  convert: (object: JsonObject) => JsonObject,
  object: JsonObject,
  during = '',
): JsonObject {
  try {
    return convert(object)
  } catch (error) {
    if (error instanceof UnconvertibleError)
      throw new UnconvertibleError(`${during}failed to convert ${called}: ${error.message}`)
    throw error
  }
}

/** A version of a kind, with the conversions from and to the version of the request. */
export interface OtherVersion {
  readonly type: Type
  /** The strategy's GetResetFields in this version. */
  readonly resetFields: PathSet
  /** Both conversions throw UnconvertibleError. */
  readonly fromRequested: (object: JsonObject) => JsonObject
  readonly toRequested: (object: JsonObject) => JsonObject
}

/** Returns a version by its apiVersion; undefined if it is no longer served. */
export type OtherVersions = (apiVersion: string) => OtherVersion | undefined
