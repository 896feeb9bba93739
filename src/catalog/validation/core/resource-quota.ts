import { asJson } from '../../../meta/field-error.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import type { ResourceQuota, ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '../../generated/types/core.v1.ts'
import { internalJson } from '../../internal-json.ts'
import { type Errors, validator } from '../checks.ts'
import { checkAmountOf, checkQuotaName, isStandardQuotaResource } from './resource-names.ts'

type Amounts = Readonly<Record<string, string>>

const podResources = ['pods', 'cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory']

/** Each scope, with the resources that it can limit. */
const scopes: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['Terminating', new Set(podResources)],
  ['NotTerminating', new Set(podResources)],
  ['BestEffort', new Set(['pods'])],
  ['NotBestEffort', new Set(podResources)],
  ['PriorityClass', new Set(podResources)],
  ['CrossNamespacePodAffinity', new Set(podResources)],
  ['VolumeAttributesClass', new Set(['persistentvolumeclaims', 'requests.storage'])],
])

/** Scopes whose operator must be Exists. */
const existing: ReadonlySet<string> = new Set([
  ...['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity'],
])
const opposites = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
]
const existsText =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"

/** Counts the resources of the quota that the scope cannot limit. */
function uncounted(scope: string, hard: Amounts): number {
  const counted = scopes.get(scope)
  if (counted === undefined) return 0
  return Object.keys(hard).filter((name) => isStandardQuotaResource(name) && !counted.has(name)).length
}

function checkAmounts(amounts: Amounts, field: string, errors: Errors): void {
  for (const [name, amount] of Object.entries(amounts)) {
    checkQuotaName(name, `${field}[${name}]`, errors)
    checkAmountOf(name, amount, `${field}[${name}]`, errors)
  }
}

function checkOpposites(found: ReadonlySet<string>, field: string, reported: unknown, errors: Errors): void {
  for (const pair of opposites) if (pair.every((scope) => found.has(scope))) errors.invalid(field, reported, 'conflicting scopes')
}

function checkScopes({ hard = {}, scopes: given = [] }: ResourceQuotaSpec, errors: Errors): void {
  const field = 'spec.scopes'
  for (const scope of given) {
    if (!scopes.has(scope)) errors.invalid(field, given, 'unsupported scope')
    for (let count = uncounted(scope, hard); count > 0; count--) {
      errors.invalid(field, given, 'unsupported scope applied to resource')
    }
  }
  checkOpposites(new Set(given), field, given, errors)
}

function checkOperator(
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
  field: string,
  errors: Errors,
): void {
  if (existing.has(scopeName) && operator !== 'Exists') errors.invalid(`${field}.operator`, asJson(operator), existsText)
  if (operator === 'In' || operator === 'NotIn') {
    const text = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
    if (values.length === 0) errors.required(`${field}.values`, text)
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    const text = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
    if (values.length > 0) errors.invalid(`${field}.values`, values, text)
  } else errors.invalid(`${field}.operator`, asJson(operator), 'not a valid selector operator')
}

/** Returns the scopes as messages quote them. */
const quotedScopes = (spec: ResourceQuotaSpec): unknown => spec.scopes ?? explicitEmpty(spec, 'scopes') ?? null

function checkSelector(spec: ResourceQuotaSpec, errors: Errors): void {
  const { hard = {}, scopeSelector } = spec
  if (scopeSelector === undefined) return
  const field = 'spec.scopeSelector.matchExpressions'
  const requirements = scopeSelector.matchExpressions ?? []
  for (const requirement of requirements) {
    const { scopeName } = requirement
    if (!scopes.has(scopeName)) errors.invalid(`${field}.scopeName`, asJson(scopeName), 'unsupported scope')
    for (let count = uncounted(scopeName, hard); count > 0; count--) {
      const reported = internalJson('ScopeSelector', scopeSelector)
      errors.invalid(field, reported, 'unsupported scope applied to resource')
    }
    checkOperator(requirement, field, errors)
  }
  checkOpposites(new Set(requirements.map(({ scopeName }) => scopeName)), field, quotedScopes(spec), errors)
}

function checkSpec(spec: ResourceQuotaSpec, errors: Errors): void {
  checkAmounts(spec.hard ?? {}, 'spec.hard', errors)
  checkScopes(spec, errors)
  checkSelector(spec, errors)
}

/** Validates a ResourceQuota, except its metadata. */
export const validateResourceQuota = validator((errors, { spec }: ResourceQuota) => {
  checkSpec(spec, errors)
})

/** Validates an update of a ResourceQuota: its scopes are immutable. */
export const validateResourceQuotaUpdate = validator((errors, { spec }: ResourceQuota, { spec: old }: ResourceQuota) => {
  checkSpec(spec, errors)
  const [now, before] = [new Set(spec.scopes ?? []), new Set(old.scopes ?? [])]
  if (now.size !== before.size || [...now].some((scope) => !before.has(scope))) {
    errors.invalid('spec.scopes', quotedScopes(spec), 'field is immutable')
  }
})

/** Validates an update of a ResourceQuota's status. */
export const validateResourceQuotaStatus = validator((errors, { status }: ResourceQuota) => {
  checkAmounts(status.hard ?? {}, 'status.hard', errors)
  checkAmounts(status.used ?? {}, 'status.used', errors)
})
