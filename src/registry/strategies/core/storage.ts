/** PersistentVolumes and PersistentVolumeClaims: their first phase, and the finalizers of those that are in use. */
import {
  validatePersistentVolumeClaim,
  validatePersistentVolumeClaimUpdate,
} from '../../../catalog/validation/core/volume-claim.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { rfc3339Seconds } from '../../../meta/time.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { checked } from '../checked.ts'

/** Adds the finalizer by which the admission plugin StorageObjectInUseProtection holds what is in use. */
function protect({ metadata }: KubernetesObject, finalizer: string): void {
  const finalizers = metadata.finalizers ?? []
  if (!finalizers.includes(finalizer)) metadata.finalizers = [...finalizers, finalizer]
}

interface Claim extends KubernetesObject {
  spec: { dataSource?: DataSource; dataSourceRef?: DataSource & { namespace?: string } }
}

interface DataSource {
  apiGroup?: string
  kind: string
  name: string
}

/** Both fields say where the content comes from: who gives one means both. */
function alignDataSources({ spec }: Claim): void {
  const { dataSource, dataSourceRef } = spec
  if (dataSource !== undefined && dataSourceRef === undefined) spec.dataSourceRef = { ...dataSource }
  else if (dataSourceRef !== undefined && dataSource === undefined && (dataSourceRef.namespace ?? '') === '') {
    spec.dataSource = { ...dataSourceRef }
  }
}

interface Volume extends KubernetesObject {
  status?: { phase?: string; lastPhaseTransitionTime?: string }
}

/** The time of the last phase is the server's, unless the writer names another one. */
function keepPhaseTime(object: KubernetesObject, old: KubernetesObject, now: number): void {
  const { status = {} } = object as Volume
  const { status: before = {} } = old as Volume
  const { lastPhaseTransitionTime: time } = before
  if (status.phase === before.phase) {
    if (status.lastPhaseTransitionTime === undefined && time !== undefined) status.lastPhaseTransitionTime = time
  } else if (status.lastPhaseTransitionTime === undefined || status.lastPhaseTransitionTime === time) {
    status.lastPhaseTransitionTime = rfc3339Seconds(now)
  }
}

export const persistentVolumeHooks: StrategyHooks = {
  subresources: { status: { prepareForUpdate: (object, old, { now }) => keepPhaseTime(object, old, now) } },
  prepareForCreate(object) {
    const { creationTimestamp } = object.metadata
    object.status = { phase: 'Pending', ...(creationTimestamp !== undefined && { lastPhaseTransitionTime: creationTimestamp }) }
    protect(object, 'kubernetes.io/pv-protection')
  },
}

export const persistentVolumeClaimHooks: StrategyHooks = {
  ...checked(validatePersistentVolumeClaim, validatePersistentVolumeClaimUpdate),
  prepareForCreate(object) {
    object.status = { phase: 'Pending' }
    alignDataSources(object as Claim)
    protect(object, 'kubernetes.io/pvc-protection')
  },
  prepareForUpdate(object) {
    alignDataSources(object as Claim)
  },
}
