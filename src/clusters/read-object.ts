/** Reads current single objects of the core group, on which decisions about other requests depend. */
import { kindOf } from '../catalog/scheme.ts'
import { ApiError } from '../meta/errors.ts'
import { isPathSegmentName } from '../meta/names.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { CollectionClient } from './collection-client.ts'

/** An object of the core group. */
export interface CoreObject {
  readonly resource: 'endpoints' | 'namespaces' | 'nodes' | 'pods' | 'secrets' | 'serviceaccounts' | 'services'
  /** '' for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
}

/**
 * Reads an object.
 * @throws ApiError 404 if it does not exist
 */
export async function readObject<T extends KubernetesObject>(
  objects: CollectionClient,
  { resource, namespace, name }: CoreObject,
): Promise<T> {
  const kind = kindOf('', 'v1', resource)
  if (kind === undefined) throw new Error(`no kind for ${resource}`)
  const target = { group: '', version: 'v1', resource, subresource: '', namespace, name }
  const answer = await objects.perform(kind, { verb: 'get', target, resourceVersion: '' })
  return (await answer.json()) as T
}

/** Reads an object; undefined if it does not exist, or if its name is invalid. */
export async function findObject<T extends KubernetesObject>(
  objects: CollectionClient,
  object: CoreObject,
): Promise<T | undefined> {
  if (isPathSegmentName(object.name).length > 0) return undefined
  try {
    return await readObject<T>(objects, object)
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined
    throw error
  }
}
