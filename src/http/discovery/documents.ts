/** The classic discovery documents: APIVersions, APIGroupList, APIGroup and APIResourceList. */

import type { JsonObject } from '../../go/json-value.ts'
import { compareVersions } from '../../meta/version-order.ts'
import type { SubresourceTable } from '../../schema/tables.ts'
import { compareGroups } from './order.ts'
import type { ServedResource, ServedVersion } from './served-version.ts'
import { groupVersionText } from './served-version.ts'
import { storageVersionHash } from './storage-version-hash.ts'

const compareNames = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1)

/** Sorts the resources as discovery lists them. */
export function sortedResources(of: ServedVersion): ServedResource[] {
  return [...of.resources].sort((a, b) => (a.resource < b.resource ? -1 : 1))
}

/** Sorts the subresources as discovery lists them: by name for built-in kinds, in the given order for custom resources. */
export function sortedSubresources(of: ServedVersion, resource: ServedResource): readonly SubresourceTable[] {
  const subresources = resource.subresources ?? []
  return of.custom ? subresources : [...subresources].sort(compareNames)
}

/** Returns the document of /api. `serverAddress` is the host:port at which clients reach this server. */
export function apiVersions(serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  }
}

interface Group {
  readonly name: string
  readonly versions: readonly string[]
}

/** Returns all groups but the core group, each with its versions, in the order of /apis. */
export function orderedGroups(served: readonly ServedVersion[]): Group[] {
  const groups = Map.groupBy(
    served.filter(({ group, resources }) => group !== '' && resources.length > 0),
    ({ group }) => group,
  )
  return [...groups]
    .map(([name, tables]) => ({ name, versions: tables.map(({ version }) => version).sort(compareVersions) }))
    .sort(compareGroups)
}

function groupFields({ name, versions }: Group): JsonObject {
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

function subresource(parent: ServedResource, of: SubresourceTable): JsonObject {
  const { group, version, kind } = of.kind
  return {
    name: `${parent.resource}/${of.name}`,
    singularName: '',
    namespaced: parent.namespaced,
    ...(group && { group }),
    ...(version && { version }),
    kind,
    verbs: [...of.verbs],
  }
}

async function resource(version: ServedVersion, of: ServedResource): Promise<JsonObject[]> {
  const hash = await storageVersionHash(version, of)
  const own: JsonObject = {
    name: of.resource,
    singularName: of.singular,
    namespaced: of.namespaced,
    kind: of.kind,
    verbs: [...of.verbs],
    ...(of.shortNames?.length && { shortNames: [...of.shortNames] }),
    ...(of.categories?.length && { categories: [...of.categories] }),
    ...(hash !== undefined && { storageVersionHash: hash }),
  }
  return [own, ...sortedSubresources(version, of).map((each) => subresource(of, each))]
}

/** Returns the document of /api/v1 or /apis/<group>/<version>. */
export async function apiResourceList(of: ServedVersion): Promise<JsonObject> {
  const resources = await Promise.all(sortedResources(of).map((each) => resource(of, each)))
  return {
    kind: 'APIResourceList',
    ...(of.group !== '' && { apiVersion: 'v1' }),
    groupVersion: groupVersionText(of),
    resources: resources.flat(),
  }
}
