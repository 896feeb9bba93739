/** The API services of what the server itself serves: one a version of a group, but for the group of API services. */

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

/** All of them, in the order of their names. */
export function localApiServices(): (JsonObject & { metadata: JsonObject })[] {
  const served = new Map([...allKinds()].map(({ group, version }) => [`${version}.${group}`, { group, version }]))
  return [...served]
    .filter(([, { group }]) => group !== ownGroup)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { group, version }]) => apiService(group, version))
}
