/** Checks of ReplicaSets and ReplicationControllers. Follows ValidateReplicaSetSpec and ValidateReplicationControllerSpec. */
import type { FieldError } from '../../../meta/field-error.ts'
import type { ReplicaSet } from '../../generated/types/apps.v1.ts'
import type { ReplicationController } from '../../generated/types/core.v1.ts'
import type { Kind } from '../../kind.ts'
import { validator } from '../checks.ts'
import { checkPodTemplate } from '../pod/pod-spec.ts'
import { checkPerpetual, checkReplicatedTemplate, checkSelector, checkTemplateLabels } from './template.ts'

/** Validates a ReplicaSet, except its metadata. */
export const validateReplicaSet = validator((errors, { spec }: ReplicaSet) => {
  errors.checkNonNegative(spec.replicas, 'spec.replicas')
  errors.checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds')
  // The message says "deployment" here too.
  checkSelector(spec.selector, 'deployment', errors)
  checkReplicatedTemplate(spec.selector, spec.template, errors)
})

/** Validates an update of a ReplicaSet. The first version allows a change of the selector. */
export function validateReplicaSetUpdate(replicaSet: ReplicaSet, old: ReplicaSet, kind: Kind): FieldError[] {
  const errors = validateReplicaSet(replicaSet)
  if (kind.version !== 'v1beta1') errors.checkImmutable(replicaSet.spec.selector, old.spec.selector, 'spec.selector')
  return errors
}

/** Validates a ReplicationController, except its metadata. */
export const validateReplicationController = validator((errors, { spec }: ReplicationController) => {
  const { selector = {}, template } = spec
  errors.checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds')
  if (Object.keys(selector).length === 0) errors.required('spec.selector')
  if (spec.replicas === undefined) errors.required('spec.replicas')
  errors.checkNonNegative(spec.replicas, 'spec.replicas')
  if (template === undefined) {
    errors.required('spec.template')
    return
  }
  // An invalid label is only an invalid label: it still selects the Pods that have it.
  const labels = template.metadata.labels ?? {}
  if (Object.entries(selector).some(([key, value]) => !Object.hasOwn(labels, key) || labels[key] !== value))
    checkTemplateLabels(template, errors)
  checkPodTemplate(template, 'spec.template', errors)
  checkPerpetual(template, 'ReplicationController', errors)
})
