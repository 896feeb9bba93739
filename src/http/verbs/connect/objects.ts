/** What connections read of the cluster: single objects, as they are now. */
import { type CoreObject, findObject } from '../../../clusters/read-object.ts'
import { notFound } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { checkName } from '../../../registry/check-target.ts'
import type { ResourceContext } from '../../context.ts'

/**
 * Reads an object of the core group, of the target's namespace where it has one.
 * @throws ApiError 400 for a name that no object can have, 404, which speaks of the resource that the request is for: so kube-apiserver does
 */
export async function readObject<T extends KubernetesObject>(
  { client, kind: asked, target }: ResourceContext,
  resource: CoreObject['resource'],
  name: string,
): Promise<T> {
  const namespace = resource === 'nodes' ? '' : target.namespace
  checkName(name)
  const found = await findObject<T>(client, { resource, namespace, name })
  if (found === undefined) throw notFound(asked, name)
  return found
}
