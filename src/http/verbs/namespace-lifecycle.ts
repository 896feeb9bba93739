/** No new objects in a namespace that is not there or is on its way out. Follows the NamespaceLifecycle admission. */
import { ApiError, forbidden, notFound } from '../../meta/errors.ts'
import type { ResourceContext } from '../context.ts'

/** Why the target's namespace takes no new object; undefined where it does. */
export async function namespaceRefusal(
  { services, kind, target, isTerminating }: Pick<ResourceContext, 'services' | 'kind' | 'target' | 'isTerminating'>,
  name: string,
): Promise<ApiError | undefined> {
  if (isTerminating) return forbidden(kind, name, 'create not allowed while custom resource definition is terminating')
  // That the namespace is missing is told of the object.
  if (!kind.namespaced || target.namespace === '') return undefined
  const phase = await services.policy.namespacePhase(target.namespace)
  if (phase === 'Active') return undefined
  if (phase === undefined) return notFound({ group: '', resource: 'namespaces' }, target.namespace)
  const why = `unable to create new content in namespace ${target.namespace} because it is being terminated`
  const { code, reason, message, details } = forbidden(kind, name, why)
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${target.namespace} is being terminated`,
    field: 'metadata.namespace',
  }
  return new ApiError(code, reason, message, { ...details, causes: [cause] })
}
