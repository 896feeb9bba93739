/** The strategy of Namespaces: spec.finalizers, phases, and a deletion that waits for the namespace's content. */
import type { Namespace } from '../../../catalog/generated/types/core.v1.ts'
import type { DeleteOptions } from '../../../clusters/operation.ts'
import { sortedKeys } from '../../../go/sorted-keys.ts'
import { rfc3339Seconds } from '../../../go/time.ts'
import { asJson, type FieldError, invalidValue } from '../../../meta/field-error.ts'
import { isDns1123Label, isQualifiedName } from '../../../meta/names.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { validateStandardFinalizers } from '../../../meta/object-meta-validation.ts'
import { foregroundFinalizer, orphanFinalizer } from '../../finalizers.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { deletionConflict } from '../../preconditions.ts'

/** The finalizer in spec that represents the namespace's content. */
export const contentFinalizer = 'kubernetes'

const resource = { group: '', resource: 'namespaces' }

/** The label with the name of the namespace, for selectors. */
const nameLabel = 'kubernetes.io/metadata.name'

/** Returns spec.finalizers, which the namespace controller removes when the content is deleted. */
export function specFinalizers(namespace: KubernetesObject): string[] {
  return (namespace as Namespace).spec?.finalizers ?? []
}

/** Returns the error of a phase other than Active, or other than Terminating after the deletion has begun. */
function phaseErrors({ metadata, status }: Namespace): FieldError[] {
  const phase = status?.phase ?? ''
  const [expected, when] = metadata.deletionTimestamp === undefined ? ['Active', 'is empty'] : ['Terminating', 'is not empty']
  if (phase === expected) return []
  return [invalidValue('status.Phase', asJson(phase), `may only be '${expected}' if \`deletionTimestamp\` ${when}`)]
}

/**
 * Validates finalizers.
 * @param fieldOf returns the field path of the finalizer at an index, as messages name it
 */
function finalizerErrors(finalizers: readonly string[], fieldOf: (index: number) => string): FieldError[] {
  return finalizers.flatMap((name, index) => {
    const field = fieldOf(index)
    const standard = validateStandardFinalizers([name], '').map((error) => ({ ...error, field }))
    return [...isQualifiedName(name).map((text) => invalidValue(field, name, text)), ...standard]
  })
}

export const namespaceHooks: StrategyHooks = {
  prepareForCreate(object, { isNameGenerated }) {
    const namespace = object as Namespace
    const finalizers = specFinalizers(namespace)
    namespace.spec = { finalizers: finalizers.includes(contentFinalizer) ? finalizers : [...finalizers, contentFinalizer] }
    namespace.status = { phase: 'Active' }
    // The defaulted label has no field manager. With a generated name it is set here, because defaulting runs before the name
    // exists. An invalid name has no label: kube-apiserver adds it after validation.
    const { name = '', labels } = namespace.metadata
    if (isNameGenerated && isDns1123Label(name).length === 0)
      namespace.metadata.labels = sortedKeys({ ...labels, [nameLabel]: name })
  },
  prepareForUpdate(object, old) {
    const namespace = object as Namespace
    const { spec, status } = old as Namespace
    namespace.spec = spec ?? {}
    namespace.status = status ?? {}
  },
  validate: (object) => finalizerErrors(specFinalizers(object), () => 'spec.finalizers'),
  subresources: {
    finalize: { validateUpdate: (object) => finalizerErrors(specFinalizers(object), (index) => `spec.finalizers[${index}]`) },
    status: { validateUpdate: (object) => phaseErrors(object as Namespace) },
  },
  validateDelete: ({ metadata }, options) => deletionConflict(resource, metadata, options),
  beginDelete(object, options, now) {
    const namespace = object as Namespace
    const { metadata } = namespace
    metadata.deletionTimestamp = rfc3339Seconds(now)
    metadata.finalizers = deletionFinalizers(metadata.finalizers ?? [], options)
    namespace.status = { ...namespace.status, phase: 'Terminating' }
  },
  shouldDeleteDuringUpdate: (object) => specFinalizers(object).length === 0,
}

/** Returns the finalizers of a deletion. Only for namespaces, orphanDependents: false means Foreground. */
function deletionFinalizers(before: readonly string[], { orphanDependents, propagationPolicy }: DeleteOptions): string[] {
  const policy = orphanDependents === undefined ? propagationPolicy : orphanDependents ? 'Orphan' : 'Foreground'
  if (policy === undefined) return [...before]
  const others = before.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer)
  const added = { Orphan: [orphanFinalizer], Foreground: [foregroundFinalizer], Background: [] }[policy]
  return [...others, ...added]
}
