/** Errors of preconditions that kube-apiserver checks in its storage. Their messages contain the etcd key. */
import type { Kind } from '../catalog/kind.ts'
import type { Target } from '../clusters/operation.ts'
import { type ApiError, conflict } from '../meta/errors.ts'

/** Returns the etcd key of an object, or of a namespace if the name is '', as in kube-apiserver's messages. */
export const shownKey = (kind: Kind, namespace: string, name: string): string =>
  ['', kind.storage.etcdPrefix, ...[namespace, name].filter((part) => part !== '')].join('/')

/**
 * Returns the 409 error of a failed precondition.
 * @param why the expected and the actual value
 * @param dryRun whether to omit the root `/registry`, as kube-apiserver does in a dry run
 */
export function preconditionFailed(kind: Kind, { namespace, name }: Target, why: string, dryRun = false): ApiError {
  const key = `${dryRun ? '' : '/registry'}${shownKey(kind, namespace, name)}`
  const storageError = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${why}`
  return conflict(kind, name, storageError)
}
