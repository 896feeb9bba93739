/**
 * The resources of each version. The texts contain the ones that record-resources.ts has read from discovery: kube-apiserver
 * serves them by default or with every feature enabled. The resources of versions that it no longer serves follow from the client-gen markers and the typed clients.
 */
import type { Lifecycle, Release, ResourceTable, SubresourceTable, VersionTable } from '../../src/schema/tables.ts'
import { readServed, readVersions } from '../tables/render-all.ts'
import { tableName } from '../tables/type-references.ts'
import { VERBS, type VersionText } from '../tables/version-text.ts'
import { readTexts } from '../tables.mjs'
import { type LifecycleFacts, marker, markerValues, type PackageFacts, type TypeFacts } from './facts.ts'
import { goneShortNames } from './gone.ts'

/** A resource as discovery lists it. */
export type RecordedResource = Omit<ResourceTable, 'lifecycle'>

/** The resources of a version, as discovery lists them. */
export interface RecordedVersion {
  readonly group: string
  readonly version: string
  readonly resources: readonly RecordedResource[]
}

/** The recorded resources. */
export interface RecordedResources {
  /** Served by default, in discovery order: groups by priority, versions by preference. */
  readonly served: readonly RecordedVersion[]
  /** Served only with every API and feature enabled. */
  readonly optional: readonly RecordedVersion[]
}

/** The verbs that client-gen names differently from the API. Its `updateStatus` belongs to a subresource. */
const CLIENT_VERBS: Readonly<Record<string, string>> = { apply: 'patch', deleteCollection: 'deletecollection' }

/** The subresources of gone versions that their typed clients do not name, by `<package>/<version>.<resource>`. */
const UNNAMED_SUBRESOURCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'apps/v1beta1.deployments': { scale: 'Scale' },
  'apps/v1beta1.statefulsets': { scale: 'Scale' },
  'apps/v1beta2.deployments': { scale: 'Scale' },
  'apps/v1beta2.replicasets': { scale: 'Scale' },
  'certificates/v1beta1.certificatesigningrequests': { approval: 'CertificateSigningRequest' },
}

function recordedVersion({ table: { group, version, resources }, unlisted }: VersionText): RecordedVersion {
  const listed = resources.filter(({ resource }) => !unlisted.has(resource))
  return { group, version, resources: listed.map(({ lifecycle: _, ...resource }) => resource) }
}

/** Reads the recorded resources in the texts. */
export function readRecordedResources(): RecordedResources {
  const texts = readTexts()
  const versions = new Map(readVersions(texts).map((text) => [tableName(text.table), recordedVersion(text)]))
  const names = readServed(texts)
  const served = names.flatMap((name) => versions.get(name) ?? [])
  const optional = [...versions.values()].filter((version) => version.resources.length > 0 && !served.includes(version))
  return { served, optional }
}

/** Returns the resources of a package, sorted by name, with their lifecycles. */
export function resourceTables(facts: PackageFacts, types: VersionTable['types'], recorded: RecordedResources): ResourceTable[] {
  const version = facts.name.split('/')[1] ?? ''
  const isThis = (v: RecordedVersion) => v.group === facts.groupName && v.version === version
  const served = recorded.served.find(isThis)?.resources
  const optional = recorded.optional.find(isThis)?.resources ?? []
  const resources = served ?? withRemoved(optional, clientResources(facts, types, recorded))
  return resources.map((resource) => {
    const lifecycle = lifecycleOf(facts.lifecycle[resource.kind])
    return lifecycle === undefined ? resource : { ...resource, lifecycle }
  })
}

/** Returns the served resources, and those that only the typed clients still know. */
function withRemoved(served: readonly ResourceTable[], clients: readonly ResourceTable[]): ResourceTable[] {
  const removed = clients.filter((c) => !served.some((s) => s.resource === c.resource))
  return [...served, ...removed].sort((a, b) => (a.resource < b.resource ? -1 : 1))
}

function clientResources(facts: PackageFacts, types: VersionTable['types'], recorded: RecordedResources): ResourceTable[] {
  return Object.entries(facts.clients)
    .map(([kind, resource]) => {
      const type = facts.types.find((t) => t.name === kind)
      if (type === undefined) throw new Error(`${facts.name} has a client for ${kind}, which is no type of it`)
      return clientResource(facts.name, resource, type, types, namesOf(facts.groupName, resource, recorded))
    })
    .filter((resource) => resource.verbs.length > 0)
}

/** Finds the same resource in a served version, first in its own group: `deployments` moved from extensions to apps. */
function namesOf(group: string, resource: string, recorded: RecordedResources): RecordedResource | undefined {
  const versions = [...recorded.served, ...recorded.optional]
  const same = versions.filter((v) => v.group === group)
  return [...same, ...versions].flatMap((v) => v.resources).find((r) => r.resource === resource)
}

function clientResource(
  packageName: string,
  resource: string,
  type: TypeFacts,
  types: VersionTable['types'],
  names: RecordedResource | undefined,
): ResourceTable {
  const verbs = clientVerbs(type)
  const unnamed = UNNAMED_SUBRESOURCES[`${packageName}.${resource}`] ?? {}
  const subresources = clientSubresources(type, types, verbs, unnamed)
  const shortNames = names?.shortNames ?? goneShortNames.get(resource)
  return {
    resource,
    singular: names?.singular ?? type.name.toLowerCase(),
    kind: type.name,
    namespaced: marker(type.markers, 'genclient:nonNamespaced') === undefined,
    verbs,
    ...(shortNames === undefined ? {} : { shortNames }),
    ...(names?.categories === undefined ? {} : { categories: names.categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  }
}

function clientVerbs(type: TypeFacts): string[] {
  const named = (name: string) => (marker(type.markers, name) ?? '').split(',').map((verb) => CLIENT_VERBS[verb] ?? verb)
  if (marker(type.markers, 'genclient:noVerbs') !== undefined) return []
  const only = named('genclient:onlyVerbs')
  if (marker(type.markers, 'genclient:onlyVerbs') !== undefined) return VERBS.filter((verb) => only.includes(verb))
  const skipped = named('genclient:skipVerbs')
  return VERBS.filter((verb) => !skipped.includes(verb))
}

function clientSubresources(
  type: TypeFacts,
  types: VersionTable['types'],
  verbs: readonly string[],
  unnamed: Readonly<Record<string, string>>,
): SubresourceTable[] {
  const found = new Map<string, { kind: string; verbs: Set<string> }>()
  for (const text of markerValues(type.markers, 'genclient:method')) {
    const { verb = '', subresource, result = type.name } = Object.fromEntries(text.split(',').map((part) => part.split('=')))
    if (subresource === undefined) continue
    const entry = found.get(subresource) ?? { kind: result.replace(/^.*\./, ''), verbs: new Set() }
    entry.verbs.add(CLIENT_VERBS[verb] ?? verb)
    // The API serves patch for every resource with update. client-gen lists it only if it was requested.
    if (verb === 'update') entry.verbs.add('patch')
    found.set(subresource, entry)
  }
  const table = types[type.name]
  const hasStatus = table !== undefined && 'fields' in table && Object.hasOwn(table.fields, 'status')
  const objectVerbs = ['get', 'patch', 'update']
  for (const [name, kind] of Object.entries(unnamed)) found.set(name, { kind, verbs: new Set(objectVerbs) })
  if (hasStatus && marker(type.markers, 'genclient:noStatus') === undefined && verbs.includes('update')) {
    found.set('status', { kind: type.name, verbs: new Set(objectVerbs) })
  }
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, entry]) => ({ name, kind: { kind: entry.kind }, verbs: [...entry.verbs].sort() }))
}

function lifecycleOf(facts: LifecycleFacts | undefined): Lifecycle | undefined {
  if (facts === undefined) return undefined
  const { introduced, deprecated, removed, replacement } = facts
  return {
    ...(introduced === undefined ? {} : { introduced: release(introduced) }),
    ...(deprecated === undefined ? {} : { deprecated: release(deprecated) }),
    ...(removed === undefined ? {} : { removed: release(removed) }),
    ...(replacement === undefined ? {} : { replacement: replacementKind(replacement) }),
  }
}

function release([major, minor]: readonly number[]): Release {
  if (major === undefined || minor === undefined) throw new Error('a release without two numbers')
  return [major, minor]
}

function replacementKind({
  group = '',
  version = '',
  kind = '',
}: Readonly<Record<string, string>>): NonNullable<Lifecycle['replacement']> {
  return { group, version, kind }
}
