/** Namespaces: a finalizer of their own in spec, phases, and a deletion that waits for their content. */
import { forbidden } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { StrategyHooks } from '../../hooks.ts'

/** The finalizer that stands for the namespace's content. */
export const contentFinalizer = 'kubernetes'

/** How entries of the outbox begin that tell of a new namespace; its name follows. */
export const namespaceCreated = 'namespace-created/'

/** Namespaces without which the API does not work. */
const immortal: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])

interface Namespace extends KubernetesObject {
  spec?: { finalizers?: string[] }
  status?: { phase?: string; conditions?: unknown[] }
}

/** The finalizers in spec: who has still to finish with the namespace's content. */
export function specFinalizers(namespace: KubernetesObject): string[] {
  return (namespace as Namespace).spec?.finalizers ?? []
}

export const namespaceHooks: StrategyHooks = {
  prepareForCreate(object) {
    const namespace = object as Namespace
    const finalizers = specFinalizers(namespace)
    namespace.spec = { finalizers: finalizers.includes(contentFinalizer) ? finalizers : [...finalizers, contentFinalizer] }
    namespace.status = { phase: 'Active' }
  },
  prepareForUpdate(object, old) {
    const namespace = object as Namespace
    const { spec, status } = old as Namespace
    namespace.spec = spec ?? {}
    namespace.status = status ?? {}
  },
  onCreate({ metadata: { name = '' } }, { dryRun, outbox }) {
    if (!dryRun) outbox(`${namespaceCreated}${name}`)
  },
  mayDelete(object) {
    const { name = '' } = object.metadata
    return immortal.has(name)
      ? forbidden({ group: '', resource: 'namespaces' }, name, 'this namespace may not be deleted')
      : undefined
  },
  beginDeletion(object) {
    const namespace = object as Namespace
    if (specFinalizers(namespace).length === 0) return false
    namespace.status = { ...namespace.status, phase: 'Terminating' }
    return true
  },
}
