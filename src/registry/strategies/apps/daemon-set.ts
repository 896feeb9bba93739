/** The strategy of DaemonSets: the annotation deprecated.daemonset.template.generation counts changes of the template. */
import { templateGeneration } from '../../../catalog/defaulting/deprecated-annotations.ts'
import type { DaemonSet } from '../../../catalog/generated/types/apps.v1.ts'
import { validateDaemonSet, validateDaemonSetUpdate } from '../../../catalog/validation/apps/daemon-set.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withValidation } from '../with-validation.ts'

function setGeneration({ metadata }: KubernetesObject, generation: number): void {
  const annotations = { ...metadata.annotations, [templateGeneration]: String(generation) }
  metadata.annotations = Object.fromEntries(Object.entries(annotations).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const generationOf = ({ metadata }: KubernetesObject): number => Number(metadata.annotations?.[templateGeneration] ?? 0)

export const daemonSetHooks: StrategyHooks = {
  ...withValidation(validateDaemonSet, validateDaemonSetUpdate),
  prepareForCreate(object) {
    setGeneration(object, Math.max(1, generationOf(object)))
  },
  prepareForUpdate(object, old) {
    const isSame = JSON.stringify((object as DaemonSet).spec.template) === JSON.stringify((old as DaemonSet).spec.template)
    setGeneration(object, generationOf(old) + (isSame ? 0 : 1))
  },
  subresources: { status: { prepareForUpdate: (object, old) => setGeneration(object, generationOf(old)) } },
}
