/** PersistentVolumes and PersistentVolumeClaims: their first phase, and the sources of their content. */
import type { PersistentVolume, PersistentVolumeClaim, TypedObjectReference } from '../../../catalog/generated/types/core.v1.ts'
import { validatePersistentVolume, validatePersistentVolumeChange } from '../../../catalog/validation/core/persistent-volume.ts'
import {
  validatePersistentVolumeClaim,
  validatePersistentVolumeClaimStatus,
  validatePersistentVolumeClaimUpdate,
} from '../../../catalog/validation/core/volume-claim.ts'
import { rfc3339Seconds } from '../../../go/time.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withSeparateValidation, withValidation } from '../with-validation.ts'

const isKnownSource = ({ apiGroup, kind }: TypedObjectReference): boolean =>
  (kind === 'PersistentVolumeClaim' && (apiGroup ?? '') === '') ||
  (kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io')

/** A source in another namespace is not taken, nor, in the older field, one that was never supported there. */
function dropUntaken({ spec }: PersistentVolumeClaim, old: PersistentVolumeClaim | undefined): void {
  if ((spec.dataSourceRef?.namespace ?? '') !== '' && old?.spec.dataSourceRef === undefined) delete spec.dataSourceRef
  if (old?.spec.dataSource !== undefined || old?.spec.dataSourceRef !== undefined || spec.dataSourceRef !== undefined) return
  if (spec.dataSource !== undefined && !isKnownSource(spec.dataSource)) delete spec.dataSource
}

/** Both fields say where the content comes from: who gives one means both. */
function alignDataSources({ spec }: PersistentVolumeClaim): void {
  const { dataSource, dataSourceRef } = spec
  if (dataSource !== undefined && dataSourceRef === undefined) spec.dataSourceRef = { ...dataSource }
  else if (dataSourceRef !== undefined && dataSource === undefined && (dataSourceRef.namespace ?? '') === '') {
    const { namespace: _elsewhere, ...source } = dataSourceRef
    spec.dataSource = source
  }
}

/** The time of the last phase is the server's, unless the writer names another one. */
function keepPhaseTime(object: KubernetesObject, old: KubernetesObject, now: number): void {
  const { status = {} } = object as PersistentVolume
  const { status: before = {} } = old as PersistentVolume
  const { lastPhaseTransitionTime: time } = before
  if (status.phase === before.phase) {
    if (status.lastPhaseTransitionTime === undefined && time !== undefined) status.lastPhaseTransitionTime = time
  } else if (status.lastPhaseTransitionTime === undefined || status.lastPhaseTransitionTime === time) {
    status.lastPhaseTransitionTime = rfc3339Seconds(now)
  }
}

export const persistentVolumeHooks: StrategyHooks = {
  ...withSeparateValidation(validatePersistentVolume, validatePersistentVolumeChange),
  subresources: { status: { prepareForUpdate: (object, old, { now }) => keepPhaseTime(object, old, now) } },
  prepareForCreate(object) {
    const { creationTimestamp } = object.metadata
    object.status = { phase: 'Pending', ...(creationTimestamp !== undefined && { lastPhaseTransitionTime: creationTimestamp }) }
  },
}

export const persistentVolumeClaimHooks: StrategyHooks = {
  ...withValidation((claim) => validatePersistentVolumeClaim(claim), validatePersistentVolumeClaimUpdate),
  prepareForCreate(object) {
    object.status = { phase: 'Pending' }
    dropUntaken(object as PersistentVolumeClaim, undefined)
    alignDataSources(object as PersistentVolumeClaim)
  },
  prepareForUpdate(object, old) {
    dropUntaken(object as PersistentVolumeClaim, old as PersistentVolumeClaim)
    alignDataSources(object as PersistentVolumeClaim)
    alignDataSources(old as PersistentVolumeClaim)
  },
  subresources: { status: { validateUpdate: (object) => validatePersistentVolumeClaimStatus(object as never) } },
}
