/**
 * Computes the rules of aggregated ClusterRoles. Pure: the wiring writes them. Follows the clusterrole-aggregation controller.
 */
import type { PolicyRule } from '../../clusters/rbac-objects.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { type LabelSelectorObject, labelSelectorFrom } from '../../meta/label-selector-object.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'

/** The field manager of the controller. */
export const manager = 'clusterrole-aggregation-controller'

/** A role with its new rules. */
export interface Aggregated {
  readonly name: string
  readonly rules: readonly PolicyRule[]
}

const rulesOf = (role: KubernetesObject): readonly PolicyRule[] =>
  (role.rules as unknown as readonly PolicyRule[] | null | undefined) ?? []

function selectorsOf(role: KubernetesObject): readonly LabelSelectorObject[] {
  const rule = role.aggregationRule as { readonly clusterRoleSelectors?: readonly LabelSelectorObject[] } | undefined
  return rule?.clusterRoleSelectors ?? []
}

/** Returns the unique rules of all other roles that a selector of `role` selects. */
function aggregate(role: KubernetesObject, roles: readonly KubernetesObject[]): PolicyRule[] {
  const rules = new Map<string, PolicyRule>()
  for (const object of selectorsOf(role)) {
    const selector = labelSelectorFrom(object)
    for (const other of roles) {
      if (other.metadata.name === role.metadata.name || !selector.matches(other.metadata.labels)) continue
      for (const rule of rulesOf(other)) rules.set(JSON.stringify(rule), rules.get(JSON.stringify(rule)) ?? rule)
    }
  }
  return [...rules.values()]
}

/** Whether the rules of a role stay if the controller applies none: it does not own them, or not alone. */
const keepsRules = ({ metadata }: KubernetesObject): boolean =>
  (metadata.managedFields ?? []).some((entry) => entry.manager !== manager && Object.hasOwn(entry.fieldsV1 ?? {}, 'f:rules'))

/** Returns the rules of an aggregated role after they have been applied. */
function applied(role: KubernetesObject, roles: readonly KubernetesObject[]): readonly PolicyRule[] {
  const rules = aggregate(role, roles)
  return rules.length === 0 && keepsRules(role) ? rulesOf(role) : rules
}

/** Computes one round: each aggregated role with the rules of the roles that it selects. */
function round(roles: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return roles.map((role) =>
    role.aggregationRule === undefined ? role : ({ ...role, rules: applied(role, roles) } as unknown as KubernetesObject),
  )
}

const sameRules = (a: KubernetesObject, b: KubernetesObject | undefined): boolean =>
  b !== undefined && JSON.stringify(rulesOf(a)) === JSON.stringify(rulesOf(b))

/**
 * Returns the roles whose rules have to be written. Aggregated roles may select each other, so rounds are repeated until nothing
 * changes.
 * @param roles all ClusterRoles, sorted by name
 */
export function reconcile(roles: readonly KubernetesObject[]): Aggregated[] {
  let now = roles
  for (let rounds = 0; rounds < roles.length; rounds++) {
    const next = round(now)
    const settled = next.every((role, index) => sameRules(role, now[index]))
    now = next
    if (settled) break
  }
  return now
    .map((role) => (role.aggregationRule === undefined ? role : { ...role, rules: aggregate(role, now) as unknown as JsonValue }))
    .filter((role, index) => !sameRules(role, roles[index]))
    .map((role) => ({ name: role.metadata.name ?? '', rules: rulesOf(role) }))
}
