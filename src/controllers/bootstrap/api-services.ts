/** The APIServices of the built-in groups: one for each group version except apiregistration.k8s.io itself. */

import { groupPriorityOf, versionPriorityOf } from '../../catalog/group-priorities.ts'
import { allKinds } from '../../catalog/scheme.ts'
import type { JsonObject } from '../../go/json-value.ts'

const ownGroup = 'apiregistration.k8s.io'

function apiService(group: string, version: string): JsonObject & { metadata: JsonObject } {
  return {
    metadata: { name: `${version}.${group}`, labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
    spec: {
      ...(group !== '' && { group }),
      version,
      groupPriorityMinimum: groupPriorityOf(group),
      versionPriority: versionPriorityOf(group, version),
    },
  }
}

/** Returns all of them, sorted by name. */
export function localApiServices(): (JsonObject & { metadata: JsonObject })[] {
  const served = new Map([...allKinds()].map(({ group, version }) => [`${version}.${group}`, { group, version }]))
  return [...served]
    .filter(([, { group }]) => group !== ownGroup)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { group, version }]) => apiService(group, version))
}
