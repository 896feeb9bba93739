/** Names and namespaces under which nothing can be kept. Follows NamespaceKeyFunc of apiserver's registry and the keys of its etcd store. */
import type { Kind } from '../catalog/kind.ts'
import type { Operation } from '../clusters/operation.ts'
import { goQuote } from '../go/text.ts'
import { ApiError, badRequest, namespaceRequired } from '../meta/errors.ts'
import { isPathSegmentName } from '../meta/names.ts'
import { shownKey } from './preconditions.ts'

/** What begins with a look at one object. */
const ofOneObject: ReadonlySet<Operation['verb']> = new Set(['get', 'update', 'patch', 'apply', 'delete', 'bind', 'evict'])

/** What looks at a whole collection: a namespace that cannot be is told of by its reading. */
const ofCollections: ReadonlySet<Operation['verb']> = new Set(['list', 'deletecollection'])

/** @throws ApiError 400 for a name that no object can have, or where the namespace is missing; 500 for a namespace of dots */
export function checkTarget(kind: Kind, { verb, target }: Operation): void {
  const isOne = ofOneObject.has(verb)
  const { namespace, name } = target
  if (isOne && kind.namespaced && namespace === '') throw namespaceRequired()
  if (isOne) checkName(name)
  if (!isOne && !ofCollections.has(verb)) return
  if (!kind.namespaced || (namespace !== '.' && namespace !== '..')) return
  throw new ApiError(500, '', `invalid key: ${goQuote(shownKey(kind, namespace, name))}`)
}

/** @throws ApiError 400 for a name that no object can have */
export function checkName(name: string): void {
  const wrong = isPathSegmentName(name)
  if (wrong.length > 0) throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${wrong.join(';')}`)
}
