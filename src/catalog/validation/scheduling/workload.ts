/** Checks of Workloads. Follows the declarative validation of scheduling.k8s.io. */
import { isDns1123Label, isDns1123Subdomain, isPathSegmentName } from '../../../meta/names.ts'
import type { PodGroupTemplate, TypedLocalObjectReference, Workload } from '../../generated/types/scheduling.v1alpha2.ts'
import { type Errors, itemsOf, validator } from '../checks.ts'
import { checkOptionalText, checkRequiredText, checkUnchanged, checkUniqueKeys } from '../declarative.ts'
import { checkClaims, checkConstraints, checkPolicy, checkPreemption } from './pod-group.ts'

const mostTemplates = 8

function checkController({ apiGroup, kind, name }: TypedLocalObjectReference, field: string, errors: Errors): void {
  if (apiGroup !== '') checkOptionalText(apiGroup, `${field}.apiGroup`, isDns1123Subdomain, errors)
  checkRequiredText(kind, `${field}.kind`, isPathSegmentName, errors)
  checkRequiredText(name, `${field}.name`, isPathSegmentName, errors)
}

function checkTemplate(template: PodGroupTemplate, field: string, errors: Errors): void {
  checkRequiredText(template.name, `${field}.name`, isDns1123Label, errors)
  checkPolicy(template.schedulingPolicy, `${field}.schedulingPolicy`, errors)
  checkConstraints(template.schedulingConstraints, `${field}.schedulingConstraints`, errors)
  checkClaims(template.resourceClaims, `${field}.resourceClaims`, errors)
  checkPreemption(template, field, errors)
}

function checkTemplates(templates: readonly PodGroupTemplate[], errors: Errors): void {
  const field = 'spec.podGroupTemplates'
  if (templates.length === 0) errors.required(field)
  else if (templates.length > mostTemplates) errors.tooMany(field, templates.length, mostTemplates)
  else {
    checkUniqueKeys(templates, ({ name }) => name, field, errors)
    for (const [at, template] of itemsOf(templates, field)) checkTemplate(template, at, errors)
  }
}

/** Validates a Workload, except its metadata. */
export const validateWorkload = validator((errors, { spec }: Workload, old?: Workload) => {
  if (old !== undefined) {
    checkUnchanged(spec.controllerRef, old.spec.controllerRef, 'spec.controllerRef', errors)
    checkUnchanged(spec.podGroupTemplates, old.spec.podGroupTemplates, 'spec.podGroupTemplates', errors)
    return
  }
  if (spec.controllerRef !== undefined) checkController(spec.controllerRef, 'spec.controllerRef', errors)
  checkTemplates(spec.podGroupTemplates ?? [], errors)
})
