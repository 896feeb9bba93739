/**
 * Keys that the YAML of an apply repeats. Follows applyPatcher.applyPatchToCurrentObject of k8s.io/apiserver: they are reported when
 * the configuration has been merged, so a conflict comes before them, and the error of a later step after them.
 *
 * Recorded: ssa-duplicates-errors, ssa-yaml.
 */
import { ApiError, badRequest } from '../../meta/errors.ts'

/** The report of repeated keys, by the field validation of the request. */
export interface RepeatedKeys {
  /** The error of fieldValidation=Strict. */
  readonly strictError?: string
  /** The warnings of fieldValidation=Warn that an error gets, too. */
  readonly errorWarnings?: readonly string[]
}

/**
 * Performs the write of a merged configuration and reports its repeated keys.
 * @throws ApiError 400 for Strict, and the errors of `write` with the warnings
 */
export function reportRepeatedKeys<T>({ strictError, errorWarnings = [] }: RepeatedKeys, write: () => T): T {
  if (strictError !== undefined) throw badRequest(strictError)
  try {
    return write()
  } catch (error) {
    if (error instanceof ApiError) error.warning(errorWarnings)
    throw error
  }
}
