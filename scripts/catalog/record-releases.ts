/**
 * Writes src/catalog/tables/releases.txt: what each release of Kubernetes serves, from 1.15 to the emulated one; and
 * release-fields.json: since which release types have their fields, and resources their subresources.
 *
 *   node scripts/catalog/record-releases.ts
 *
 * Needs Go. Downloads k8s.io/kubernetes in every release (about 20 MB each), and k8s.io/api in some. Reads the resources of each
 * release's OpenAPI document, which is made with every API enabled, the versions that its control plane enables by default, and
 * the priorities of its groups and versions. The lifecycle of a type comes from the newest API module that still has it.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Lifecycle } from '../../src/schema/tables.ts'
import { type ReleaseFacts, type ReleaseResource, writeReleases } from '../tables/release-text.ts'
import { RELEASES as releasesText } from '../tables/render-all.ts'
import { textFolder } from '../tables.mjs'
import { type DescribedRelease, describedRelease, releaseFields } from './release-fields.ts'
import { enabledByDefault, lifecycleFacts, priorities, type RecordedRelease, swaggerResources } from './release-sources.ts'

/** The last patch of each release that the Go module proxy has, the oldest release first. */
const RELEASES: readonly string[] = [
  ...['1.15.12', '1.16.15', '1.17.17', '1.18.20', '1.19.16', '1.20.15', '1.21.14', '1.22.17', '1.23.17', '1.24.17', '1.25.16'],
  ...['1.26.15', '1.27.16', '1.28.15', '1.29.15', '1.30.14', '1.31.14', '1.32.13', '1.33.13', '1.34.4', '1.35.4', '1.36.3'],
]

/** The modules with lifecycles, the newest first: the last ones that have a type that is gone, and the emulated release. */
const LIFECYCLES: readonly string[] = [
  'k8s.io/api@v0.36.3',
  'k8s.io/apiextensions-apiserver@v0.36.3',
  'k8s.io/kube-aggregator@v0.36.3',
  ...['0.35.4', '0.34.4', '0.31.14', '0.30.14', '0.28.15', '0.26.15', '0.24.17', '0.20.15', '0.19.16'].map(
    (v) => `k8s.io/api@v${v}`,
  ),
]

function download(module: string): string {
  const output = execFileSync('go', ['mod', 'download', '-json', module], { cwd: tmpdir(), encoding: 'utf8' })
  const { Dir }: { Dir: string } = JSON.parse(output)
  return Dir
}

const minorOf = (release: string): number => Number(release.split('.')[1])

function sourcesOf(dir: string, paths: readonly string[]): string[] {
  const found = paths.map((path) => join(dir, path)).filter((path) => existsSync(path))
  if (found.length === 0) throw new Error(`${dir} has none of ${paths.join(', ')}`)
  return found.map((path) => readFileSync(path, 'utf8'))
}

/** Returns the OpenAPI document of a release, and the folder of its sources. */
function openApiOf(release: string): { readonly dir: string; readonly swagger: string } {
  const dir = download(`k8s.io/kubernetes@v${release}`)
  return { dir, swagger: readFileSync(join(dir, 'api', 'openapi-spec', 'swagger.json'), 'utf8') }
}

function describe(release: string): DescribedRelease {
  return describedRelease(minorOf(release), openApiOf(release).swagger)
}

function readRelease(release: string): RecordedRelease {
  const { dir, swagger } = openApiOf(release)
  const resources = swaggerResources(swagger)
  const controlPlane = sourcesOf(dir, ['pkg/master/master.go', 'pkg/controlplane/instance.go'])
  const aggregator = sourcesOf(dir, ['cmd/kube-apiserver/app/aggregator.go', 'pkg/controlplane/apiserver/aggregator.go'])
  return {
    minor: minorOf(release),
    resources,
    isOnByDefault: enabledByDefault(controlPlane.join('\n'), resources),
    priorities: priorities(aggregator.join('\n')),
  }
}

function readLifecycles(): Map<string, Lifecycle> {
  const all = new Map<string, Lifecycle>()
  for (const module of LIFECYCLES) {
    const dir = download(module)
    const found = new Set<string>()
    const files = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    for (const file of files.filter((name) => /\/(?:zz_generated\.prerelease-)?lifecycle\.go$/.test(name))) {
      const [name = '', version = ''] = file.split('/').slice(-3)
      for (const [kind, facts] of lifecycleFacts(readFileSync(join(dir, file), 'utf8'))) {
        const key = `${name}/${version}.${kind}`
        // A type may have facts in two files of its package.
        if (found.has(key) || !all.has(key)) all.set(key, { ...all.get(key), ...facts })
        found.add(key)
      }
    }
  }
  return all
}

/** Returns the spans of consecutive releases as text: `1.15-1.17`, `1.16,1.30-1.36`. */
function spans(minors: readonly number[]): string {
  const found: [number, number][] = []
  for (const minor of minors) {
    const last = found.at(-1)
    if (last?.[1] === minor - 1) last[1] = minor
    else found.push([minor, minor])
  }
  return found.map(([from, to]) => (from === to ? `1.${from}` : `1.${from}-1.${to}`)).join()
}

const packageOf = (group: string): string =>
  ({ '': 'core', 'internal.apiserver.k8s.io': 'apiserverinternal' })[group] ?? group.split('.')[0] ?? ''

function resourceRows(releases: readonly RecordedRelease[], lifecycles: ReadonlyMap<string, Lifecycle>): ReleaseResource[] {
  const keys = [...new Set(releases.flatMap(({ resources }) => [...resources.keys()]))].sort()
  return keys.map((key) => {
    const having = releases.filter(({ resources }) => resources.has(key))
    const facts = having.at(-1)?.resources.get(key)
    if (facts === undefined) throw new Error(`no release has ${key}`)
    const lifecycle = lifecycles.get(`${packageOf(facts.group)}/${facts.version}.${facts.kind}`)
    return {
      ...facts,
      releases: spans(having.map(({ minor }) => minor)),
      onByDefault: spans(having.filter(({ isOnByDefault }) => isOnByDefault(facts)).map(({ minor }) => minor)),
      ...(lifecycle === undefined ? {} : { lifecycle }),
    }
  })
}

function priorityRows(releases: readonly RecordedRelease[]): ReleaseFacts['priorities'] {
  const rows: Record<string, Record<string, string>> = {}
  for (const name of [...new Set(releases.flatMap((release) => [...release.priorities.keys()]))].sort()) {
    const values = [...new Set(releases.flatMap((release) => release.priorities.get(name) ?? []))]
    rows[name] = Object.fromEntries(
      values.map((value) => [value, spans(releases.filter((r) => r.priorities.get(name) === value).map(({ minor }) => minor))]),
    )
  }
  return rows
}

const releases = RELEASES.map(readRelease)
const recorded: ReleaseFacts = {
  resources: resourceRows(releases, readLifecycles()),
  priorities: priorityRows(releases),
}

writeFileSync(join(textFolder, releasesText), writeReleases(recorded))
const fieldsFile = join(import.meta.dirname, '../../src/catalog/release-fields.json')
writeFileSync(fieldsFile, JSON.stringify(releaseFields(RELEASES.map(describe))))
execFileSync('biome', ['format', '--write', fieldsFile])
