/** Strategies of kinds that configure a cluster (admission, flow control, devices, storage), by `<resource>[.<group>]`. */
import type { ResourceClaimTemplate } from '../../catalog/generated/types/resource.v1.ts'
import { validateMutatingBinding, validateValidatingBinding } from '../../catalog/validation/admissionregistration/bindings.ts'
import {
  validateMutatingPolicy,
  validateValidatingPolicy,
  validateValidatingPolicyStatus,
} from '../../catalog/validation/admissionregistration/policies.ts'
import { validateWebhooks, validateWebhooksUpdate } from '../../catalog/validation/admissionregistration/webhooks.ts'
import { validateFlowControlStatus } from '../../catalog/validation/flowcontrol/conditions.ts'
import { validateFlowSchema } from '../../catalog/validation/flowcontrol/flow-schema.ts'
import { validatePriorityLevel } from '../../catalog/validation/flowcontrol/priority-level.ts'
import { validateResourceClaimTemplate, validateResourceClaimTemplateChange } from '../../catalog/validation/resource/claim.ts'
import { validateDeviceClass } from '../../catalog/validation/resource/device-class.ts'
import {
  validateStorageClass,
  validateStorageClassChange,
  validateVolumeAttributesClass,
  validateVolumeAttributesClassChange,
} from '../../catalog/validation/storage/classes.ts'
import {
  validateCsiNode,
  validateCsiNodeUpdate,
  validateCsiStorageCapacity,
  validateCsiStorageCapacityChange,
} from '../../catalog/validation/storage/drivers.ts'
import { validateVolumeAttachment, validateVolumeAttachmentUpdate } from '../../catalog/validation/storage/volume-attachment.ts'
import type { StrategyHooks } from '../hooks.ts'
import { isSpecIdentical } from '../parity/deep-equal.ts'
import { permitBinding, permitPolicy } from './admissionregistration/parameters.ts'
import { apiServiceHooks } from './apiregistration/api-service.ts'
import { resourceClaimHooks } from './resource/claim.ts'
import { permitRequests } from './resource/permissions.ts'
import { resourceSliceHooks } from './resource/slice.ts'
import { csiDriverHooks } from './storage/csi-driver.ts'
import { withSeparateValidation, withSharedValidation, withSubresourceValidation, withValidation } from './with-validation.ts'

const webhooks: StrategyHooks = { ...withValidation(validateWebhooks, validateWebhooksUpdate), isSpecUnchanged: isSpecIdentical }
const flowControlStatus = { status: { validateUpdate: validateFlowControlStatus } }

export const clusterKinds: Readonly<Record<string, StrategyHooks>> = {
  'apiservices.apiregistration.k8s.io': apiServiceHooks,
  'mutatingadmissionpolicies.admissionregistration.k8s.io': {
    ...withSharedValidation(validateMutatingPolicy),
    permit: permitPolicy,
  },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': {
    ...withValidation(validateMutatingBinding),
    permit: permitBinding('mutatingadmissionpolicies'),
  },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhooks,
  'validatingadmissionpolicies.admissionregistration.k8s.io': {
    ...withSharedValidation(validateValidatingPolicy),
    permit: permitPolicy,
    subresources: { status: withSubresourceValidation(validateValidatingPolicyStatus) },
  },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    ...withValidation(validateValidatingBinding),
    permit: permitBinding('validatingadmissionpolicies'),
  },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhooks,
  'csidrivers.storage.k8s.io': csiDriverHooks,
  'csinodes.storage.k8s.io': withValidation(validateCsiNode, validateCsiNodeUpdate),
  'csistoragecapacities.storage.k8s.io': withSeparateValidation(validateCsiStorageCapacity, validateCsiStorageCapacityChange),
  'flowschemas.flowcontrol.apiserver.k8s.io': { ...withValidation(validateFlowSchema), subresources: flowControlStatus },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    ...withValidation(validatePriorityLevel),
    subresources: flowControlStatus,
  },
  'deviceclasses.resource.k8s.io': withValidation(validateDeviceClass),
  'resourceclaims.resource.k8s.io': resourceClaimHooks,
  'resourceclaimtemplates.resource.k8s.io': {
    ...withSeparateValidation(validateResourceClaimTemplate, validateResourceClaimTemplateChange),
    permit: permitRequests(({ spec }: ResourceClaimTemplate) => spec.spec.devices.requests ?? []),
  },
  'resourceslices.resource.k8s.io': resourceSliceHooks,
  'storageclasses.storage.k8s.io': withSeparateValidation(validateStorageClass, validateStorageClassChange),
  'volumeattachments.storage.k8s.io': {
    ...withValidation(validateVolumeAttachment, validateVolumeAttachmentUpdate),
    subresources: { status: withSubresourceValidation(validateVolumeAttachmentUpdate) },
  },
  'volumeattributesclasses.storage.k8s.io': withSeparateValidation(
    validateVolumeAttributesClass,
    validateVolumeAttributesClassChange,
  ),
}
