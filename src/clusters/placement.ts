/** Which Durable Object holds which collection. Nowhere else is this decided. */
import type { StorageLocation } from '../catalog/kind.ts'

/** The cluster of a deployment that serves only one. */
export const defaultCluster = 'default'

/**
 * Collections whose objects change how other requests are treated: they share the cluster's control object,
 * so that one request gives a consistent snapshot of them.
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

/** Where the control object of a cluster is. */
export function controlOf(cluster: string): Placement {
  return { class: 'control', name: `${cluster}/control` }
}

/** The cluster of a Durable Object that has this name. */
export function clusterOf(name: string): string {
  return name.slice(0, name.indexOf('/'))
}

/** The placement of a Durable Object that has this name. */
export function placementNamed(name: string): Placement {
  return { class: name.split('/').length === 2 ? 'control' : 'collection', name }
}

/** The Durable Object of a collection that the control object does not hold. */
export function placementOfCollection(cluster: string, group: string, resource: string): Placement {
  return { class: 'collection', name: `${cluster}/${group}/${resource}` }
}

/** Whether the cluster's control object holds a resource's objects. */
export const isControlled = ({ prefix }: StorageLocation): boolean => controlledCollections.has(prefix)

/** Where a resource's objects are. */
export function placementOf(cluster: string, storage: StorageLocation): Placement {
  if (isControlled(storage)) return controlOf(cluster)
  return placementOfCollection(cluster, storage.group, storage.resource)
}
