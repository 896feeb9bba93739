/**
 * The resourceVersion of an object to create, which two calls of storage.Interface read with ObjectResourceVersion: a POST calls
 * Create, which refuses one; a PUT or an apply calls GuaranteedUpdate, which ignores it, but must be able to read it.
 *
 * Recorded: put-creates (a PUT), meta-server-owned (a POST).
 */
import { ApiError } from '../../meta/errors.ts'
import { readObjectResourceVersion } from '../../meta/resource-version.ts'

/** The call that stores a new object. */
export type StorageCall = 'Create' | 'GuaranteedUpdate'

/** Checks of the resourceVersion in the object of a request. */
interface VersionCheck {
  /** Runs after mutating admission. @throws ApiError 500 */
  readonly admitted: (resourceVersion: string) => void
  /** Runs before the object is stored, not in a dry run. @throws ApiError 500 */
  readonly stored: (resourceVersion: string) => void
}

function refuse(resourceVersion: string): void {
  if (/^[1-9]\d*$/.test(resourceVersion))
    throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created')
}

/** The checks of each call. */
export const versionOfCreate: Readonly<Record<StorageCall, VersionCheck>> = {
  Create: { admitted: () => {}, stored: refuse },
  GuaranteedUpdate: { admitted: (version) => void readObjectResourceVersion(version), stored: () => {} },
}
