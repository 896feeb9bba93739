/** Roles and bindings in the policy snapshot: the fields that decisions need, as plain data. */

/** The verbs and resources that a rule allows. A missing list is empty. Follows PolicyRule of rbac.authorization.k8s.io/v1. */
export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

/** A subject of a binding. */
export interface Subject {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

/** The role that a binding grants. */
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
