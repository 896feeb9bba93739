/** Checks of VolumeAttachments. Follows k8s.io/kubernetes/pkg/apis/storage/validation. */
import { utf8Length } from '../../../go/text.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { inclusiveRangeError } from '../../../meta/names.ts'
import type { VolumeAttachment, VolumeError } from '../../generated/types/storage.v1.ts'
import { internalJson } from '../../internal-json.ts'
import { type Errors, validator } from '../checks.ts'
import { checkDriver } from '../pod/volumes.ts'
import { checkInlineVolume } from './inline-volume.ts'

const metadataSize = 256 * 1024
const longestMessage = 1024
const greatestCode = 2 ** 31 - 1
const exactlyOne = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'

function checkSource({ source }: VolumeAttachment['spec'], errors: Errors): void {
  const field = 'spec.source'
  const { persistentVolumeName: name, inlineVolumeSpec: inline } = source
  if (inline !== undefined && name !== undefined) errors.forbidden(field, exactlyOne)
  else if (inline !== undefined) checkInlineVolume(inline, `${field}.inlineVolumeSpec`, errors)
  else if (name === undefined) errors.required(field, exactlyOne)
  else if (name === '') {
    errors.required(`${field}.persistentVolumeName`, 'must specify non empty persistentVolumeName')
  }
}

function checkError(error: VolumeError | undefined, field: string, errors: Errors): void {
  const { message = '', errorCode = 0 } = error ?? {}
  if (utf8Length(message) > longestMessage) errors.tooLong(`${field}.message`, metadataSize)
  if (errorCode < 0) errors.invalid(`${field}.errorCode`, errorCode, inclusiveRangeError(0, greatestCode))
}

function checkStatus(
  { attachmentMetadata = {}, attachError, detachError }: NonNullable<VolumeAttachment['status']>,
  errors: Errors,
) {
  let size = 0
  for (const [key, value] of Object.entries(attachmentMetadata)) size += utf8Length(key) + utf8Length(value)
  if (size > metadataSize) errors.tooLong('status.attachmentMetadata', metadataSize)
  checkError(attachError, 'status.attachError', errors)
  checkError(detachError, 'status.detachError', errors)
}

/** Validates a VolumeAttachment, except its metadata. */
export const validateVolumeAttachment = validator((errors, { spec, status }: VolumeAttachment) => {
  checkDriver(spec.attacher, 'spec.attacher', errors)
  checkSource(spec, errors)
  errors.checkDnsSubdomain(spec.nodeName, 'spec.nodeName')
  checkStatus(status, errors)
  const { persistentVolumeName: name } = spec.source
  if (name !== undefined) errors.checkDnsSubdomain(name, 'spec.source.persistentVolumeName')
})

/** Validates an update of a VolumeAttachment or of its status. */
export function validateVolumeAttachmentUpdate(object: VolumeAttachment, old: VolumeAttachment): FieldError[] {
  const errors = validateVolumeAttachment(object)
  const toInternal = ({ spec }: VolumeAttachment) => internalJson('storage.VolumeAttachmentSpec', spec)
  errors.checkImmutable(toInternal(object), toInternal(old), 'spec')
  return errors
}
