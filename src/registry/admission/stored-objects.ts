/** Objects of other collections that admission plugins depend on. */
import { ApiError } from '../../meta/errors.ts'
import type { LookupResults } from '../../meta/lookups.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { storedObject as fact, type ObjectReference } from '../facts/stored-object.ts'

/**
 * Returns an object as it was looked up; null if it does not exist.
 * @throws MissingLookups
 */
export const storedObject = (lookups: LookupResults, reference: ObjectReference): KubernetesObject | null =>
  lookups.get(fact.lookup(reference))

/**
 * Returns an object of the core group.
 * @param resource in the plural
 * @throws ApiError 404 as from a lister of client-go, which names the resource in the singular; MissingLookups
 */
export function listedObject(
  lookups: LookupResults,
  { resource, namespace, name }: Pick<ObjectReference, 'resource' | 'namespace' | 'name'>,
): KubernetesObject {
  const found = storedObject(lookups, { group: '', version: 'v1', resource, namespace, name })
  if (found !== null) return found
  const kind = resource.replace(/s$/, '')
  throw new ApiError(404, 'NotFound', `${kind} "${name}" not found`, { name, kind })
}
