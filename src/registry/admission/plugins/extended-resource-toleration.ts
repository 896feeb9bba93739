/**
 * The admission plugin ExtendedResourceToleration: Pods that request an extended resource tolerate the taint of the same name.
 * Disabled by default.
 */
import type { Pod, Toleration } from '../../../catalog/generated/types/core.v1.ts'
import { isExtended } from '../../../catalog/validation/core/resource-names.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { AdmissionPlugin } from '../plugin.ts'

/** Whether two tolerations differ at most in tolerationSeconds (MatchToleration). */
const isAlike = (one: Toleration, other: Toleration): boolean =>
  (['key', 'effect', 'operator', 'value'] as const).every((field) => (one[field] ?? '') === (other[field] ?? ''))

/** Adds a toleration, or replaces those that differ from it in tolerationSeconds alone. */
function tolerate(tolerations: readonly Toleration[], added: Toleration): Toleration[] {
  const replaced = tolerations.map((toleration) => (isAlike(toleration, added) ? { ...added } : toleration))
  return tolerations.some((toleration) => isAlike(toleration, added)) ? replaced : [...replaced, added]
}

function addTolerations(_attributes: unknown, object: KubernetesObject): void {
  const { spec } = object as Pod
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const requested = containers.flatMap(({ resources }) => Object.keys(resources?.requests ?? {})).filter(isExtended)
  for (const key of [...new Set(requested)].sort()) {
    spec.tolerations = tolerate(spec.tolerations ?? [], { key, operator: 'Exists', effect: 'NoSchedule' })
  }
}

/** Adds the tolerations on a CREATE and an UPDATE of a Pod. Follows the plugin of k8s.io/kubernetes. */
export const extendedResourceToleration: AdmissionPlugin = {
  name: 'ExtendedResourceToleration',
  handlers: [{ operations: ['CREATE', 'UPDATE'], resources: ['pods'], admit: addTolerations }],
}
