/** Checks of PodTemplates. Follows ValidatePodTemplate of k8s.io/kubernetes/pkg/apis/core/validation. */
import type { FieldError } from '../../../meta/field-error.ts'
import type { PodTemplate } from '../../generated/types/core.v1.ts'
import type { Errors } from '../checks.ts'
import { checkPodTemplate } from '../pod/pod-spec.ts'

/** What is wrong with a PodTemplate, its metadata left out. */
export function validatePodTemplate({ template }: PodTemplate): FieldError[] {
  const errors: Errors = []
  checkPodTemplate(template, 'template', errors)
  return errors
}
