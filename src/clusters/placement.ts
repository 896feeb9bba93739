/** Maps collections to Durable Objects. This is the only place that decides about it. */
import type { StorageLocation } from '../catalog/kind.ts'

/** The cluster of a deployment with only one. */
export const defaultCluster = 'default'

/**
 * The ways in which the collections of a cluster are placed. `collections`: a Durable Object for each, beside the control object.
 * `one-object`: the control object holds all of them. A cluster keeps the way in which it was made.
 */
export const clusterPlacements = ['collections', 'one-object'] as const
export type ClusterPlacement = (typeof clusterPlacements)[number]

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
  'storageversionmigrations.storagemigration.k8s.io',
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

/** Returns the name of the object in a cluster that corresponds to one with this name, of whichever cluster. */
export const nameInCluster = (cluster: string, name: string): string => cluster + name.slice(name.indexOf('/'))

/** Returns the placement of the Durable Object with this name. */
export function placementNamed(name: string): Placement {
  return { class: name.split('/').length === 2 ? 'control' : 'collection', name }
}

/** Returns the group and the resource of a collection `<resource>[.<group>]`. */
export function groupResourceOf(collection: string): [group: string, resource: string] {
  const dot = collection.indexOf('.')
  return dot < 0 ? ['', collection] : [collection.slice(dot + 1), collection.slice(0, dot)]
}

/** Returns `<resource>[.<group>]`, the prefix of keys. */
export const prefixOfCollection = (group: string, resource: string): string => (group === '' ? resource : `${resource}.${group}`)

/** Returns the placement of a collection that is not in the control object. */
export function placementOfCollection(cluster: string, group: string, resource: string): Placement {
  return { class: 'collection', name: `${cluster}/${group}/${resource}` }
}

/**
 * Returns the placement of the object that keeps connections to the server of another API's group version. It stores nothing. No
 * resource has such a name.
 */
export function placementOfBackend(cluster: string, group: string, version: string): Placement {
  return { class: 'collection', name: `${cluster}/${group}/@${version}` }
}

/** Whether a resource's objects decide about other requests: the control object holds them in every placement. */
export const isControlled = ({ prefix }: StorageLocation): boolean => controlledCollections.has(prefix)

/**
 * Returns the placement of a resource's objects.
 * @example
 * const deployments = kindOf('apps', 'v1', 'deployments')
 * if (deployments !== undefined) placementOf('default', 'collections', deployments.storage)
 * // { class: 'collection', name: 'default/apps/deployments' }
 */
export function placementOf(cluster: string, placement: ClusterPlacement, storage: StorageLocation): Placement {
  if (placement === 'one-object' || isControlled(storage)) return controlOf(cluster)
  return placementOfCollection(cluster, storage.group, storage.resource)
}

/** The header of a control object's responses with the placement of its cluster. Earlier releases do not send it. */
export const placementHeader = 'edgeplane-placement'

/** The header of a control object's responses with the region of its cluster's objects, if the cluster has one of its own. */
export const locationHeader = 'edgeplane-location'

/** Returns the placement that a control object tells. */
export const placementIn = (headers: Headers): ClusterPlacement =>
  headers.get(placementHeader) === 'one-object' ? 'one-object' : 'collections'

/** A Durable Object and the placement of its cluster. */
export interface PlacedObject {
  readonly name: string
  readonly placement: ClusterPlacement
}

/** Returns the entries of a table that concern an object. Its keys are `control`, and `<group>/<resource>` for a collection. */
export function entriesFor<T>(
  table: Readonly<Record<string, T>>,
  { name, placement }: PlacedObject,
): [place: string, entry: T][] {
  if (placement === 'one-object') return Object.entries(table)
  const place = name.slice(name.indexOf('/') + 1)
  const entry = table[place]
  return entry === undefined ? [] : [[place, entry]]
}
