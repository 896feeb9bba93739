/** The fields and subresources that a release has: release-fields.json says which ones came later. */
import type { Release, ResourceTable, TypeTable, VersionTable } from '../schema/tables.ts'
import { compareReleases, newestRelease } from './lifecycle.ts'
import recorded from './release-fields.json' with { type: 'json' }
import { allTables } from './scheme.ts'

/** The names that came after their type or resource, separated by spaces, by the minor release that introduced them. */
type Introductions = Readonly<Record<string, Readonly<Record<string, string>>>>

const { fields, subresources }: { readonly fields: Introductions; readonly subresources: Introductions } = recorded

/** Returns the names of a type or resource that came after a release. */
function laterNames(introductions: Introductions, key: string, [, minor]: Release): ReadonlySet<string> {
  const rows = Object.hasOwn(introductions, key) ? Object.entries(introductions[key] ?? {}) : []
  return new Set(rows.flatMap(([since, names]) => (Number(since) > minor ? names.split(' ') : [])))
}

function typeIn(type: TypeTable, reference: string, release: Release): TypeTable {
  if ('alias' in type || 'customJson' in type) return type
  const later = laterNames(fields, reference, release)
  if (later.size === 0) return type
  return { ...type, fields: Object.fromEntries(Object.entries(type.fields).filter(([name]) => !later.has(name))) }
}

/** Returns a resource of a version as a release has it: without the subresources that came later. */
function resourceIn(table: Pick<VersionTable, 'group' | 'version'>, resource: ResourceTable, release: Release): ResourceTable {
  const later = laterNames(subresources, `${table.group}/${table.version}/${resource.resource}`, release)
  if (later.size === 0 || resource.subresources === undefined) return resource
  return { ...resource, subresources: resource.subresources.filter(({ name }) => !later.has(name)) }
}

/** A copy of a table whose types are made on first use, because most are never asked for. */
function tableIn(table: VersionTable, release: Release): VersionTable {
  const { group, version, package: name } = table
  let types: VersionTable['types'] | undefined
  return {
    group,
    version,
    package: name,
    resources: table.resources.map((resource) => resourceIn(table, resource, release)),
    get types() {
      types ??= Object.fromEntries(
        Object.entries(table.types).map(([type, facts]) => [type, typeIn(facts, `${name}/${version}.${type}`, release)]),
      )
      return types
    },
  }
}

const made = new Map<number, ReadonlyMap<string, VersionTable>>()

/**
 * Returns the tables of all versions as a release has them, by `<package>/<version>`: types without the fields and resources
 * without the subresources that came later. Types of apimachinery are those of the newest release. The same map for the same
 * release.
 */
export function tablesIn(release: Release): ReadonlyMap<string, VersionTable> {
  if (compareReleases(release, newestRelease) >= 0) return allTables
  const found = made.get(release[1]) ?? new Map([...allTables].map(([name, table]) => [name, tableIn(table, release)] as const))
  made.set(release[1], found)
  return found
}
