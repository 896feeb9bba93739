/**
 * Writes the resources of kube-apiserver into the texts of their versions, and served.txt, from recorded discovery documents:
 *
 *   node scripts/catalog/record-resources.ts <folder of a default server> <folder of one with everything on>
 *
 * Each folder holds api.json and apis.json: the responses of kube-apiserver's /api and /apis to
 * `Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`.
 * generate.ts completes the texts. The second server runs with --runtime-config=api/all=true --feature-gates=AllAlpha=true,AllBeta=true.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SubresourceTable } from '../../src/schema/tables.ts'
import { readVersions, SERVED } from '../tables/render-all.ts'
import { tableName } from '../tables/type-references.ts'
import { textFile, type VersionText, writeVersion } from '../tables/version-text.ts'
import { readTexts, textFolder } from '../tables.mjs'
import type { RecordedResource, RecordedVersion } from './resources.ts'

interface DiscoveredKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

interface DiscoveredResource {
  readonly resource: string
  readonly responseKind: DiscoveredKind
  readonly scope: 'Namespaced' | 'Cluster'
  readonly singularResource: string
  readonly verbs: string[]
  readonly shortNames?: string[]
  readonly categories?: string[]
  readonly subresources?: { subresource: string; responseKind: DiscoveredKind; verbs: string[] }[]
}

interface DiscoveredGroup {
  readonly metadata: { readonly name?: string }
  readonly versions: { readonly version: string; readonly resources: DiscoveredResource[] }[]
}

function discoveredVersions(folder: string): RecordedVersion[] {
  return ['api.json', 'apis.json'].flatMap((file) => {
    const document: { items: DiscoveredGroup[] } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    return document.items.flatMap((group) =>
      group.versions.map(({ version, resources }) => ({
        group: group.metadata.name ?? '',
        version,
        resources: resources.map(recordedResource),
      })),
    )
  })
}

function recordedResource(found: DiscoveredResource): RecordedResource {
  const kind = found.responseKind.kind
  return {
    resource: found.resource,
    singular: found.singularResource,
    kind,
    namespaced: found.scope === 'Namespaced',
    verbs: found.verbs,
    ...(found.shortNames === undefined ? {} : { shortNames: found.shortNames }),
    ...(found.categories === undefined ? {} : { categories: found.categories }),
    ...(found.subresources === undefined ? {} : { subresources: found.subresources.map(subresourceTable) }),
  }
}

function subresourceTable(found: NonNullable<DiscoveredResource['subresources']>[number]): SubresourceTable {
  const { group, version, kind } = found.responseKind
  // Discovery leaves group and version empty if they are the resource's own.
  return { name: found.subresource, kind: version === '' ? { kind } : { group, version, kind }, verbs: found.verbs }
}

/** The folders of packages whose name is not the first part of their group. */
const PACKAGES: Readonly<Record<string, string>> = { '': 'core', 'internal.apiserver.k8s.io': 'apiserverinternal' }

/** Returns the text of a version with these resources, and with those that discovery does not list. */
function withResources({ group, version, resources }: RecordedVersion, texts: readonly VersionText[]): VersionText {
  const none = { unlisted: new Map(), shared: new Map(), columns: new Map(), strategies: new Map() }
  const name = PACKAGES[group] ?? group.split('.')[0] ?? ''
  const current = texts.find(({ table }) => table.group === group && table.version === version)
  const { table, ...rest } = current ?? { table: { group, version, package: name, resources: [], types: {} }, ...none }
  const unlisted = table.resources.filter(({ resource }) => rest.unlisted.has(resource))
  const all = [...resources, ...unlisted].sort((a, b) => (a.resource < b.resource ? -1 : 1))
  return { table: { ...table, resources: all }, ...rest }
}

const [defaultFolder, fullFolder] = process.argv.slice(2)
if (defaultFolder === undefined || fullFolder === undefined) {
  console.error('usage: record-resources.ts <folder of a default server> <folder of one with everything on>')
  process.exit(2)
}
const texts = readVersions(readTexts())
const served = discoveredVersions(defaultFolder)
const optional = discoveredVersions(fullFolder).filter((v) => !served.some((s) => s.group === v.group && s.version === v.version))
for (const version of [...served, ...optional]) {
  const text = withResources(version, texts)
  writeFileSync(join(textFolder, textFile(text.table)), writeVersion(text))
}
const names = served.map((version) => tableName(withResources(version, texts).table))
writeFileSync(join(textFolder, SERVED), `${names.join('\n')}\n`)
