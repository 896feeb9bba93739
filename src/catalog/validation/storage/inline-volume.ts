/**
 * Checks of the inline volume of a VolumeAttachment. Follows ValidatePersistentVolumeSpec of core/validation for inline volumes.
 */
import type { PersistentVolumeSpec } from '../../generated/types/core.v1.ts'
import type { Errors } from '../checks.ts'
import { checkRecycling } from '../core/persistent-volume.ts'
import { checkVolumeSources } from '../core/persistent-volume-sources.ts'
import { checkModes } from '../core/volume-claim.ts'

const noInline = 'may not be specified in the context of inline volumes'

/** Validates the spec of an inline volume, whose source must be CSI. A source of another type is validated as well. */
export function checkInlineVolume(volume: PersistentVolumeSpec, field: string, errors: Errors): void {
  const { accessModes = [], capacity = {}, csi, persistentVolumeReclaimPolicy: policy = '', volumeMode = 'Filesystem' } = volume
  if (volume.claimRef !== undefined) errors.forbidden(`${field}.claimRef`, noInline)
  if (Object.keys(capacity).length > 0) errors.forbidden(`${field}.capacity`, noInline)
  if (csi === undefined) errors.required(`${field}.csi`, 'has to be specified in the context of inline volumes')
  if (accessModes.length === 0) errors.required(`${field}.accessModes`)
  checkModes(accessModes, `${field}.accessModes`, errors)
  if (policy !== '' && policy !== 'Retain') {
    errors.forbidden(`${field}.persistentVolumeReclaimPolicy`, 'may only be Retain in the context of inline volumes')
  }
  if (volume.nodeAffinity !== undefined) errors.forbidden(`${field}.nodeAffinity`, noInline)
  checkVolumeSources(volume, undefined, field, errors)
  checkRecycling(volume, field, errors)
  if ((volume.storageClassName ?? '') !== '') errors.forbidden(`${field}.storageClassName`, noInline)
  if (volumeMode !== 'Filesystem') {
    errors.forbidden(`${field}.volumeMode`, 'may not specify volumeMode other than Filesystem in the context of inline volumes')
  }
}
