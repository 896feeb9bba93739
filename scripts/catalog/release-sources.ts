/** Reads facts about a release from its sources: its OpenAPI document and the Go files of its control plane. */
import type { Lifecycle, Release } from '../../src/schema/tables.ts'
import type { ResourceFacts } from '../tables/release-text.ts'

/** One release, as its sources describe it. */
export interface RecordedRelease {
  readonly minor: number
  readonly resources: ReadonlyMap<string, ResourceFacts>
  readonly isOnByDefault: (resource: ResourceFacts) => boolean
  readonly priorities: ReadonlyMap<string, string>
}

interface Operation {
  readonly 'x-kubernetes-group-version-kind'?: { readonly kind: string }
}

/** Collections only: no subresource, no object, no path of the deprecated watch. */
const COLLECTION =
  /^\/(?:api|apis\/(?<group>[^/]+))\/(?<version>v[^/]+)\/(?<namespace>namespaces\/\{namespace\}\/)?(?<resource>[a-z]+)$/

/** Returns the resources of an OpenAPI v2 document by `<group>/<version>/<resource>`. */
export function swaggerResources(text: string): Map<string, ResourceFacts> {
  const document: { paths: Record<string, { get?: Operation; post?: Operation }> } = JSON.parse(text)
  const found = new Map<string, ResourceFacts>()
  for (const [path, { post, get }] of Object.entries(document.paths)) {
    const { group = '', version = '', namespace, resource = '' } = COLLECTION.exec(path)?.groups ?? {}
    const kind = (post ?? get)?.['x-kubernetes-group-version-kind']?.kind
    if (kind === undefined || resource === '') continue
    const key = `${group}/${version}/${resource}`
    // Namespaced collections have a second path, over all namespaces, without post.
    if (found.get(key)?.namespaced !== true)
      found.set(key, { group, version, resource, kind, namespaced: namespace !== undefined })
  }
  return found
}

/** Groups whose Go package does not have the first part of their name. */
const PACKAGES: Readonly<Record<string, string>> = { core: '', apiserverinternal: 'internal.apiserver.k8s.io' }

/** A group of which nothing is left keeps the package's name: `extensions`. */
function groupVersionOfPackage(path: string, groups: ReadonlySet<string>): string {
  const [name = '', version = ''] = path.split('/').slice(-2)
  return `${PACKAGES[name] ?? [...groups].find((each) => each.split('.')[0] === name) ?? name}/${version}`
}

/** A list in the sources whose entries are on or off by default. */
const LIST = /(?<state>Enable|Disable)(?:d\w*ByDefault\w* = .*\{|Versions\(|Resources\()$/
const ENTRY = /^\s*(?<alias>\w+)\.SchemeGroupVersion(?:\.WithResource\("(?<resource>\w+)"\))?,(?: *\/\/.*)?$/

/**
 * Returns the function that says whether a release serves a resource by default, from the source of
 * DefaultAPIResourceConfigSource. The groups of other servers inside kube-apiserver are not in it: they are all on.
 */
export function enabledByDefault(
  source: string,
  resources: ReadonlyMap<string, ResourceFacts>,
): (resource: ResourceFacts) => boolean {
  const groups = new Set([...resources.values()].map(({ group }) => group))
  const aliases = new Map([...source.matchAll(/^\s*(\w+) "(k8s\.io\/[^"]+)"$/gm)].map(([, alias, path]) => [alias, path]))
  const states = new Map<string, boolean>()
  let isOn: boolean | undefined
  for (const line of source.split('\n')) {
    const { state } = LIST.exec(line)?.groups ?? {}
    const { alias, resource } = ENTRY.exec(line)?.groups ?? {}
    if (state !== undefined) isOn = state === 'Enable'
    else if (alias !== undefined && isOn !== undefined) {
      const path = aliases.get(alias)
      if (path === undefined) throw new Error(`no import ${alias}`)
      const version = groupVersionOfPackage(path, groups)
      states.set(resource === undefined ? version : `${version}/${resource}`, isOn)
    } else if (/^\s*[)}]/.test(line)) isOn = undefined
  }
  return ({ group, version, resource }) =>
    states.get(`${group}/${version}/${resource}`) ??
    states.get(`${group}/${version}`) ??
    /^api(?:extensions|registration)\./.test(group)
}

const PRIORITY =
  /\{Group: "(?<name>[^"]*)", Version: "(?<of>[^"]*)"\}:\s*\{[gG]roup: (?<group>\d+), [vV]ersion: (?<version>\d+)\}/g

/** Returns the priorities of groups and versions by `<group>/<version>`: `17800 15`. */
export function priorities(source: string): Map<string, string> {
  const found = [...source.matchAll(PRIORITY)].map(({ groups = {} }) => groups)
  return new Map(found.map(({ name = '', of = '', group = '', version = '' }) => [`${name}/${of}`, `${group} ${version}`]))
}

const METHOD = /^func \(in \*(?<kind>\w+)\) APILifecycle(?<part>\w+)\(\) [^{]*\{\n\treturn (?<value>.*)\n/gm

function release(text: string): Release {
  const [major, minor] = text.split(',').map(Number)
  if (major === undefined || minor === undefined) throw new Error(`no release: ${text}`)
  return [major, minor]
}

function replacement(text: string): NonNullable<Lifecycle['replacement']> {
  const part = (name: string) => new RegExp(`${name}: "([^"]*)"`).exec(text)?.[1] ?? ''
  return { group: part('Group'), version: part('Version'), kind: part('Kind') }
}

/** Returns the lifecycles by kind from the source of a package's prerelease-lifecycle methods. Lists of objects are left out. */
export function lifecycleFacts(source: string): Map<string, Lifecycle> {
  const found = new Map<string, Lifecycle>()
  for (const { groups = {} } of source.matchAll(METHOD)) {
    const { kind = '', part = '', value = '' } = groups
    if (kind.endsWith('List')) continue
    const facts = part === 'Replacement' ? { replacement: replacement(value) } : { [part.toLowerCase()]: release(value) }
    found.set(kind, { ...found.get(kind), ...facts })
  }
  return found
}
