/**
 * Decides about the finalizers that protect volumes and claims in use. Pure. Follows the controllers pvprotection and pvcprotection
 * of k8s.io/kubernetes/pkg/controller/volume.
 */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../catalog/generated/types/core.v1.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'

export const volumeFinalizer = 'kubernetes.io/pv-protection'
export const claimFinalizer = 'kubernetes.io/pvc-protection'

/**
 * The time after a deletion during which the object keeps its finalizer, in milliseconds: the assignment of a Pod to a node, which
 * is stored elsewhere, may be in progress.
 */
export const deletionPause = 5000

/** Whether the object is being deleted and has the finalizer. */
export const isDeletionCandidate = ({ metadata }: KubernetesObject, finalizer: string): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(finalizer)

/** Whether the pause after the deletion is over. */
export const isDue = ({ metadata }: KubernetesObject, now: number): boolean =>
  Date.parse(metadata.deletionTimestamp ?? '') + deletionPause <= now

/** Returns the object without the finalizer. */
export function withoutFinalizer<T extends KubernetesObject>(object: T, finalizer: string): T {
  const { finalizers = [], ...metadata } = object.metadata
  return { ...object, metadata: { ...metadata, finalizers: finalizers.filter((other) => other !== finalizer) } }
}

/** Whether a claim is bound to the volume. */
export const isVolumeInUse = ({ status }: PersistentVolume): boolean => status.phase === 'Bound'

/** A claim that a Pod names in its volumes. */
interface NamedClaim {
  readonly name: string
  /** Whether the claim is made for this Pod alone (an ephemeral volume). */
  readonly isEphemeral: boolean
}

const claimsOf = ({ metadata, spec }: Pod): NamedClaim[] =>
  (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }): NamedClaim[] => {
    if (persistentVolumeClaim !== undefined) return [{ name: persistentVolumeClaim.claimName, isEphemeral: false }]
    return ephemeral === undefined ? [] : [{ name: `${metadata.name ?? ''}-${name}`, isEphemeral: true }]
  })

/** Whether the kubelet has finished with the Pod, or the Pod was deleted without a grace period. */
const isShutDown = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0

/** The use of a claim by a Pod. */
export interface ClaimUse {
  /** The name of the claim. */
  readonly name: string
  /** The uid of the Pod that must own the claim, if the claim is made for the Pod; a claim of another origin is not used. */
  readonly owner?: string
}

/**
 * Returns the claims that a Pod uses. A Pod without a node uses none, because a kubelet does not start Pods whose claim is being
 * deleted.
 */
export function usesOf(pod: Pod): ClaimUse[] {
  if ((pod.spec.nodeName ?? '') === '') return []
  const used = claimsOf(pod).filter(({ isEphemeral }) => !isEphemeral || !isShutDown(pod))
  return used.map(({ name, isEphemeral }) => (isEphemeral ? { name, owner: pod.metadata.uid ?? '' } : { name }))
}

/** Whether a claim is the used one. */
export function isUsed({ metadata }: PersistentVolumeClaim, { name, owner }: ClaimUse): boolean {
  if (name !== metadata.name) return false
  return (
    owner === undefined || (metadata.ownerReferences ?? []).some(({ controller, uid }) => controller === true && uid === owner)
  )
}

/** Returns the names of the claims that a Pod has stopped to use with a change of it, or with its deletion. */
export function releasedClaims(pod: Pod, isDeleted: boolean): string[] {
  const released = claimsOf(pod).filter(({ isEphemeral }) => isDeleted || (isEphemeral && isShutDown(pod)))
  return released.map(({ name }) => name)
}
