/** Drops fields of disabled features from PodGroups and Workloads, unless the old object has them. */
import type { PodGroup, PodGroupSpec, PodGroupTemplate, Workload } from '../../../catalog/generated/types/scheduling.v1alpha2.ts'
import { isEnabled } from '../../../config/feature-gates.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'

/** The fields by the feature gate that they need. */
const gatedFields = {
  TopologyAwareWorkloadScheduling: ['schedulingConstraints'],
  DRAWorkloadResourceClaims: ['resourceClaims'],
  WorkloadAwarePreemption: ['disruptionMode', 'priorityClassName', 'priority'],
} as const

type Gated = Partial<Pick<PodGroupSpec | PodGroupTemplate, (typeof gatedFields)[keyof typeof gatedFields][number]>>

const isUsed = (old: Gated | undefined, field: keyof Gated): boolean => {
  const value = old?.[field]
  return value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
}

/** Removes a field; a template always shows its constraints. */
function drop(spec: Gated, field: keyof Gated): void {
  if (field in spec && spec[field] === null) return
  delete spec[field]
}

function dropFields(spec: Gated, old: Gated | undefined): void {
  for (const [gate, fields] of Object.entries(gatedFields)) {
    if (isEnabled(gate)) continue
    for (const field of fields) if (!isUsed(old, field)) drop(spec, field)
  }
}

/** Drops fields of a PodGroup. @param old absent for a create */
export const dropFromPodGroup = (object: KubernetesObject, old?: KubernetesObject): void =>
  dropFields((object as PodGroup).spec, (old as PodGroup | undefined)?.spec)

/** Drops fields of the status of a PodGroup. */
export function dropFromPodGroupStatus(object: KubernetesObject, old: KubernetesObject): void {
  if (isEnabled('DRAWorkloadResourceClaims') || isUsed((old as PodGroup).spec, 'resourceClaims')) return
  delete (object as PodGroup).status.resourceClaimStatuses
}

/** Drops fields of the templates of a Workload. @param old absent for a create */
export function dropFromWorkload(object: KubernetesObject, old?: KubernetesObject): void {
  const before = (old as Workload | undefined)?.spec.podGroupTemplates ?? []
  for (const [index, template] of ((object as Workload).spec.podGroupTemplates ?? []).entries()) {
    dropFields(template, before[index])
  }
}
