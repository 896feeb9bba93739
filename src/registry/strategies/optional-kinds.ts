/** Strategies of kinds that are served only if they are switched on, by `<resource>[.<group>]`. */
import type { PodCertificateRequest } from '../../catalog/generated/types/certificates.v1beta1.ts'
import type { DeviceTaintRule } from '../../catalog/generated/types/resource.v1beta2.ts'
import { validateStorageVersion } from '../../catalog/validation/apiserverinternal/storage-version.ts'
import {
  validatePodCertificateRequest,
  validatePodCertificateRequestUpdate,
} from '../../catalog/validation/certificates/pod-certificate-request.ts'
import { validatePodCertificateStatus } from '../../catalog/validation/certificates/pod-certificate-status.ts'
import { isSame } from '../../catalog/validation/checks.ts'
import { validateLeaseCandidate, validateLeaseCandidateUpdate } from '../../catalog/validation/coordination/lease-candidate.ts'
import { validateDeviceTaintRule, validateDeviceTaintRuleStatus } from '../../catalog/validation/resource/device-taint-rule.ts'
import {
  validateResourcePoolStatus,
  validateResourcePoolStatusRequest,
} from '../../catalog/validation/resource/pool-status-request.ts'
import { validatePodGroup, validatePodGroupStatus } from '../../catalog/validation/scheduling/pod-group.ts'
import { validateWorkload } from '../../catalog/validation/scheduling/workload.ts'
import {
  validateStorageVersionMigration,
  validateStorageVersionMigrationChange,
  validateStorageVersionMigrationStatus,
} from '../../catalog/validation/storagemigration/storage-version-migration.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { forbiddenValue } from '../../meta/field-error.ts'
import { mayUseSigner } from '../admission/plugins/certificate-signers.ts'
import type { Permit, StrategyHooks } from '../hooks.ts'
import { dropFromPodGroup, dropFromPodGroupStatus, dropFromWorkload } from './scheduling/pod-group.ts'
import { withSeparateValidation, withSharedValidation, withSubresourceValidation, withValidation } from './with-validation.ts'

/** Requires the verb `sign` for the signer of a request whose status changes. */
const permitSigning: Permit = (found, object, old, context) => {
  const { spec, status } = object as PodCertificateRequest
  if (found.length > 0 || old === undefined || isSame(status, old.status)) return found
  if (mayUseSigner(context, 'sign', spec.signerName)) return found
  const why = `User ${JSON.stringify(context.user?.name)} is not permitted to "sign" for signer ${JSON.stringify(spec.signerName)}`
  return [forbiddenValue('spec.signerName', why)]
}

const podCertificateRequests: StrategyHooks = {
  ...withValidation(validatePodCertificateRequest, validatePodCertificateRequestUpdate),
  subresources: {
    status: {
      validateUpdate: (object, old) =>
        validatePodCertificateStatus(object as PodCertificateRequest, old as PodCertificateRequest, Date.now()),
      permit: permitSigning,
    },
  },
}

const deviceTaintRules: StrategyHooks = {
  ...withSharedValidation(validateDeviceTaintRule),
  prepareForUpdate(object, old, { now }) {
    const [{ taint }, { taint: before }] = [(object as DeviceTaintRule).spec, (old as DeviceTaintRule).spec]
    // The time is that of the effect, unless the client has changed it.
    if (taint.effect !== before.effect && taint.timeAdded === before.timeAdded) taint.timeAdded = rfc3339Seconds(now)
  },
  subresources: { status: withSubresourceValidation(validateDeviceTaintRuleStatus) },
}

export const optionalKinds: Readonly<Record<string, StrategyHooks>> = {
  'devicetaintrules.resource.k8s.io': deviceTaintRules,
  'leasecandidates.coordination.k8s.io': withValidation(validateLeaseCandidate, validateLeaseCandidateUpdate),
  'podcertificaterequests.certificates.k8s.io': podCertificateRequests,
  'podgroups.scheduling.k8s.io': {
    ...withSharedValidation(validatePodGroup),
    prepareForCreate: (object) => dropFromPodGroup(object),
    prepareForUpdate: (object, old) => dropFromPodGroup(object, old),
    subresources: {
      status: { ...withSubresourceValidation(validatePodGroupStatus), prepareForUpdate: dropFromPodGroupStatus },
    },
  },
  'resourcepoolstatusrequests.resource.k8s.io': {
    ...withSharedValidation(validateResourcePoolStatusRequest),
    subresources: { status: withSubresourceValidation(validateResourcePoolStatus) },
  },
  'storageversionmigrations.storagemigration.k8s.io': {
    ...withSeparateValidation(validateStorageVersionMigration, validateStorageVersionMigrationChange),
    subresources: { status: withSubresourceValidation(validateStorageVersionMigrationStatus) },
  },
  'storageversions.internal.apiserver.k8s.io': {
    ...withValidation(validateStorageVersion, () => []),
    subresources: { status: withSubresourceValidation(validateStorageVersion) },
  },
  'workloads.scheduling.k8s.io': {
    ...withSharedValidation(validateWorkload),
    prepareForCreate: (object) => dropFromWorkload(object),
    prepareForUpdate: (object, old) => dropFromWorkload(object, old),
  },
}
