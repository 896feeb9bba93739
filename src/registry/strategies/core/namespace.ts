/** Namespaces: a finalizer of their own in spec, phases, and a deletion that waits for their content. */
import type { Namespace } from '../../../catalog/generated/types/core.v1.ts'
import type { DeleteOptions } from '../../../clusters/operation.ts'
import { sortedKeys } from '../../../go/sorted-keys.ts'
import { rfc3339Seconds } from '../../../go/time.ts'
import { conflict } from '../../../meta/errors.ts'
import { type FieldError, invalidValue } from '../../../meta/field-error.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { validateStandardFinalizers } from '../../../meta/object-meta-validation.ts'
import { foregroundFinalizer, orphanFinalizer } from '../../finalizers.ts'
import type { StrategyHooks } from '../../hooks.ts'

/** The finalizer that stands for the namespace's content. */
export const contentFinalizer = 'kubernetes'

/** How entries of the outbox begin that tell of a new namespace; its name follows. */
export const namespaceCreated = 'namespace-created/'

const resource = { group: '', resource: 'namespaces' }

/** By this label selectors find a namespace by its name. */
const nameLabel = 'kubernetes.io/metadata.name'

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
  prepareForCreate(object, { isNameGenerated }) {
    const namespace = object as Namespace
    const finalizers = specFinalizers(namespace)
    namespace.spec = { finalizers: finalizers.includes(contentFinalizer) ? finalizers : [...finalizers, contentFinalizer] }
    namespace.status = { phase: 'Active' }
    // A label that the server gives has nobody who owns it: of a generated name only now.
    const { name = '', labels } = namespace.metadata
    if (isNameGenerated) namespace.metadata.labels = sortedKeys({ ...labels, [nameLabel]: name })
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
  completeCreate({ metadata: { name = '' } }, { write, services }) {
    if (!write.dryRun) services.outbox(`${namespaceCreated}${name}`)
  },
  validateDelete(object, options) {
    const { name = '', uid = '', resourceVersion = '' } = object.metadata
    return mismatch(name, 'UID', options.uid, uid) ?? mismatch(name, 'ResourceVersion', options.resourceVersion, resourceVersion)
  },
  beginDelete(object, options, now) {
    const namespace = object as Namespace
    const { metadata } = namespace
    metadata.deletionTimestamp = rfc3339Seconds(now)
    metadata.finalizers = deletionFinalizers(metadata.finalizers ?? [], options)
    namespace.status = { ...namespace.status, phase: 'Terminating' }
  },
  shouldDeleteDuringUpdate: (object) => specFinalizers(object).length === 0,
}

/** orphanDependents: false is taken for Foreground here, and only here. */
function deletionFinalizers(before: readonly string[], { orphanDependents, propagationPolicy }: DeleteOptions): string[] {
  const policy = orphanDependents === undefined ? propagationPolicy : orphanDependents ? 'Orphan' : 'Foreground'
  if (policy === undefined) return [...before]
  const others = before.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer)
  const added = { Orphan: [orphanFinalizer], Foreground: [foregroundFinalizer], Background: [] }[policy]
  return [...others, ...added]
}

function mismatch(name: string, what: string, asked: string | undefined, is: string): Error | undefined {
  if (asked === undefined || asked === is) return undefined
  return conflict(resource, name, `Precondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${is}`)
}
