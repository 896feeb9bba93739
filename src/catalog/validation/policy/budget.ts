import { validateLabelSelector } from '../../../meta/label-selector-object.ts'
import { type PodDisruptionBudget, UnhealthyPodEvictionPolicyType } from '../../generated/types/policy.v1.ts'
import { checkAtMostWhole, checkIntOrPercent } from '../apps/template.ts'
import { validator } from '../checks.ts'

/** Validates a PodDisruptionBudget, except its metadata. */
export const validatePodDisruptionBudget = validator((errors, { spec }: PodDisruptionBudget) => {
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    const reported = {
      MinAvailable: spec.minAvailable,
      Selector: spec.selector ?? null,
      MaxUnavailable: spec.maxUnavailable,
      UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
    }
    errors.invalid('spec', reported, 'minAvailable and maxUnavailable cannot be both set')
  }
  for (const name of ['minAvailable', 'maxUnavailable'] as const) {
    const value = spec[name]
    if (value === undefined) continue
    checkIntOrPercent(value, `spec.${name}`, errors)
    checkAtMostWhole(value, `spec.${name}`, errors)
  }
  errors.push(...validateLabelSelector(spec.selector, 'spec.selector'))
  const policy = spec.unhealthyPodEvictionPolicy
  if (policy !== undefined) errors.checkSupported(policy, UnhealthyPodEvictionPolicyType, 'spec.unhealthyPodEvictionPolicy')
})
