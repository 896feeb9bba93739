/**
 * Checks of PodGroups and of the templates of Workloads. Follows the declarative validation of scheduling.k8s.io, and
 * k8s.io/kubernetes/pkg/apis/scheduling/validation.
 */
import { isDns1123Label, isDns1123Subdomain } from '../../../meta/names.ts'
import { validateLabelKey } from '../../../meta/object-meta-validation.ts'
import type {
  GangSchedulingPolicy,
  PodGroup,
  PodGroupResourceClaim,
  PodGroupSchedulingConstraints,
  PodGroupSchedulingPolicy,
  PodGroupSpec,
  PodGroupTemplateReference,
} from '../../generated/types/scheduling.v1alpha2.ts'
import { byName, type Errors, isSame, itemsOf, validator } from '../checks.ts'
import {
  checkMaximum,
  checkMinimum,
  checkOptionalText,
  checkRequiredText,
  checkUnchanged,
  checkUnion,
  checkUniqueKeys,
} from '../declarative.ts'
import { checkConditions } from '../status/conditions.ts'

const mostClaims = 4
const mostConstraints = 1
const disruptionModes = ['Pod', 'PodGroup']
const greatestPriority = 1_000_000_000
const leastPriority = -2_147_483_648

function checkGang({ minCount }: GangSchedulingPolicy, field: string, errors: Errors): void {
  if (minCount === 0) errors.required(`${field}.minCount`)
  else checkMinimum(minCount, 1, `${field}.minCount`, errors)
}

/** Checks a scheduling policy. */
export function checkPolicy(policy: PodGroupSchedulingPolicy, field: string, errors: Errors): void {
  checkUnion(policy, ['basic', 'gang'], field, errors)
  if (policy.gang !== undefined) checkGang(policy.gang, `${field}.gang`, errors)
}

/** Checks the topology to which the Pods of a group are constrained. */
export function checkConstraints(
  constraints: PodGroupSchedulingConstraints | null | undefined,
  field: string,
  errors: Errors,
): void {
  const { topology = [] } = constraints ?? {}
  if (topology.length > mostConstraints) {
    errors.tooMany(`${field}.topology`, topology.length, mostConstraints)
    return
  }
  for (const [at, { key }] of itemsOf(topology, `${field}.topology`)) {
    if (key === '') errors.required(`${at}.key`)
    else errors.push(...validateLabelKey(key, `${at}.key`))
  }
}

function checkClaim(claim: PodGroupResourceClaim, field: string, errors: Errors): void {
  const names = ['resourceClaimName', 'resourceClaimTemplateName'] as const
  checkUnion(claim, names, field, errors)
  checkRequiredText(claim.name, `${field}.name`, isDns1123Label, errors)
  for (const name of names) checkOptionalText(claim[name], `${field}.${name}`, isDns1123Subdomain, errors)
}

/** Checks the resource claims of a group. */
export function checkClaims(claims: readonly PodGroupResourceClaim[] = [], field: string, errors: Errors): void {
  if (claims.length > mostClaims) {
    errors.tooMany(field, claims.length, mostClaims)
    return
  }
  checkUniqueKeys(claims, ({ name }) => name, field, errors)
  for (const [at, claim] of itemsOf(claims, field)) checkClaim(claim, at, errors)
}

/** Checks the fields that decide about the preemption of a group. */
export function checkPreemption(
  { disruptionMode, priorityClassName = '', priority }: Pick<PodGroupSpec, 'disruptionMode' | 'priorityClassName' | 'priority'>,
  field: string,
  errors: Errors,
): void {
  errors.checkEnum(disruptionMode, disruptionModes, `${field}.disruptionMode`)
  if (priorityClassName !== '') checkRequiredText(priorityClassName, `${field}.priorityClassName`, isDns1123Subdomain, errors)
  checkMaximum(priority, greatestPriority, `${field}.priority`, errors)
  checkMinimum(priority, leastPriority, `${field}.priority`, errors)
}

function checkTemplateReference(reference: PodGroupTemplateReference, field: string, errors: Errors): void {
  const { workload } = reference
  checkUnion({ ...(workload !== null && { workload }) }, ['workload'], field, errors)
  if (workload === null) return
  const at = `${field}.workload`
  checkRequiredText(workload.workloadName, `${at}.workloadName`, isDns1123Subdomain, errors)
  checkRequiredText(workload.podGroupTemplateName, `${at}.podGroupTemplateName`, isDns1123Label, errors)
}

/** The fields of the spec, none of which changes. */
const specFields = [
  'podGroupTemplateRef',
  'schedulingPolicy',
  'schedulingConstraints',
  'resourceClaims',
  'disruptionMode',
  'priorityClassName',
  'priority',
] as const

/** Validates a PodGroup, except its metadata. */
export const validatePodGroup = validator((errors, { spec }: PodGroup, old?: PodGroup) => {
  if (old !== undefined) {
    for (const name of specFields) checkUnchanged(spec[name], old.spec[name], `spec.${name}`, errors)
    return
  }
  if (spec.podGroupTemplateRef !== null) checkTemplateReference(spec.podGroupTemplateRef, 'spec.podGroupTemplateRef', errors)
  checkPolicy(spec.schedulingPolicy, 'spec.schedulingPolicy', errors)
  checkConstraints(spec.schedulingConstraints, 'spec.schedulingConstraints', errors)
  checkClaims(spec.resourceClaims, 'spec.resourceClaims', errors)
  checkPreemption(spec, 'spec', errors)
})

/** Validates an update of the status. */
export const validatePodGroupStatus = validator((errors, { spec, status }: PodGroup, old: PodGroup) => {
  const { conditions = [], resourceClaimStatuses: claims = [] } = status
  checkConditions(conditions, 'status.conditions', errors)
  const field = 'status.resourceClaimStatuses'
  const specified = byName(spec.resourceClaims)
  for (const [at, { name }] of itemsOf(claims, field)) {
    if (specified.has(name)) continue
    errors.invalid(`${at}.name`, name, 'must match the name of an entry in `spec.resourceClaims`')
  }
  if (isSame(claims, old.status.resourceClaimStatuses ?? [])) return
  if (claims.length > mostClaims) {
    errors.tooMany(field, claims.length, mostClaims)
    return
  }
  checkUniqueKeys(claims, ({ name }) => name, field, errors)
  for (const [at, { resourceClaimName }] of itemsOf(claims, field)) {
    checkOptionalText(resourceClaimName, `${at}.resourceClaimName`, isDns1123Subdomain, errors)
  }
})
