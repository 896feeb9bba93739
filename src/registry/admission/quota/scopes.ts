/** The scopes of quotas. Follows podMatchesScopeFunc and pvcMatchesScopeFunc of k8s.io/kubernetes/pkg/quota/v1/evaluator/core. */

import type { QuotaFacts, ScopedSpec } from '../../../clusters/quota-messages.ts'
import { ownValue } from '../../../go/own-value.ts'

/** A requirement on one scope. Follows ScopedResourceSelectorRequirement of core/v1. */
export interface ScopeRequirement {
  readonly scopeName: string
  readonly operator: string
  readonly values?: readonly string[]
}

/** Returns the requirements of a quota: its scopes are requirements with the operator Exists. */
export function requirementsOf({ scopes = [], scopeSelector }: ScopedSpec): readonly ScopeRequirement[] {
  const existing = scopes.map((scopeName) => ({ scopeName, operator: 'Exists' }))
  return [...existing, ...(scopeSelector?.matchExpressions ?? [])]
}

/** Whether a value passes a requirement, as a label of the scope's name does. Undefined stands for a missing label. */
function passes({ operator, values = [] }: ScopeRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    default:
      return value === undefined
  }
}

/** Whether an object is in the scope of one requirement. Scopes that do not exist for its kind match no object. */
export function matchesScope(requirement: ScopeRequirement, { scopes }: QuotaFacts): boolean {
  const scope = ownValue(scopes, requirement.scopeName)
  if (scope === undefined || typeof scope === 'boolean') return scope ?? false
  if (scope.length === 0) return passes(requirement, undefined)
  return scope.some((value) => passes(requirement, value))
}

/** Whether an object is in all scopes of a quota. */
export const matchesScopes = (spec: ScopedSpec, facts: QuotaFacts): boolean =>
  requirementsOf(spec).every((requirement) => matchesScope(requirement, facts))
