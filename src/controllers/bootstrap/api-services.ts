/** The APIServices of the built-in groups: one for each group version except apiregistration.k8s.io itself. */

import { prioritiesOf } from '../../catalog/group-priorities.ts'
import type { ResourceConfig } from '../../catalog/resource-config.ts'
import { servedVersions } from '../../catalog/served-versions.ts'
import type { JsonObject } from '../../go/json-value.ts'

const ownGroup = 'apiregistration.k8s.io'

function apiService(group: string, version: string, { release }: ResourceConfig): JsonObject & { metadata: JsonObject } {
  const { group: groupPriorityMinimum, version: versionPriority } = prioritiesOf(group, version, release)
  return {
    metadata: { name: `${version}.${group}`, labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
    spec: { ...(group !== '' && { group }), version, groupPriorityMinimum, versionPriority },
  }
}

/** Returns those of the versions that a cluster serves, sorted by name. */
export function localApiServices(config: ResourceConfig): (JsonObject & { metadata: JsonObject })[] {
  return servedVersions(config)
    .filter(({ group }) => group !== ownGroup)
    .map(({ group, version }) => ({ name: `${version}.${group}`, group, version }))
    .sort(({ name: a }, { name: b }) => (a < b ? -1 : 1))
    .map(({ group, version }) => apiService(group, version, config))
}
