/** Tells which updates of Pods are evaluated. Follows isSignificantPodUpdate of k8s.io/pod-security-admission/admission. */
import type { Container, PodSpec } from '../../../catalog/generated/types/core.v1.ts'

type WithImage = Pick<Container, 'name' | 'image'>

/** Returns whether the number of containers or an image differs. */
function imagesDiffer(containers: readonly WithImage[] | null = [], old: readonly WithImage[] | null = []): boolean {
  const before = old ?? []
  const after = containers ?? []
  return after.length !== before.length || after.some(({ image = '' }, index) => image !== (before[index]?.image ?? ''))
}

/** Returns whether an update of a Pod changes a field that a standard depends on: an image, or the containers themselves. */
export function isSignificantUpdate(spec: PodSpec, old: PodSpec): boolean {
  if (imagesDiffer(spec.containers, old.containers) || imagesDiffer(spec.initContainers, old.initContainers)) return true
  const before = old.ephemeralContainers ?? []
  return (spec.ephemeralContainers ?? []).some(({ name, image = '' }) => {
    const same = before.find((container) => container.name === name)
    return same === undefined || image !== (same.image ?? '')
  })
}
