/** Checks of PodDisruptionBudgets. Follows k8s.io/kubernetes/pkg/apis/policy/validation. */
import { type FieldError, invalidValue } from '../../../meta/field-error.ts'
import { type LabelSelectorObject, validateLabelSelector } from '../../../meta/label-selector-object.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { checkAtMostWhole, checkIntOrPercent, type IntOrPercent } from '../apps/template.ts'
import { checkSupported, type Errors } from '../checks.ts'

interface Budget extends KubernetesObject {
  spec: {
    minAvailable?: IntOrPercent
    maxUnavailable?: IntOrPercent
    selector?: LabelSelectorObject
    unhealthyPodEvictionPolicy?: string
  }
}

/** What is wrong with a PodDisruptionBudget, its metadata left out. */
export function validatePodDisruptionBudget({ spec }: Budget): FieldError[] {
  const errors: Errors = []
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    const shown = {
      MinAvailable: spec.minAvailable,
      Selector: spec.selector ?? null,
      MaxUnavailable: spec.maxUnavailable,
      UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
    }
    errors.push(invalidValue('spec', shown, 'minAvailable and maxUnavailable cannot be both set'))
  }
  for (const name of ['minAvailable', 'maxUnavailable'] as const) {
    const value = spec[name]
    if (value === undefined) continue
    checkIntOrPercent(value, `spec.${name}`, errors)
    checkAtMostWhole(value, `spec.${name}`, errors)
  }
  errors.push(...validateLabelSelector(spec.selector, 'spec.selector'))
  const policy = spec.unhealthyPodEvictionPolicy
  if (policy !== undefined) checkSupported(policy, ['AlwaysAllow', 'IfHealthyBudget'], 'spec.unhealthyPodEvictionPolicy', errors)
  return errors
}
