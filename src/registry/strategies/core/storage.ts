/** The strategies of PersistentVolumes and PersistentVolumeClaims: initial phase, dataSource and dataSourceRef. */
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

/** Drops a dataSourceRef in another namespace (the feature is off), and a dataSource of a kind that is not supported there. */
function dropUnsupportedSources({ spec }: PersistentVolumeClaim, old: PersistentVolumeClaim | undefined): void {
  if ((spec.dataSourceRef?.namespace ?? '') !== '' && old?.spec.dataSourceRef === undefined) delete spec.dataSourceRef
  if (old?.spec.dataSource !== undefined || old?.spec.dataSourceRef !== undefined || spec.dataSourceRef !== undefined) return
  if (spec.dataSource !== undefined && !isKnownSource(spec.dataSource)) delete spec.dataSource
}

/** Copies dataSource and dataSourceRef to one another if only one of them is set. */
function alignDataSources({ spec }: PersistentVolumeClaim): void {
  const { dataSource, dataSourceRef } = spec
  if (dataSource !== undefined && dataSourceRef === undefined) spec.dataSourceRef = { ...dataSource }
  else if (dataSourceRef !== undefined && dataSource === undefined && (dataSourceRef.namespace ?? '') === '') {
    const { namespace: _elsewhere, ...source } = dataSourceRef
    spec.dataSource = source
  }
}

/** Sets lastPhaseTransitionTime if the phase changes and the client gives no new time. */
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
    object.status = {}
    dropUnsupportedSources(object as PersistentVolumeClaim, undefined)
    alignDataSources(object as PersistentVolumeClaim)
  },
  defaultOnRead(object) {
    object.status = { phase: 'Pending' }
  },
  prepareForUpdate(object, old) {
    dropUnsupportedSources(object as PersistentVolumeClaim, old as PersistentVolumeClaim)
    alignDataSources(object as PersistentVolumeClaim)
    alignDataSources(old as PersistentVolumeClaim)
  },
  subresources: { status: { validateUpdate: (object) => validatePersistentVolumeClaimStatus(object as never) } },
}
