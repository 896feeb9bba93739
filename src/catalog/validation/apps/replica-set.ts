/** Checks of ReplicaSets and ReplicationControllers. Follows ValidateReplicaSetSpec and ValidateReplicationControllerSpec. */
import { type FieldError, required } from '../../../meta/field-error.ts'
import type { ReplicaSet } from '../../generated/types/apps.v1.ts'
import type { ReplicationController } from '../../generated/types/core.v1.ts'
import { checkImmutable, checkNonNegative, type Errors } from '../checks.ts'
import { checkPodTemplate } from '../pod/pod-spec.ts'
import { checkPerpetual, checkReplicatedTemplate, checkSelector, checkTemplateLabels, selects } from './template.ts'

/** What is wrong with a ReplicaSet, its metadata left out. */
export function validateReplicaSet({ spec }: ReplicaSet): FieldError[] {
  const errors: Errors = []
  checkNonNegative(spec.replicas, 'spec.replicas', errors)
  checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds', errors)
  // The message says deployment here too.
  checkSelector(spec.selector, 'deployment', errors)
  checkReplicatedTemplate(spec.selector, spec.template, errors)
  return errors
}

/** What is wrong with a change of a ReplicaSet. */
export function validateReplicaSetUpdate(replicaSet: ReplicaSet, old: ReplicaSet): FieldError[] {
  const errors = validateReplicaSet(replicaSet)
  checkImmutable(replicaSet.spec.selector, old.spec.selector, 'spec.selector', errors)
  return errors
}

/** What is wrong with a ReplicationController, its metadata left out. */
export function validateReplicationController({ spec }: ReplicationController): FieldError[] {
  const errors: Errors = []
  const { selector = {}, template } = spec
  checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds', errors)
  if (Object.keys(selector).length === 0) errors.push(required('spec.selector'))
  if (spec.replicas === undefined) errors.push(required('spec.replicas'))
  checkNonNegative(spec.replicas, 'spec.replicas', errors)
  if (template === undefined) {
    errors.push(required('spec.template'))
    return errors
  }
  if (Object.keys(selector).length > 0 && selects({ matchLabels: selector }, template) !== true)
    checkTemplateLabels(template, errors)
  checkPodTemplate(template, 'spec.template', errors)
  checkPerpetual(template, 'ReplicationController', errors)
  return errors
}
