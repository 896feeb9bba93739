/**
 * The roles and bindings that every cluster has, as objects to be made. Follows kube-apiserver's bootstrap policy.
 * Aggregated roles come without rules: these are gathered where the others are.
 */

import type { Subject } from '../../../catalog/shapes/rbac.ts'
import type { JsonObject } from '../../../go/json-value.ts'
import { clusterRoles } from './cluster-roles.ts'
import { controllerRoles } from './controller-roles.ts'
import { clusterRoleBindings, namespacedRoles } from './namespaced.ts'
import type { BootstrapRole } from './role.ts'

/** An object and the resource that it is one of. */
export interface BootstrapObject {
  readonly resource: 'clusterroles' | 'clusterrolebindings' | 'roles' | 'rolebindings'
  readonly object: JsonObject & { metadata: JsonObject }
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

function roleBody({ rules = [], aggregates }: BootstrapRole): JsonObject {
  return {
    ...(aggregates !== undefined && {
      aggregationRule: {
        clusterRoleSelectors: aggregates.map((name) => ({ matchLabels: { [aggregationLabel(name)]: 'true' } })),
      },
    }),
    rules: structuredClone(rules) as unknown as JsonObject[],
  }
}

function binding(kind: 'Role' | 'ClusterRole', role: string, subjects: readonly Subject[]): JsonObject {
  return {
    roleRef: { apiGroup, kind, name: role },
    subjects: subjects.map((subject) => ({ ...subject, ...(subject.kind !== 'ServiceAccount' && { apiGroup }) })),
  }
}

const accountOf = (role: string): Subject => ({
  kind: 'ServiceAccount',
  name: role.slice('system:controller:'.length),
  namespace: 'kube-system',
})

/** All of them, roles before their bindings. */
export function* bootstrapObjects(): Generator<BootstrapObject> {
  for (const [name, role] of [...Object.entries(clusterRoles), ...Object.entries(controllerRoles)]) {
    const labels = (role.aggregatesTo ?? []).map(aggregationLabel)
    yield { resource: 'clusterroles', object: { metadata: metadata(name, '', labels), ...roleBody(role) } }
  }
  const bound: [string, readonly Subject[]][] = Object.keys(controllerRoles).map((name) => [name, [accountOf(name)]])
  for (const [name, subjects] of [...Object.entries(clusterRoleBindings), ...bound]) {
    yield { resource: 'clusterrolebindings', object: { metadata: metadata(name), ...binding('ClusterRole', name, subjects) } }
  }
  for (const role of namespacedRoles) {
    const { namespace, name, bindingName = name, subjects } = role
    yield { resource: 'roles', object: { metadata: metadata(name, namespace), ...roleBody(role) } }
    yield { resource: 'rolebindings', object: { metadata: metadata(bindingName, namespace), ...binding('Role', name, subjects) } }
  }
}
