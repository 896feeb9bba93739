/**
 * Checks of the inline volume of a VolumeAttachment. Follows ValidatePersistentVolumeSpec of core/validation for inline volumes.
 */
import { asJson } from '../../../meta/field-error.ts'
import type { CSIPersistentVolumeSource, PersistentVolumeSpec, SecretReference } from '../../generated/types/core.v1.ts'
import type { Errors } from '../checks.ts'
import { checkDriver } from '../pod/volumes.ts'

const alone = 'ReadWriteOncePod'
const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', alone]
const noInline = 'may not be specified in the context of inline volumes'

function checkAccessModes(modes: readonly string[], field: string, errors: Errors): void {
  if (modes.length === 0) errors.required(field)
  for (const mode of modes) if (!accessModes.includes(mode)) errors.notSupported(field, asJson(mode), accessModes)
  if (modes.includes(alone) && modes.some((mode) => mode !== alone && accessModes.includes(mode))) {
    errors.forbidden(field, `may not use ${alone} with other access modes`)
  }
}

function checkSecret(reference: SecretReference | undefined, field: string, errors: Errors): void {
  if (reference === undefined) return
  const { name = '', namespace = '' } = reference
  if (name === '') errors.required(`${field}.name`)
  else errors.checkDnsSubdomain(name, `${field}.name`)
  if (namespace === '') errors.required(`${field}.namespace`)
  else errors.checkDnsLabel(namespace, `${field}.namespace`)
}

function checkCsi(source: CSIPersistentVolumeSource, field: string, errors: Errors): void {
  checkDriver(source.driver, `${field}.driver`, errors)
  if (source.volumeHandle === '') errors.required(`${field}.volumeHandle`)
  for (const name of ['controllerPublish', 'controllerExpand', 'nodePublish', 'nodeExpand'] as const) {
    checkSecret(source[`${name}SecretRef`], `${field}.${name}SecretRef`, errors)
  }
}

/** Validates the spec of an inline volume, whose source must be CSI. */
export function checkInlineVolume(volume: PersistentVolumeSpec, field: string, errors: Errors): void {
  const { capacity = {}, csi, persistentVolumeReclaimPolicy: policy = '', volumeMode = 'Filesystem' } = volume
  if (volume.claimRef !== undefined) errors.forbidden(`${field}.claimRef`, noInline)
  if (Object.keys(capacity).length > 0) errors.forbidden(`${field}.capacity`, noInline)
  if (csi === undefined) errors.required(`${field}.csi`, 'has to be specified in the context of inline volumes')
  checkAccessModes(volume.accessModes ?? [], `${field}.accessModes`, errors)
  if (policy !== '' && policy !== 'Retain') {
    errors.forbidden(`${field}.persistentVolumeReclaimPolicy`, 'may only be Retain in the context of inline volumes')
  }
  if (volume.nodeAffinity !== undefined) errors.forbidden(`${field}.nodeAffinity`, noInline)
  if (csi === undefined) errors.required(field, 'must specify a volume type')
  else checkCsi(csi, `${field}.csi`, errors)
  if ((volume.storageClassName ?? '') !== '') errors.forbidden(`${field}.storageClassName`, noInline)
  if (volumeMode !== 'Filesystem') {
    errors.forbidden(`${field}.volumeMode`, 'may not specify volumeMode other than Filesystem in the context of inline volumes')
  }
}
