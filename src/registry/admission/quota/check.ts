/** Checks a write against the quotas of its namespace. Follows CheckRequest of k8s.io/apiserver's plugin resourcequota. */

import type { ResourceQuota } from '../../../catalog/generated/types/core.v1.ts'
import type { QuotaFacts, QuotaRefusal, QuotaRequest, ResourceList } from '../../../clusters/quota-messages.ts'
import type { LimitedResource } from '../../../config/admission/documents.ts'
import type { Evaluator } from './evaluator.ts'
import {
  addLists,
  exceededNames,
  listText,
  maskList,
  negativeNames,
  resourceNames,
  subtractToZero,
  withoutZeros,
} from './resource-list.ts'
import { matchesScope, matchesScopes, requirementsOf, type ScopeRequirement } from './scopes.ts'

/** The new usage of the quotas that the write changes, by their names; or the refusal. */
export type QuotaDecision =
  | { readonly used: ReadonlyMap<string, ResourceList>; readonly refusal?: undefined }
  | { readonly refusal: QuotaRefusal }

/** The fields of a quota on which a charge depends. */
export type ChargedQuota = Pick<ResourceQuota, 'spec'> & { readonly hard: ResourceList }

const forbid = (why: string): QuotaDecision => ({ refusal: { kind: 'forbidden', why } })

function matches({ spec, hard }: ChargedQuota, facts: QuotaFacts, { tracks }: Evaluator): boolean {
  return Object.keys(hard).some(tracks) && matchesScopes(spec, facts)
}

/**
 * Returns the use that a write adds to a quota; empty if it adds none.
 * @param quota with the limits in effect
 */
export function chargeOf(quota: ChargedQuota, { facts, old }: QuotaRequest, evaluator: Evaluator): ResourceList {
  if (!matches(quota, facts, evaluator)) return {}
  // An object that was not in the quota's scopes before is charged as a whole.
  const delta = old !== undefined && matches(quota, old, evaluator) ? subtractToZero(facts.usage, old.usage) : facts.usage
  return maskList(withoutZeros(delta), (name) => Object.hasOwn(quota.hard, name))
}

/** Returns the error of containers that do not specify a limited resource. */
function unspecifiedError(names: readonly string[], { unspecified = {} }: QuotaFacts): string | undefined {
  const missing = names.filter((name) => Object.hasOwn(unspecified, name)).sort()
  if (missing.length === 0) return undefined
  return `must specify ${missing.map((name) => `${name} for: ${unspecified[name]?.join(',') ?? ''}`).join('; ')}`
}

/** Returns the refusal that does not depend on amounts: an unspecified resource, or a quota without a known use. */
function constraintError({ metadata, status }: ResourceQuota, tracked: readonly string[], facts: QuotaFacts): string | undefined {
  const unspecified = unspecifiedError(tracked, facts)
  if (unspecified !== undefined) return `failed quota: ${metadata.name ?? ''}: ${unspecified}`
  if (tracked.every((name) => Object.hasOwn(status.used ?? {}, name))) return undefined
  return `status unknown for quota: ${metadata.name ?? ''}, resources: ${tracked.join(',')}`
}

const requirementText = ({ scopeName, operator, values = [] }: ScopeRequirement): string =>
  `{${scopeName} ${operator} [${values.join(' ')}]}`

/** Returns the refusal of use that is limited by default and that no quota covers. */
function uncovered(
  limited: readonly LimitedResource[],
  request: QuotaRequest,
  quotas: readonly ResourceQuota[],
  covered: ReadonlySet<string>,
): QuotaDecision | undefined {
  const { collection, facts } = request
  const ofCollection = limited.filter(
    ({ apiGroup, resource }) => (apiGroup === '' ? resource : `${resource}.${apiGroup}`) === collection,
  )
  const used = Object.keys(maskList(withoutZeros(facts.usage), (name) => !covered.has(name)))
  const names = used.filter((name) => ofCollection.some(({ matchContains }) => matchContains.some((part) => name.includes(part))))
  if (names.length > 0) return forbid(`insufficient quota to consume: ${names.sort().join(',')}`)
  const coveredScopes = new Set(
    quotas.flatMap(({ spec }) => requirementsOf(spec).filter((requirement) => matchesScope(requirement, facts))),
  )
  const isCovered = ({ scopeName }: ScopeRequirement): boolean =>
    [...coveredScopes].some((other) => other.scopeName === scopeName)
  const scopes = limited
    .flatMap(({ matchScopes }) => matchScopes)
    .filter((requirement) => matchesScope(requirement, facts) && !isCovered(requirement))
  if (scopes.length === 0) return undefined
  return {
    refusal: { kind: 'error', why: `insufficient quota to match these scopes: [${scopes.map(requirementText).join(' ')}]` },
  }
}

/** Adds the charge to a quota's use. A write to /status may exceed the limit: it reports use that exists. */
function charged(
  quota: ResourceQuota,
  charge: ResourceList,
  subresource: string,
): { used: ResourceList } | { refusal: QuotaRefusal } {
  const { hard = {}, used = {} } = quota.status
  const sum = addLists(used, charge)
  const isCharged = (name: string): boolean => Object.hasOwn(charge, name)
  const exceeded = subresource === 'status' ? [] : exceededNames(maskList(sum, isCharged), hard)
  if (exceeded.length === 0) return { used: sum }
  const shown = (list: ResourceList): string => listText(maskList(list, (name) => exceeded.includes(name)))
  const why = `exceeded quota: ${quota.metadata.name ?? ''}, requested: ${shown(charge)}, used: ${shown(used)}, limited: ${shown(hard)}`
  return { refusal: { kind: 'forbidden', why } }
}

/** Returns the new use of all quotas, or the first refusal. */
function chargeAll(
  quotas: readonly ResourceQuota[],
  charges: ReadonlyMap<ResourceQuota, ResourceList>,
  subresource: string,
): QuotaDecision {
  const used = new Map<string, ResourceList>()
  for (const quota of quotas) {
    const charge = charges.get(quota)
    if (charge === undefined) continue
    const result = charged(quota, charge, subresource)
    if ('refusal' in result) return result
    if (Object.keys(charge).length > 0) used.set(quota.metadata.name ?? '', result.used)
  }
  return { used }
}

/** Returns the whole change of use, whatever the quotas limit. */
function changeOf({ facts, old }: QuotaRequest): ResourceList {
  return withoutZeros(old === undefined ? facts.usage : subtractToZero(facts.usage, old.usage))
}

/**
 * Checks a write against all quotas of its namespace.
 * @param quotas in the order in which they are checked
 * @param limited the resources that are limited by default
 */
export function checkRequest(
  quotas: readonly ResourceQuota[],
  request: QuotaRequest,
  evaluator: Evaluator,
  limited: readonly LimitedResource[] = [],
): QuotaDecision {
  const { facts, subresource } = request
  const charges = new Map<ResourceQuota, ResourceList>()
  const covered = new Set<string>()
  for (const quota of quotas) {
    const { hard = {} } = quota.status
    const charging = { spec: quota.spec, hard }
    if (!matches(charging, facts, evaluator)) continue
    const tracked = resourceNames(hard).filter(evaluator.tracks)
    const why = constraintError(quota, tracked, facts)
    if (why !== undefined) return forbid(why)
    for (const name of tracked) covered.add(name)
    charges.set(quota, chargeOf(charging, request, evaluator))
  }
  const negative = negativeNames(facts.usage)
  if (negative.length > 0) return forbid(`quota usage is negative for resource(s): ${negative.join(',')}`)
  if (Object.keys(changeOf(request)).length === 0 && [...charges.values()].every((charge) => Object.keys(charge).length === 0)) {
    return { used: new Map() }
  }
  return uncovered(limited, request, quotas, covered) ?? chargeAll(quotas, charges, subresource)
}
