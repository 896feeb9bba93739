/** Errors of preconditions: those that kube-apiserver checks in its storage, with the etcd key in the message, and those of strategies. */
import type { Kind } from '../catalog/kind.ts'
import type { DeleteOptions, Target } from '../clusters/operation.ts'
import { type ApiError, conflict, type GroupResource } from '../meta/errors.ts'
import type { ObjectMeta } from '../meta/object-meta.ts'

/** Returns the etcd key of an object, or of a namespace if the name is '', as in kube-apiserver's messages. */
export const shownKey = (kind: Kind, namespace: string, name: string): string =>
  ['', kind.storage.etcdPrefix, ...[namespace, name].filter((part) => part !== '')].join('/')

/** Says which precondition of an object's metadata does not hold. @param found the object's own value */
export const unmet = (field: 'UID' | 'ResourceVersion', wanted: string, found: string | undefined): string =>
  `${field} in precondition: ${wanted}, ${field} in object meta: ${found ?? ''}`

/**
 * Returns the 409 error of a failed precondition.
 * @param why what `unmet` says
 * @param dryRun whether to omit the root `/registry`, as kube-apiserver does in a dry run
 */
export function preconditionFailed(
  kind: Kind,
  { namespace, name }: Pick<Target, 'namespace' | 'name'>,
  why: string,
  dryRun = false,
): ApiError {
  const key = `${dryRun ? '' : '/registry'}${shownKey(kind, namespace, name)}`
  const storageError = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${why}`
  return conflict(kind, name, storageError)
}

/**
 * Returns the 409 error of a deletion whose preconditions do not hold, as strategies check them that delete in their own way;
 * undefined if they hold.
 */
export function deletionConflict(
  resource: GroupResource,
  { name = '', ...actual }: ObjectMeta,
  expected: DeleteOptions,
): ApiError | undefined {
  for (const [field, text] of [['uid', 'UID'] as const, ['resourceVersion', 'ResourceVersion'] as const]) {
    const [wanted, found] = [expected[field], actual[field]]
    if (wanted === undefined || wanted === (found ?? '')) continue
    return conflict(resource, name, `Precondition failed: ${unmet(text, wanted, found)}`)
  }
  return undefined
}
