/**
 * Writes resources.json from recorded discovery documents:
 *
 *   node scripts/catalog/record-resources.ts <release> <folder of a default server> <folder of one with everything on>
 *
 * Each folder holds api.json and apis.json: the responses of kube-apiserver's /api and /apis to
 * `Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`.
 * The second server runs with --runtime-config=api/all=true --feature-gates=AllAlpha=true,AllBeta=true.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SubresourceTable } from '../../src/schema/tables.ts'
import { type RecordedResource, type RecordedResources, type RecordedVersion, VERBS } from './resources.ts'

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

function readVersions(folder: string): RecordedVersion[] {
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
    ...(found.singularResource === kind.toLowerCase() ? {} : { singular: found.singularResource }),
    kind,
    namespaced: found.scope === 'Namespaced',
    ...(found.verbs.join() === VERBS.join() ? {} : { verbs: found.verbs }),
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

const [release, defaultFolder, fullFolder] = process.argv.slice(2)
if (release === undefined || defaultFolder === undefined || fullFolder === undefined) {
  console.error('usage: record-resources.ts <release> <folder of a default server> <folder of one with everything on>')
  process.exit(2)
}
const served = readVersions(defaultFolder)
const optional = readVersions(fullFolder).filter((v) => !served.some((s) => s.group === v.group && s.version === v.version))
const recorded: RecordedResources = { release, served, optional }
const file = join(import.meta.dirname, 'resources.json')
writeFileSync(file, JSON.stringify(recorded))
execFileSync('biome', ['format', '--write', file])
