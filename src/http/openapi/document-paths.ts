/** The documents of OpenAPI 3, one for each part of the API, with their paths. OpenAPI 2 has all paths in one document. */
import { newestRelease } from '../../catalog/lifecycle.ts'
import type { Release, VersionTable } from '../../schema/tables.ts'
import { groupVersionText } from '../discovery/served-version.ts'
import { type CustomVersion, customPaths } from './custom-resources.ts'
import type { PathItem } from './model.ts'
import { capitalized, groupTag, versionName, versionTag } from './names.ts'
import { discover, discovered, type Made, readIssuer, readIssuerKeys, readVersion } from './operations.ts'
import { resourcePaths } from './resource-paths.ts'

type Tables = ReadonlyMap<string, VersionTable>

/** A part of the API with a document of its own. */
export interface Part {
  /** The document's path under /openapi/v3. */
  readonly name: string
  /** The release that the document describes. */
  readonly release: Release
  /** The group version that this document describes. Set only for built-in groups. */
  readonly version?: VersionTable
  /** The custom resource version that this document describes. Set only for CRDs. */
  readonly custom?: CustomVersion
  paths(): PathItem[]
}

const single = (path: string, [method, operation]: Made): PathItem => ({ path, operations: { [method]: operation } })

function groupPart(group: string): readonly [name: string, made: Made] {
  const tag = groupTag(group)
  return [`apis/${group}`, discover(tag, `get${capitalized(tag)}APIGroup`, discovered.group)]
}

function versionPart(tables: Tables, version: VersionTable, release: Release): Part {
  const name = version.group === '' ? `api/${version.version}` : `apis/${groupVersionText(version)}`
  const resources = discover(versionTag(version), `get${versionName(version)}APIResources`, discovered.resources)
  return { name, release, version, paths: () => [single(`/${name}/`, resources), ...resourcePaths(tables, version)] }
}

/** Returns the part of a group version with custom resources. */
export function customPart(tables: Tables, custom: CustomVersion, release: Release): Part {
  return { name: `apis/${custom.group}/${custom.version}`, release, custom, paths: () => customPaths(tables, custom) }
}

/** Returns the parts by name, in the order of their names. */
export const ordered = (parts: readonly Part[]): ReadonlyMap<string, Part> =>
  new Map(parts.map((each) => [each.name, each] as const).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Returns the parts of an API that serves these versions, by name, in the order of their names. */
export function partsOf(
  tables: Tables,
  served: readonly VersionTable[],
  release: Release = newestRelease,
): ReadonlyMap<string, Part> {
  const versions = served.filter(({ resources }) => resources.length > 0)
  const groups = new Set(versions.map(({ group }) => group).filter((group) => group !== ''))
  const documents: readonly (readonly [name: string, made: Made])[] = [
    ['api', discover('core', 'getCoreAPIVersions', discovered.versions)],
    ['apis', discover('apis', 'getAPIVersions', discovered.groups)],
    ['version', readVersion],
    ['.well-known/openid-configuration', readIssuer],
    ['openid/v1/jwks', readIssuerKeys],
    ...[...groups].map(groupPart),
  ]
  return ordered([
    ...documents.map(([name, made]): Part => ({ name, release, paths: () => [single(`/${name}/`, made)] })),
    ...versions.map((version) => versionPart(tables, version, release)),
  ])
}
