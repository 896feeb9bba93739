import type { PodTemplate } from '../../generated/types/core.v1.ts'
import { validator } from '../checks.ts'
import { checkPodTemplate } from '../pod/pod-spec.ts'

/** Validates a PodTemplate, except its metadata. */
export const validatePodTemplate = validator((errors, { template }: PodTemplate) => {
  checkPodTemplate(template, 'template', errors)
})
