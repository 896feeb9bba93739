/** What connections read of the cluster: single objects, as they are now. */
import { kindOf } from '../../../catalog/catalogue.ts'
import { ApiError, notFound, unknownResource } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { ResourceContext } from '../../context.ts'

/**
 * Reads an object of the core group.
 * @throws ApiError 404, which speaks of the resource that the request is for: so kube-apiserver does
 */
export async function readObject<T extends KubernetesObject>(
  { server, kind: asked, target }: ResourceContext,
  resource: string,
  name: string,
): Promise<T> {
  const kind = kindOf('', 'v1', resource)
  if (kind === undefined) throw unknownResource()
  const namespace = kind.namespaced ? target.namespace : ''
  const of = { group: '', version: 'v1', resource, subresource: '', namespace, name }
  try {
    const answer = await server.objects.perform(server.cluster, kind, { verb: 'get', target: of, resourceVersion: '' })
    return (await answer.json()) as T
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) throw notFound(asked, name)
    throw error
  }
}
