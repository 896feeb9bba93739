/** The classic discovery documents: APIVersions, APIGroupList, APIGroup and APIResourceList. */

import type { JsonObject } from '../../go/json-value.ts'
import type { SubresourceTable } from '../../schema/tables.ts'
import { compareGroups, compareServed, type OrderedGroup, priorityOfGroup } from './order.ts'
import type { ServedResource, ServedVersion } from './served-version.ts'
import { groupVersionText, isListed } from './served-version.ts'
import { storageVersionHash } from './storage-version-hash.ts'

const compareNames = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1)

/** Sorts the resources as discovery lists them. */
export function sortedResources(version: ServedVersion): ServedResource[] {
  return [...version.resources].sort((a, b) => (a.resource < b.resource ? -1 : 1))
}

/** Sorts the subresources as discovery lists them: by name for built-in kinds, in the given order for custom resources. */
export function sortedSubresources(version: ServedVersion, resource: ServedResource): readonly SubresourceTable[] {
  const subresources = resource.subresources ?? []
  return version.custom ? subresources : [...subresources].sort(compareNames)
}

/** Returns the document of /api. `serverAddress` is the host:port at which clients reach this server. */
export function apiVersions(serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  }
}

/** Returns all groups but the core group, each with its versions, in the order of /apis. */
export function orderedGroups(served: readonly ServedVersion[]): OrderedGroup[] {
  const groups = Map.groupBy(
    served.filter((each) => each.group !== '' && isListed(each)),
    ({ group }) => group,
  )
  return [...groups]
    .map(([name, tables]) => ({
      name,
      versions: [...tables].sort(compareServed).map(({ version }) => version),
      priority: priorityOfGroup(tables),
    }))
    .sort(compareGroups)
}

function groupFields({ name, versions }: OrderedGroup): JsonObject {
  const listed = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }))
  return { name, versions: listed, preferredVersion: listed[0] ?? null }
}

/** Returns the document of /apis. */
export function apiGroupList(served: readonly ServedVersion[]): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: orderedGroups(served).map(groupFields) }
}

/** Returns the document of /apis/<group>, or undefined if there is no such group. */
export function apiGroup(served: readonly ServedVersion[], name: string): JsonObject | undefined {
  const group = orderedGroups(served).find((ordered) => ordered.name === name)
  return group && { kind: 'APIGroup', apiVersion: 'v1', ...groupFields(group) }
}

function subresource(parent: ServedResource, table: SubresourceTable): JsonObject {
  const { group, version, kind } = table.kind
  return {
    name: `${parent.resource}/${table.name}`,
    singularName: '',
    namespaced: parent.namespaced,
    ...(group && { group }),
    ...(version && { version }),
    kind,
    verbs: [...table.verbs],
  }
}

async function resource(version: ServedVersion, served: ServedResource): Promise<JsonObject[]> {
  const hash = await storageVersionHash(version, served)
  const own: JsonObject = {
    name: served.resource,
    singularName: served.singular,
    namespaced: served.namespaced,
    kind: served.kind,
    verbs: [...served.verbs],
    ...(served.shortNames?.length && { shortNames: [...served.shortNames] }),
    ...(served.categories?.length && { categories: [...served.categories] }),
    ...(hash !== undefined && { storageVersionHash: hash }),
  }
  return [own, ...sortedSubresources(version, served).map((each) => subresource(served, each))]
}

/** Returns the document of /api/v1 or /apis/<group>/<version>. */
export async function apiResourceList(version: ServedVersion): Promise<JsonObject> {
  const resources = await Promise.all(sortedResources(version).map((each) => resource(version, each)))
  return {
    kind: 'APIResourceList',
    ...(version.group !== '' && { apiVersion: 'v1' }),
    groupVersion: groupVersionText(version),
    resources: resources.flat(),
  }
}
