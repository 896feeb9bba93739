/** Checks of ReplicaSets and ReplicationControllers. Follows ValidateReplicaSetSpec and ValidateReplicationControllerSpec. */
import { type FieldError, required } from '../../../meta/field-error.ts'
import type { LabelSelectorObject } from '../../../meta/label-selector-object.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { PodTemplateSpec } from '../../shapes/pod.ts'
import { checkImmutable, checkNonNegative, type Errors } from '../checks.ts'
import { checkPodTemplate } from '../pod/pod-spec.ts'
import { checkPerpetual, checkReplicatedTemplate, checkSelector, checkTemplateLabels, selects } from './template.ts'

interface ReplicaSet extends KubernetesObject {
  spec: { replicas?: number; minReadySeconds?: number; selector: LabelSelectorObject | null; template: PodTemplateSpec }
}

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

interface ReplicationController extends KubernetesObject {
  spec: { replicas?: number; minReadySeconds?: number; selector?: Record<string, string>; template?: PodTemplateSpec }
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
