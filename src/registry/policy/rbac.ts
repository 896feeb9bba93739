/** Reads the cluster's RBAC roles and bindings from the control object's store. */
import type { Binding, PolicyRule, RbacObjects, RoleRef, Subject } from '../../clusters/rbac-objects.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { Store } from '../../storage/store.ts'
import { listUnder } from '../list/all.ts'

/** The key prefixes of roles and bindings. */
export const rbacPrefixes = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'].map(
  (resource) => `${resource}.rbac.authorization.k8s.io/`,
)

const objectsOf = (store: Store, resource: string): Generator<KubernetesObject> =>
  listUnder(store, `${resource}.rbac.authorization.k8s.io/`)

function rulesOf(object: KubernetesObject): readonly PolicyRule[] {
  return (object.rules as readonly PolicyRule[] | null | undefined) ?? []
}

function bindingOf(object: KubernetesObject): Binding {
  const { name = '', namespace = '' } = object.metadata
  const { kind, name: role } = object.roleRef as unknown as RoleRef
  const subjects = (object.subjects as unknown as readonly Subject[] | undefined) ?? []
  return {
    namespace,
    name,
    roleRef: { kind, name: role },
    subjects: subjects.map((subject) => ({
      kind: subject.kind,
      name: subject.name,
      ...(subject.namespace !== undefined && { namespace: subject.namespace }),
    })),
  }
}

/** Returns all roles and bindings of the store. */
export function readRbacObjects(store: Store): RbacObjects {
  const roles = (resource: string): Record<string, readonly PolicyRule[]> =>
    Object.fromEntries(
      [...objectsOf(store, resource)].map((object) => {
        const { name = '', namespace } = object.metadata
        return [namespace === undefined ? name : `${namespace}/${name}`, rulesOf(object)]
      }),
    )
  return {
    clusterRoles: roles('clusterroles'),
    roles: roles('roles'),
    bindings: [...objectsOf(store, 'clusterrolebindings'), ...objectsOf(store, 'rolebindings')].map(bindingOf),
  }
}
