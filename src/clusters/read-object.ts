/** Reads current objects of version v1, on which decisions about other requests depend. */
import type { Kind } from '../catalog/kind.ts'
import { kindOf } from '../catalog/scheme.ts'
import { ApiError } from '../meta/errors.ts'
import { isPathSegmentName } from '../meta/names.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { CollectionClient } from './collection-client.ts'

/** A built-in object of version v1. */
export interface ReadTarget {
  /** Absent for the core group. */
  readonly group?: string
  readonly resource: string
  /** '' for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
}

/** An object of the core group. */
export interface CoreObject extends ReadTarget {
  readonly group?: never
  readonly resource: 'configmaps' | 'endpoints' | 'namespaces' | 'nodes' | 'pods' | 'secrets' | 'serviceaccounts' | 'services'
}

function kindFor({ group = '', resource }: ReadTarget): Kind {
  const kind = kindOf(group, 'v1', resource)
  if (kind === undefined) throw new Error(`no kind for ${resource}`)
  return kind
}

const targetOf = ({ group = '', resource, namespace, name }: ReadTarget) =>
  ({ group, version: 'v1', resource, subresource: '', namespace, name }) as const

/**
 * Reads an object.
 * @throws ApiError 404 if it does not exist
 */
export async function readObject<T extends KubernetesObject>(objects: CollectionClient, object: ReadTarget): Promise<T> {
  const answer = await objects.perform(kindFor(object), { verb: 'get', target: targetOf(object), resourceVersion: '' })
  return await answer.json<T>()
}

/** Reads an object; undefined if it does not exist, or if its name is invalid. */
export async function findObject<T extends KubernetesObject>(
  objects: CollectionClient,
  object: ReadTarget,
): Promise<T | undefined> {
  if (isPathSegmentName(object.name).length > 0) return undefined
  try {
    return await readObject<T>(objects, object)
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined
    throw error
  }
}

/** The number of objects that are read at once. */
const pageObjects = 500

/**
 * Reads the objects of a collection, or of one of its namespaces, page by page.
 * @param fieldSelector selects objects; '' for all
 */
export async function* listObjects<T extends KubernetesObject>(
  objects: CollectionClient,
  collection: Omit<ReadTarget, 'name'>,
  fieldSelector = '',
): AsyncGenerator<T> {
  const object = { ...collection, name: '' }
  const options = { labelSelector: '', fieldSelector, resourceVersion: '', resourceVersionMatch: '', limit: pageObjects } as const
  for (let token = ''; ; ) {
    const operation = { verb: 'list', target: targetOf(object), list: { ...options, continue: token } } as const
    const page = await (await objects.perform(kindFor(object), operation)).json<Page<T>>()
    yield* page.items
    token = page.metadata.continue ?? ''
    if (token === '') return
  }
}

/**
 * Reads all selected objects of a kind in a namespace at once.
 * @param namespace '' for cluster-scoped kinds, and for all namespaces
 */
export async function selectedObjects<T>(
  objects: CollectionClient,
  kind: Kind,
  namespace: string,
  labelSelector: string,
): Promise<readonly T[]> {
  const { group, version, resource } = kind
  const target = { group, version, resource, subresource: '', namespace, name: '' }
  const options = { fieldSelector: '', resourceVersion: '', resourceVersionMatch: '', limit: 0, continue: '' } as const
  const response = await objects.perform(kind, { verb: 'list', target, list: { labelSelector, ...options } })
  return (await response.json<Page<T>>()).items
}

interface Page<T> {
  readonly metadata: { readonly continue?: string }
  readonly items: readonly T[]
}
