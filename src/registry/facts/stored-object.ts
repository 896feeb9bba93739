/** The fact about an object of a built-in kind. */
import { kindOf } from '../../catalog/scheme.ts'
import { ApiError } from '../../meta/errors.ts'
import { isPathSegmentName } from '../../meta/names.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { ReadFact } from './fact.ts'

/** Reads an object, current at the time of the lookup. */
export const storedObject: ReadFact<'storedObject'> = async (collections, reference) => {
  const { group, version, resource, namespace, name } = reference
  const kind = kindOf(group, version, resource)
  if (kind === undefined || name === '' || isPathSegmentName(name).length > 0) return null
  const target = { group, version, resource, subresource: '', namespace, name }
  try {
    const answer = await collections.perform(kind, { verb: 'get', target, resourceVersion: '' })
    return await answer.json<KubernetesObject>()
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return null
    throw error
  }
}
