/** Maps collections to Durable Objects. This is the only place that decides about it. */
import type { StorageLocation } from '../catalog/kind.ts'

/** The cluster of a deployment with only one. */
export const defaultCluster = 'default'

/**
 * Collections whose objects decide about other requests. They share the cluster's control object, so that one request gets a
 * consistent snapshot of them.
 */
export const controlledCollections: ReadonlySet<string> = new Set([
  'namespaces',
  'limitranges',
  'resourcequotas',
  'apiservices.apiregistration.k8s.io',
  'clusterrolebindings.rbac.authorization.k8s.io',
  'clusterroles.rbac.authorization.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
  'flowschemas.flowcontrol.apiserver.k8s.io',
  'mutatingadmissionpolicies.admissionregistration.k8s.io',
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'priorityclasses.scheduling.k8s.io',
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
  'roles.rbac.authorization.k8s.io',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
])

/** The Durable Object of a collection: its class and its name in that class. */
export type Placement = { readonly class: 'control' | 'collection'; readonly name: string }

/** Returns the placement of a cluster's control object. */
export function controlOf(cluster: string): Placement {
  return { class: 'control', name: `${cluster}/control` }
}

/** Returns the cluster of the Durable Object with this name. */
export function clusterOf(name: string): string {
  return name.slice(0, name.indexOf('/'))
}

/** Returns the placement of the Durable Object with this name. */
export function placementNamed(name: string): Placement {
  return { class: name.split('/').length === 2 ? 'control' : 'collection', name }
}

/** Returns the group and the resource of a collection `<resource>[.<group>]`. */
export function groupResourceOf(collection: string): [group: string, resource: string] {
  const dot = collection.indexOf('.')
  return dot < 0 ? ['', collection] : [collection.slice(dot + 1), collection.slice(0, dot)]
}

/** Returns the placement of a collection that is not in the control object. */
export function placementOfCollection(cluster: string, group: string, resource: string): Placement {
  return { class: 'collection', name: `${cluster}/${group}/${resource}` }
}

/** Whether the cluster's control object holds a resource's objects. */
export const isControlled = ({ prefix }: StorageLocation): boolean => controlledCollections.has(prefix)

/**
 * Returns the placement of a resource's objects.
 * @example
 * const deployments = kindOf('apps', 'v1', 'deployments')
 * if (deployments !== undefined) placementOf('default', deployments.storage)
 * // { class: 'collection', name: 'default/apps/deployments' }
 */
export function placementOf(cluster: string, storage: StorageLocation): Placement {
  if (isControlled(storage)) return controlOf(cluster)
  return placementOfCollection(cluster, storage.group, storage.resource)
}
