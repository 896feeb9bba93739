/** The permissions of the user who has made a cluster: to see, change and delete it, and to read its kubeconfig. */
import { clusterOwnerPrefix } from '../../clusters/deployment-objects.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { ownerAnnotation } from '../../registry/strategies/edgeplane/cluster.ts'
import { clusterCollection } from './collection.ts'
import type { ClusterWithStatus } from './reports.ts'

const rbac = 'rbac.authorization.k8s.io'

/** An object to write. */
export interface AccessObject {
  readonly resource: 'roles' | 'rolebindings' | 'clusterroles' | 'clusterrolebindings'
  /** '' for an object of the whole cluster. */
  readonly namespace: string
  readonly object: JsonObject
}

/** Whether the cluster belongs to somebody who is not an administrator of the deployment. */
export const hasOwner = ({ metadata }: ClusterWithStatus): boolean => metadata.annotations?.[ownerAnnotation] !== undefined

/**
 * Returns the roles and bindings of the owner, who need no further permission than to create clusters. They go with the cluster, by
 * their owner reference.
 * @param secret its name, in `namespace`
 */
export function accessOf(
  { metadata }: ClusterWithStatus,
  ownerReference: JsonObject,
  secret: string,
  namespace: string,
): readonly AccessObject[] {
  const user = metadata.annotations?.[ownerAnnotation]
  if (user === undefined) return []
  const { name: cluster = '' } = metadata
  const name = clusterOwnerPrefix + cluster
  const meta = (inNamespace: string): JsonObject => ({
    name,
    ...(inNamespace !== '' && { namespace: inNamespace }),
    ownerReferences: [ownerReference],
  })
  const subjects = [{ kind: 'User', apiGroup: rbac, name: user }]
  const { group, resource } = clusterCollection
  const verbs = ['get', 'update', 'patch', 'delete', 'fork']
  return [
    {
      resource: 'clusterroles',
      namespace: '',
      object: { metadata: meta(''), rules: [{ apiGroups: [group], resources: [resource], resourceNames: [cluster], verbs }] },
    },
    {
      resource: 'clusterrolebindings',
      namespace: '',
      object: { metadata: meta(''), roleRef: { apiGroup: rbac, kind: 'ClusterRole', name }, subjects },
    },
    {
      resource: 'roles',
      namespace,
      object: {
        metadata: meta(namespace),
        rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: [secret], verbs: ['get'] }],
      },
    },
    {
      resource: 'rolebindings',
      namespace,
      object: { metadata: meta(namespace), roleRef: { apiGroup: rbac, kind: 'Role', name }, subjects },
    },
  ]
}
