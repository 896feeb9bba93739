/** Converts the bootstrap roles and bindings of RBAC to the short form that src/auth/rbac/bootstrap/objects.ts reads. */

interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

interface RbacObject {
  readonly metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  readonly rules?: readonly PolicyRule[] | null
  readonly aggregationRule?: { clusterRoleSelectors: readonly { matchLabels: Record<string, string> }[] }
  readonly roleRef?: { readonly kind: string; readonly name: string }
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[]
}

/** A list of roles or bindings. */
export interface RbacList {
  readonly items: readonly RbacObject[]
}

/** A rule as lists of words, with `core` for the core group: groups, resources, verbs and names, or paths and verbs. */
type ShortRule = readonly string[]

interface ShortRole {
  readonly aggregates?: readonly string[]
  readonly aggregatesTo?: readonly string[]
  readonly rules?: readonly ShortRule[]
}

interface BootstrapFacts {
  readonly clusterRoles: Readonly<Record<string, ShortRole>>
  /**
   * Subjects by the name of the binding, which equals that of its ClusterRole: `Group system:masters`, `ServiceAccount x
   * kube-system`.
   */
  readonly clusterRoleBindings: Readonly<Record<string, readonly string[]>>
  readonly roles: readonly (readonly [namespace: string, name: string, rules: readonly ShortRule[]])[]
  readonly roleBindings: readonly (readonly [namespace: string, name: string, role: string, subjects: readonly string[]])[]
}

const AGGREGATION = 'rbac.authorization.k8s.io/aggregate-to-'
const LABEL = 'kubernetes.io/bootstrapping'

function words(list: readonly string[]): string {
  if (list.length === 0 || list.some((word) => word.includes(' ') || word === 'core')) throw new Error(`no words: ${list}`)
  return list.map((word) => (word === '' ? 'core' : word)).join(' ')
}

function shortRule({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): ShortRule {
  if (nonResourceURLs !== undefined) return [words(nonResourceURLs), words(verbs)]
  const names = resourceNames === undefined ? [] : [words(resourceNames)]
  return [words(apiGroups ?? []), words(resources ?? []), words(verbs), ...names]
}

const aggregateOf = (labels: Readonly<Record<string, string>>): string[] =>
  Object.keys(labels).flatMap((label) => (label.startsWith(AGGREGATION) ? [label.slice(AGGREGATION.length)] : []))

function shortRole({ metadata, rules, aggregationRule }: RbacObject): ShortRole {
  const aggregatesTo = aggregateOf(metadata.labels ?? {})
  const to = aggregatesTo.length === 0 ? {} : { aggregatesTo }
  if (aggregationRule === undefined) return { ...to, rules: (rules ?? []).map(shortRule) }
  // The rules of an aggregated role are collected in each cluster.
  return { aggregates: aggregationRule.clusterRoleSelectors.flatMap(({ matchLabels }) => aggregateOf(matchLabels)), ...to }
}

const shortSubjects = ({ subjects = [] }: RbacObject): string[] =>
  subjects.map(({ kind, name, namespace }) => [kind, name, ...(namespace === undefined ? [] : [namespace])].join(' '))

/** Whether the binding binds a controller's role to the ServiceAccount of the same name: such bindings are not recorded. */
function isControllerBinding({ metadata: { name } }: RbacObject, subjects: readonly string[]): boolean {
  const [, account] = /^system:controller:(.*)$/.exec(name) ?? []
  return account !== undefined && subjects.join() === `ServiceAccount ${account} kube-system`
}

function bootstrapped({ items }: RbacList): RbacObject[] {
  const key = ({ metadata }: RbacObject): string => `${metadata.namespace}/${metadata.name}`
  return items.filter(({ metadata }) => metadata.labels?.[LABEL] !== undefined).sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

function clusterRoleBindings(list: RbacList): Record<string, string[]> {
  const found = bootstrapped(list).map((binding) => ({ binding, subjects: shortSubjects(binding) }))
  for (const { binding } of found) {
    if (binding.roleRef?.name !== binding.metadata.name) throw new Error(`${binding.metadata.name} binds another role`)
  }
  const others = found.filter(({ binding, subjects }) => !isControllerBinding(binding, subjects))
  return Object.fromEntries(others.map(({ binding, subjects }) => [binding.metadata.name, subjects]))
}

/** Returns the facts from the lists of a kube-apiserver, sorted by name. */
export function bootstrapFacts(lists: {
  readonly clusterRoles: RbacList
  readonly clusterRoleBindings: RbacList
  readonly roles: RbacList
  readonly roleBindings: RbacList
}): BootstrapFacts {
  return {
    clusterRoles: Object.fromEntries(bootstrapped(lists.clusterRoles).map((role) => [role.metadata.name, shortRole(role)])),
    clusterRoleBindings: clusterRoleBindings(lists.clusterRoleBindings),
    roles: bootstrapped(lists.roles).map(({ metadata: { namespace = '', name }, rules }) => [
      ...([namespace, name] as const),
      (rules ?? []).map(shortRule),
    ]),
    roleBindings: bootstrapped(lists.roleBindings).map((binding) => [
      ...([binding.metadata.namespace ?? '', binding.metadata.name, binding.roleRef?.name ?? ''] as const),
      shortSubjects(binding),
    ]),
  }
}
