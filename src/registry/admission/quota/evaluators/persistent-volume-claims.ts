/** Quota of PersistentVolumeClaims. Follows persistent_volume_claims.go of k8s.io/kubernetes/pkg/quota/v1/evaluator/core. */

import type { PersistentVolumeClaim } from '../../../../catalog/generated/types/core.v1.ts'
import type { QuotaFacts } from '../../../../clusters/quota-messages.ts'
import type { KubernetesObject } from '../../../../meta/object-meta.ts'
import { compareQuantities, roundUpQuantity } from '../../../../meta/quantity.ts'
import type { Evaluator } from '../evaluator.ts'

const claims = 'persistentvolumeclaims'
const claimCount = 'count/persistentvolumeclaims'
const storage = 'requests.storage'
/** Stands between the name of a storage class and the resource that is limited for it. */
const ofClass = '.storageclass.storage.k8s.io/'
const classAnnotation = 'volume.beta.kubernetes.io/storage-class'

const tracks = (name: string): boolean =>
  [claimCount, claims, storage].includes(name) || name.endsWith(ofClass + claims) || name.endsWith(ofClass + storage)

/** Returns the storage that the claim requests or, while it shrinks, still occupies; in whole bytes. */
function storageOf({ spec, status }: PersistentVolumeClaim): string | undefined {
  const requested = spec.resources?.requests?.storage
  if (requested === undefined) return undefined
  const allocated = status?.allocatedResources?.storage
  const rounded = roundedToBytes(requested)
  return allocated !== undefined && compareQuantities(allocated, rounded) > 0 ? roundedToBytes(allocated) : rounded
}

function roundedToBytes(quantity: string): string {
  const rounded = roundUpQuantity(quantity, 0)
  // A whole number keeps its text.
  return compareQuantities(rounded, quantity) === 0 ? quantity : rounded
}

function attributesClassesOf({ spec, status }: PersistentVolumeClaim): string[] {
  const { currentVolumeAttributesClassName, modifyVolumeStatus } = status ?? {}
  const target = modifyVolumeStatus?.targetVolumeAttributesClassName
  const names = [spec.volumeAttributesClassName, currentVolumeAttributesClassName, target]
  return [...new Set(names.filter((name) => name !== undefined && name !== ''))] as string[]
}

function factsOf(object: KubernetesObject): QuotaFacts {
  const claim = object as PersistentVolumeClaim
  const className = claim.metadata.annotations?.[classAnnotation] ?? claim.spec.storageClassName ?? ''
  const amounts: Record<string, string> = { [claims]: '1' }
  const requested = storageOf(claim)
  if (requested !== undefined) amounts[storage] = requested
  const byClass = className === '' ? [] : Object.entries(amounts).map(([name, amount]) => [className + ofClass + name, amount])
  return {
    usage: { [claimCount]: '1', ...amounts, ...(Object.fromEntries(byClass) as Record<string, string>) },
    scopes: { VolumeAttributesClass: attributesClassesOf(claim) },
  }
}

/** The evaluator of PersistentVolumeClaims. */
export const persistentVolumeClaims: Evaluator = {
  tracks,
  // kube-apiserver handles every update of the status: it compares two pointers, which always differ.
  handles: ({ subresource }) => subresource === '' || subresource === 'status',
  factsOf,
  counted: [claimCount, claims],
  isByNumber: false,
}
