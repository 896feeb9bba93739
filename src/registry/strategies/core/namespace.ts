/** Namespaces: a finalizer of their own in spec, phases, and a deletion that waits for their content. */
import { forbidden } from '../../../meta/errors.ts'
import { type FieldError, invalidValue } from '../../../meta/field-error.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { validateStandardFinalizers } from '../../../meta/object-meta-validation.ts'
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

/** A namespace is Active until its deletion begins, and Terminating from then on. */
function phaseErrors({ metadata, status }: Namespace): FieldError[] {
  const phase = status?.phase ?? ''
  const [expected, when] = metadata.deletionTimestamp === undefined ? ['Active', 'is empty'] : ['Terminating', 'is not empty']
  if (phase === expected) return []
  return [invalidValue('status.Phase', phase, `may only be '${expected}' if \`deletionTimestamp\` ${when}`)]
}

/** @param fieldOf the field of the finalizer at an index, as the messages name it */
function finalizerErrors(finalizers: readonly string[], fieldOf: (index: number) => string): FieldError[] {
  return finalizers.flatMap((name, index) => {
    const field = fieldOf(index)
    const standard = validateStandardFinalizers([name], '').map((error) => ({ ...error, field }))
    return [...isQualifiedName(name).map((text) => invalidValue(field, name, text)), ...standard]
  })
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
  validate: (object) => finalizerErrors(specFinalizers(object), () => 'spec.finalizers'),
  validateSubresource(object, _old, subresource) {
    return subresource === 'finalize'
      ? finalizerErrors(specFinalizers(object), (index) => `spec.finalizers[${index}]`)
      : phaseErrors(object as Namespace)
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
