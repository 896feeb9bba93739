/**
 * Rejects names and namespaces that cannot be keys. Follows NamespaceKeyFunc of apiserver's registry and the keys of its etcd
 * store.
 */
import type { Kind } from '../catalog/kind.ts'
import type { Operation } from '../clusters/operation.ts'
import { goQuote } from '../go/text.ts'
import { ApiError, badRequest, namespaceRequired } from '../meta/errors.ts'
import { isPathSegmentName } from '../meta/names.ts'
import { shownKey } from './preconditions.ts'

/** Verbs that read one object first. */
const objectVerbs: ReadonlySet<Operation['verb']> = new Set(['get', 'update', 'patch', 'apply', 'delete', 'bind', 'evict'])

/** Verbs that read a collection: an invalid namespace fails when the key prefix is made. */
const collectionVerbs: ReadonlySet<Operation['verb']> = new Set(['list', 'deletecollection'])

/**
 * Checks the name and namespace of a request.
 * @throws ApiError 400 for an invalid name or a missing namespace; 500 for the namespaces `.` and `..`
 */
export function checkTarget(kind: Kind, { verb, target }: Operation): void {
  const isOne = objectVerbs.has(verb)
  const { namespace, name } = target
  if (isOne && kind.namespaced && namespace === '') throw namespaceRequired()
  if (isOne) checkName(name)
  if (!isOne && !collectionVerbs.has(verb)) return
  if (!kind.namespaced || (namespace !== '.' && namespace !== '..')) return
  throw new ApiError(500, '', `invalid key: ${goQuote(shownKey(kind, namespace, name))}`)
}

/**
 * Checks the name in the path of a request.
 * @throws ApiError 400 for an invalid name
 */
export function checkName(name: string): void {
  const wrong = isPathSegmentName(name)
  if (wrong.length > 0) throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${wrong.join(';')}`)
}
