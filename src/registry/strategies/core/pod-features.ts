/**
 * Fields of Pods that belong to disabled features: they are dropped unless the old object had them.
 * Follows dropDisabledFields of k8s.io/kubernetes/pkg/api/pod.
 */
import type { Container, PodSpec, Volume } from '../../../catalog/generated/types/core.v1.ts'
import { containersOf } from '../../../catalog/validation/pod/windows.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'

interface Source {
  clusterTrustBundle?: unknown
  podCertificate?: unknown
}

const projections = ['clusterTrustBundle', 'podCertificate'] as const

const sourcesOf = ({ projected }: Volume): Source[] => (projected as { sources?: Source[] | null } | undefined)?.sources ?? []

const hasProjection = (spec: PodSpec | undefined, name: keyof Source): boolean =>
  (spec?.volumes ?? []).some((volume) => sourcesOf(volume).some((source) => source[name] !== undefined))

function hasStopSignal(spec: PodSpec | undefined): boolean {
  if (spec === undefined) return false
  for (const [{ lifecycle }] of containersOf(spec, '')) if (lifecycle?.stopSignal !== undefined) return true
  return false
}

function dropStopSignal(container: Container): void {
  const { lifecycle } = container
  if (lifecycle?.stopSignal === undefined) return
  delete lifecycle.stopSignal
  if (lifecycle.preStop === undefined && lifecycle.postStart === undefined) delete container.lifecycle
}

/**
 * Drops the fields of disabled features from a pod spec.
 * @param old the old spec; undefined for a create
 */
export function dropDisabledPodFields(spec: PodSpec, old?: PodSpec): void {
  for (const name of projections) {
    if (!hasProjection(spec, name) || hasProjection(old, name)) continue
    for (const volume of spec.volumes ?? []) for (const source of sourcesOf(volume)) delete source[name]
  }
  if (old?.schedulingGroup === undefined) delete spec.schedulingGroup
  if (!hasStopSignal(spec) || hasStopSignal(old)) return
  for (const [container] of containersOf(spec, '')) dropStopSignal(container)
}

interface MountStatus {
  volumeStatus?: unknown
}

/** The part of the status that has fields of disabled features. */
interface FeatureStatus {
  nodeAllocatableResourceClaimStatuses?: unknown[]
  containerStatuses?: { volumeMounts?: MountStatus[] }[]
  initContainerStatuses?: { volumeMounts?: MountStatus[] }[]
  ephemeralContainerStatuses?: { volumeMounts?: MountStatus[] }[]
}

const mountsOf = (status: FeatureStatus): MountStatus[] =>
  (['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const).flatMap((list) =>
    (status[list] ?? []).flatMap(({ volumeMounts = [] }) => volumeMounts),
  )

/** Drops the fields of disabled features from a pod status. */
export function dropDisabledStatusFields(pod: KubernetesObject, before: KubernetesObject): void {
  const [status, old] = [pod.status as FeatureStatus, before.status as FeatureStatus]
  if ((old.nodeAllocatableResourceClaimStatuses ?? []).length === 0) delete status.nodeAllocatableResourceClaimStatuses
  if (mountsOf(old).some(({ volumeStatus }) => volumeStatus !== undefined)) return
  for (const mount of mountsOf(status)) delete mount.volumeStatus
}
