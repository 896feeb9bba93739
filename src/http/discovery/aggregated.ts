/** Aggregated discovery: one document with all groups and all their resources. */

import type { JsonObject } from '../../go/json-value.ts'
import type { SubresourceTable } from '../../schema/tables.ts'
import { sortedResources, sortedSubresources } from './documents.ts'
import { compareGroupNames, compareServed, priorityOfGroup } from './order.ts'
import { isListed, type ServedResource, type ServedVersion } from './served-version.ts'

/** Returns a responseKind. Built-in kinds leave group and version empty if they are those of the resource, CRDs never do. */
function responseKind(version: ServedVersion, kind: SubresourceTable['kind']): JsonObject {
  const own = version.custom ? version : { group: '', version: '' }
  return { group: kind.group ?? own.group, version: kind.version ?? own.version, kind: kind.kind }
}

function resource(version: ServedVersion, served: ServedResource): JsonObject {
  const subresources = sortedSubresources(version, served).map((each) => ({
    subresource: each.name,
    responseKind: responseKind(version, each.kind),
    verbs: [...each.verbs],
  }))
  return {
    resource: served.resource,
    responseKind: responseKind(version, { kind: served.kind }),
    scope: served.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: served.singular,
    verbs: [...served.verbs],
    ...(served.shortNames?.length && { shortNames: [...served.shortNames] }),
    ...(served.categories?.length && { categories: [...served.categories] }),
    ...(subresources.length > 0 && { subresources }),
  }
}

function versionDiscovery(version: ServedVersion): JsonObject {
  if (version.remote !== undefined) return version.remote.discovery
  return {
    version: version.version,
    resources: sortedResources(version).map((each) => resource(version, each)),
    freshness: 'Current',
  }
}

function groupDiscovery(name: string, versions: readonly ServedVersion[]): JsonObject {
  const sorted = [...versions].sort(compareServed)
  return { metadata: name === '' ? {} : { name }, versions: sorted.map(versionDiscovery) }
}

/** Returns the items of the document of /api (only the core group) or /apis (all other groups). */
export function discoveryItems(served: readonly ServedVersion[], path: '/api' | '/apis'): JsonObject[] {
  const listed = served.filter((each) => isListed(each) && (each.group === '') === (path === '/api'))
  return [...Map.groupBy(listed, ({ group }) => group)]
    .map(([name, tables]) => ({ name, versions: [], priority: priorityOfGroup(tables), tables }))
    .sort(compareGroupNames)
    .map(({ name, tables }) => groupDiscovery(name, tables))
}

/** Returns an APIGroupDiscoveryList with these items. */
export function apiGroupDiscoveryList(items: readonly JsonObject[]): JsonObject {
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items: [...items] }
}
