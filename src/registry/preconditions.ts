/** Preconditions that the storage checks: their refusal names the key in etcd, and clients see it. */
import type { Kind } from '../catalog/kind.ts'
import type { Target } from '../clusters/operation.ts'
import { type ApiError, conflict } from '../meta/errors.ts'

/** Where kube-apiserver keeps objects of resources whose prefix in etcd is not the resource's name. */
const prefixes: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
}

/** Groups whose objects another server than that of the other built-in kinds keeps: it puts the group before the resource. */
const groupsOfOthers: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

function prefixOf({ group, resource, custom }: Kind): string {
  if (custom !== undefined || groupsOfOthers.has(group)) return `${group}/${resource}`
  return prefixes[resource] ?? resource
}

/** The key of an object, or of a namespace where the name is '', as kube-apiserver's messages show it. */
export const shownKey = (kind: Kind, namespace: string, name: string): string =>
  ['', prefixOf(kind), ...[namespace, name].filter((part) => part !== '')].join('/')

/** 409: a precondition does not hold; `why` tells what was asked for and what is there; a dry run knows no root. */
export function preconditionFailed(kind: Kind, { namespace, name }: Target, why: string, dryRun = false): ApiError {
  const key = `${dryRun ? '' : '/registry'}${shownKey(kind, namespace, name)}`
  const storageError = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${why}`
  return conflict(kind, name, storageError)
}
