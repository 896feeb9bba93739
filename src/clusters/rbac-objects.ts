/** Roles and bindings as far as decisions follow from them: plain data, as the control object sends it to the Workers. */

/** Which verbs on what. Lists that are absent are empty. Follows PolicyRule of rbac.authorization.k8s.io/v1. */
export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

/** Whom a binding names. */
export interface Subject {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

/** Which role a binding grants. */
export interface RoleRef {
  readonly kind: string
  readonly name: string
}

/** A RoleBinding, or with namespace '' a ClusterRoleBinding. */
export interface Binding {
  readonly namespace: string
  readonly name: string
  readonly roleRef: RoleRef
  readonly subjects: readonly Subject[]
}

/** All roles and bindings of a cluster. */
export interface RbacObjects {
  readonly clusterRoles: Readonly<Record<string, readonly PolicyRule[]>>
  /** By `<namespace>/<name>`. */
  readonly roles: Readonly<Record<string, readonly PolicyRule[]>>
  readonly bindings: readonly Binding[]
}
