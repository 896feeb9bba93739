/** The group versions of other API servers in discovery. Follows the discovery manager of k8s.io/kube-aggregator. */
import type { ApiService, ApiServices } from '../../clusters/api-services.ts'
import type { ServedVersion } from './served-version.ts'

/** Returns the version as discovery shows it. Nothing is known about the resources of a server that does not answer. */
function remoteVersion({ group, version, groupPriority, versionPriority, isAvailable, discovery }: ApiService): ServedVersion {
  const entry = isAvailable ? (discovery ?? { version }) : { version }
  const freshness = isAvailable && discovery !== undefined ? 'Current' : 'Stale'
  return { group, version, resources: [], remote: { groupPriority, versionPriority, discovery: { ...entry, freshness } } }
}

/** Returns the versions with those of other servers, which replace those of this one. */
export function withRemote(served: readonly ServedVersion[], services: ApiServices): ServedVersion[] {
  const remote = Object.values(services).map(remoteVersion)
  const names = new Set(remote.map(({ group, version }) => `${group}/${version}`))
  return [...served.filter(({ group, version }) => !names.has(`${group}/${version}`)), ...remote]
}
