/** The collection and version in which each resource is stored. */
import { compareVersions } from '../meta/version-order.ts'
import type { ResourceTable, VersionTable } from '../schema/tables.ts'
import { served } from './generated/served.ts'
import { unserved } from './generated/unserved.ts'
import type { StorageLocation } from './kind.ts'

/** Resources whose objects are stored in another group, by `<group>/<resource>`. */
const storedInGroup: Readonly<Record<string, string>> = {
  'events.k8s.io/events': '',
  'extensions/daemonsets': 'apps',
  'extensions/deployments': 'apps',
  'extensions/ingresses': 'networking.k8s.io',
  'extensions/networkpolicies': 'networking.k8s.io',
  'extensions/podsecuritypolicies': 'policy',
  'extensions/replicasets': 'apps',
}

/** Resources whose prefix in kube-apiserver's etcd is not their name. */
const etcdPrefixes: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  podsecuritypolicies: 'podsecuritypolicy',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
}

/** Groups that an API server of their own serves inside kube-apiserver. Their etcd prefix begins with the group. */
const separateGroups: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

const hasResource = (table: VersionTable, group: string, resource: string): boolean =>
  table.group === group && table.resources.some((candidate) => candidate.resource === resource)

/** Returns the newest version that has the resource; one that is served by default comes before all others. */
function storageVersion(group: string, resource: string): string | undefined {
  const among = (tables: readonly VersionTable[]): string | undefined =>
    tables
      .filter((table) => hasResource(table, group, resource))
      .map(({ version }) => version)
      .sort(compareVersions)[0]
  return among(served) ?? among(unserved)
}

/**
 * Returns the collection of a resource, which all its versions share, and the version in which its objects are stored: the newest
 * one, also if an older release is emulated.
 */
export function storageLocationOf(table: VersionTable, { resource }: ResourceTable): StorageLocation {
  const group = storedInGroup[`${table.group}/${resource}`] ?? table.group
  return {
    group,
    version: storageVersion(group, resource) ?? table.version,
    resource,
    prefix: group === '' ? resource : `${resource}.${group}`,
    etcdPrefix: separateGroups.has(table.group) ? `${table.group}/${resource}` : (etcdPrefixes[resource] ?? resource),
  }
}
