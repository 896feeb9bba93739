/** The rule that no object is stored in a namespace that is gone or being deleted, whatever admission has seen before. */
import type { KubernetesObject } from '../meta/object-meta.ts'
import { missingNamespace, terminatingNamespace } from './admission/plugins/namespace-lifecycle.ts'
import type { WriteScope } from './write-scope.ts'

/**
 * Requires the namespace of a new object within the commit that stores it. kube-apiserver decides at admission alone, and relies on
 * the time that its namespace controller waits. Writes of the server itself, which have no lookups, are in namespaces that stay.
 * @throws ApiError 404 if the namespace does not exist, 403 if it is terminating; MissingLookups
 */
export function requireNamespaceAtCommit({ registry, kind, target, transaction }: WriteScope, object: KubernetesObject): void {
  const { namespacePhase, lookups } = registry
  if (namespacePhase === undefined || lookups === undefined) return
  const { namespace, name } = target
  const phase = namespacePhase({ kind, namespace, transaction, lookups })
  if (phase === null) throw missingNamespace(namespace)
  if (phase !== 'Active') throw terminatingNamespace({ kind, namespace, name }, object)
}
