/** Reads the objects that connections need. */
import { type CoreObject, findObject } from '../../../clusters/read-object.ts'
import { notFound } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { checkName } from '../../../registry/check-target.ts'
import type { ResourceContext } from '../../context.ts'

/**
 * Reads an object of the core group, in the target's namespace if the resource is namespaced.
 * @throws ApiError 400 for an invalid name; 404 with the resource of the request instead of the missing one, as in kube-apiserver
 */
export async function readObject<T extends KubernetesObject>(
  { client, kind: requested, target }: ResourceContext,
  resource: CoreObject['resource'],
  name: string,
): Promise<T> {
  const namespace = resource === 'nodes' ? '' : target.namespace
  checkName(name)
  const found = await findObject<T>(client, { resource, namespace, name })
  if (found === undefined) throw notFound(requested, name)
  return found
}
