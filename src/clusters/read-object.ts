/** Single objects of the core group, read as they are now: what decisions about other requests rest on. */
import { kindOf } from '../catalog/scheme.ts'
import { ApiError } from '../meta/errors.ts'
import { isPathSegmentName } from '../meta/names.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { CollectionClient } from './collection-client.ts'

/** Which object. */
export interface CoreObject {
  readonly resource: 'endpoints' | 'namespaces' | 'nodes' | 'pods' | 'secrets' | 'serviceaccounts' | 'services'
  /** '' for what has no namespace. */
  readonly namespace: string
  readonly name: string
}

/**
 * Reads the object.
 * @throws ApiError 404 where there is none
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

/** The object; undefined where there is none, or can be none of that name. */
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
