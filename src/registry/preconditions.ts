/** Preconditions that the storage checks: their refusal names the key in etcd, and clients see it. */
import type { Kind } from '../catalog/kind.ts'
import type { Target } from '../clusters/operation.ts'
import { type ApiError, conflict } from '../meta/errors.ts'

/** The key of an object, or of a namespace where the name is '', as kube-apiserver's messages show it. */
export const shownKey = (kind: Kind, namespace: string, name: string): string =>
  ['', kind.storage.etcdPrefix, ...[namespace, name].filter((part) => part !== '')].join('/')

/** 409: a precondition does not hold; `why` tells what was asked for and what is there; a dry run knows no root. */
export function preconditionFailed(kind: Kind, { namespace, name }: Target, why: string, dryRun = false): ApiError {
  const key = `${dryRun ? '' : '/registry'}${shownKey(kind, namespace, name)}`
  const storageError = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${why}`
  return conflict(kind, name, storageError)
}
