/**
 * The roles and bindings that every cluster has, as objects to be made: recorded from kube-apiserver by
 * scripts/catalog/record-facts.ts. Aggregated roles come without rules: these are gathered in the cluster.
 */
import type { JsonObject } from '../../../go/json-value.ts'
import recorded from './recorded.json' with { type: 'json' }

/** An object and the resource that it is one of. */
export interface BootstrapObject {
  readonly resource: 'clusterroles' | 'clusterrolebindings' | 'roles' | 'rolebindings'
  readonly object: JsonObject & { metadata: JsonObject }
}

/** A ClusterRole: its rules, or the aggregates whose rules it has, and the aggregates that have its rules. */
interface RecordedRole {
  readonly rules?: readonly (readonly string[])[]
  readonly aggregates?: readonly string[]
  readonly aggregatesTo?: readonly string[]
}

const words = (text = ''): string[] => text.split(' ').map((word) => (word === 'core' ? '' : word))

/** A rule of `[nonResourceURLs, verbs]` or of `[apiGroups, resources, verbs]`, perhaps with resourceNames. */
function ruleOf([first, second, verbs, names]: readonly string[]): JsonObject {
  if (verbs === undefined) return { verbs: words(second), nonResourceURLs: words(first) }
  const resourceNames = names === undefined ? {} : { resourceNames: words(names) }
  return { verbs: words(verbs), apiGroups: words(first), resources: words(second), ...resourceNames }
}

/** The label by which aggregated roles find those whose rules they have. */
const aggregationLabel = (name: string): string => `rbac.authorization.k8s.io/aggregate-to-${name}`

const apiGroup = 'rbac.authorization.k8s.io'

function metadata(name: string, namespace = '', labels: readonly string[] = []): JsonObject {
  return {
    name,
    ...(namespace !== '' && { namespace }),
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...Object.fromEntries(labels.map((label) => [label, 'true'])) },
  }
}

function clusterRole(name: string, { rules = [], aggregates, aggregatesTo = [] }: RecordedRole): BootstrapObject['object'] {
  return {
    metadata: metadata(name, '', aggregatesTo.map(aggregationLabel)),
    ...(aggregates !== undefined && {
      aggregationRule: {
        clusterRoleSelectors: aggregates.map((aggregate) => ({ matchLabels: { [aggregationLabel(aggregate)]: 'true' } })),
      },
    }),
    rules: rules.map(ruleOf),
  }
}

/** A subject of `<kind> <name>[ <namespace>]`. */
function subjectOf(text: string): JsonObject {
  const [kind = '', name = '', namespace] = text.split(' ')
  return { kind, name, ...(namespace === undefined ? { apiGroup } : { namespace }) }
}

const binding = (kind: 'Role' | 'ClusterRole', role: string, subjects: readonly string[]): JsonObject => ({
  roleRef: { apiGroup, kind, name: role },
  subjects: subjects.map(subjectOf),
})

/** Subjects by the name of a ClusterRole; the role of a controller is bound to the ServiceAccount of its name. */
function clusterRoleBindings(): [string, readonly string[]][] {
  const controllers = Object.keys(recorded.clusterRoles).flatMap((name): [string, string[]][] => {
    const [, account] = /^system:controller:(.*)$/.exec(name) ?? []
    return account === undefined ? [] : [[name, [`ServiceAccount ${account} kube-system`]]]
  })
  return [...Object.entries(recorded.clusterRoleBindings), ...controllers]
}

/** All of them, roles before their bindings. */
export function* bootstrapObjects(): Generator<BootstrapObject> {
  for (const [name, role] of Object.entries<RecordedRole>(recorded.clusterRoles)) {
    yield { resource: 'clusterroles', object: clusterRole(name, role) }
  }
  for (const [name, subjects] of clusterRoleBindings()) {
    yield { resource: 'clusterrolebindings', object: { metadata: metadata(name), ...binding('ClusterRole', name, subjects) } }
  }
  const roles = recorded.roles as unknown as readonly [string, string, readonly (readonly string[])[]][]
  for (const [namespace, name, rules] of roles) {
    yield { resource: 'roles', object: { metadata: metadata(name, namespace), rules: rules.map(ruleOf) } }
  }
  const bindings = recorded.roleBindings as unknown as readonly [string, string, string, readonly string[]][]
  for (const [namespace, name, role, subjects] of bindings) {
    yield { resource: 'rolebindings', object: { metadata: metadata(name, namespace), ...binding('Role', role, subjects) } }
  }
}
