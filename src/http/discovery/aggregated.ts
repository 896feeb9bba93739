/** Aggregated discovery: one document with all groups and all their resources. */

import type { JsonObject } from '../../go/json-value.ts'
import { compareVersions } from '../../meta/version-order.ts'
import type { SubresourceTable } from '../../schema/tables.ts'
import { sortedResources, sortedSubresources } from './documents.ts'
import { compareGroupNames } from './order.ts'
import type { ServedResource, ServedVersion } from './served-version.ts'

/** Returns a responseKind. Built-in kinds leave group and version empty if they are those of the resource, CRDs never do. */
function responseKind(version: ServedVersion, kind: SubresourceTable['kind']): JsonObject {
  const own = version.custom ? version : { group: '', version: '' }
  return { group: kind.group ?? own.group, version: kind.version ?? own.version, kind: kind.kind }
}

function resource(version: ServedVersion, of: ServedResource): JsonObject {
  const subresources = sortedSubresources(version, of).map((each) => ({
    subresource: each.name,
    responseKind: responseKind(version, each.kind),
    verbs: [...each.verbs],
  }))
  return {
    resource: of.resource,
    responseKind: responseKind(version, { kind: of.kind }),
    scope: of.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: of.singular,
    verbs: [...of.verbs],
    ...(of.shortNames?.length && { shortNames: [...of.shortNames] }),
    ...(of.categories?.length && { categories: [...of.categories] }),
    ...(subresources.length > 0 && { subresources }),
  }
}

function versionDiscovery(of: ServedVersion): JsonObject {
  return { version: of.version, resources: sortedResources(of).map((each) => resource(of, each)), freshness: 'Current' }
}

function groupDiscovery(name: string, versions: readonly ServedVersion[]): JsonObject {
  const sorted = [...versions].sort((a, b) => compareVersions(a.version, b.version))
  return { metadata: name === '' ? {} : { name }, versions: sorted.map(versionDiscovery) }
}

/** Returns the items of the document of /api (only the core group) or /apis (all other groups). */
export function discoveryItems(served: readonly ServedVersion[], path: '/api' | '/apis'): JsonObject[] {
  const listed = served.filter(({ group, resources }) => resources.length > 0 && (group === '') === (path === '/api'))
  return [...Map.groupBy(listed, ({ group }) => group)]
    .map(([name, tables]) => ({ name, versions: tables.map(({ version }) => version), tables }))
    .sort(compareGroupNames)
    .map(({ name, tables }) => groupDiscovery(name, tables))
}

/** Returns an APIGroupDiscoveryList with these items. */
export function apiGroupDiscoveryList(items: readonly JsonObject[]): JsonObject {
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items: [...items] }
}
