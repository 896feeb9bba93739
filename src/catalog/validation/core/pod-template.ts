import type { PodTemplate } from '../../generated/types/core.v1.ts'
import { validator } from '../checks.ts'
import { checkPodTemplate } from '../pod/pod-spec.ts'

/** What is wrong with a PodTemplate, its metadata left out. */
export const validatePodTemplate = validator((errors, { template }: PodTemplate) => {
  checkPodTemplate(template, 'template', errors)
})
