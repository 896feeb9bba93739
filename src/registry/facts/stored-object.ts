/** An object of a built-in kind, current at the time of the lookup; null if it does not exist. */
import { kindOf } from '../../catalog/scheme.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { ApiError } from '../../meta/errors.ts'
import { isPathSegmentName } from '../../meta/names.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { defineFact } from './fact.ts'

/** Refers to an object of a built-in kind. */
export interface ObjectReference {
  readonly group: string
  readonly version: string
  readonly resource: string
  /** '' for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
}

async function read(collections: CollectionClient, reference: ObjectReference): Promise<KubernetesObject | undefined> {
  const { group, version, resource, namespace, name } = reference
  const kind = kindOf(group, version, resource)
  if (kind === undefined || name === '' || isPathSegmentName(name).length > 0) return undefined
  const target = { group, version, resource, subresource: '', namespace, name }
  try {
    const answer = await collections.perform(kind, { verb: 'get', target, resourceVersion: '' })
    return await answer.json<KubernetesObject>()
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined
    throw error
  }
}

export const storedObject = defineFact<ObjectReference, KubernetesObject | null>({ name: 'storedObject', absent: null, read })
