/** The contents of release-fields.json: since which release types have their fields, and resources their subresources. */

/** The facts in the OpenAPI document of one release. */
export interface DescribedRelease {
  readonly minor: number
  /** The fields of each type, by its reference: `core/v1.PodSpec`. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>
  /** The subresources of each resource, by `<group>/<version>/<resource>`. */
  readonly subresources: ReadonlyMap<string, ReadonlySet<string>>
}

/** The names that came after their type or resource, separated by spaces, by the minor release that introduced them. */
export type Introductions = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The contents of release-fields.json. */
export interface ReleaseFields {
  readonly fields: Introductions
  readonly subresources: Introductions
}

const SCHEMA =
  /^io\.k8s\.(?:api|apiextensions-apiserver\.pkg\.apis|kube-aggregator\.pkg\.apis)\.(?<package>\w+)\.(?<version>v\w+)\.(?<type>\w+)$/
const SUBRESOURCE =
  /^\/(?:api|apis\/(?<group>[^/]+))\/(?<version>v[^/]+)\/(?:namespaces\/\{namespace\}\/)?(?<resource>[a-z]+)\/\{name\}\/(?<name>[a-z]+)$/

/** The parts of an OpenAPI v2 document that describe fields and subresources. */
interface Document {
  readonly paths: Readonly<Record<string, object>>
  readonly definitions: Readonly<Record<string, { readonly properties?: object }>>
}

/** Reads an OpenAPI v2 document. Types of apimachinery are left out: they are those of the server in every release. */
export function describedRelease(minor: number, text: string): DescribedRelease {
  const document: Document = JSON.parse(text)
  const fields = new Map<string, Set<string>>()
  for (const [name, { properties = {} }] of Object.entries(document.definitions)) {
    const { package: of, version, type } = SCHEMA.exec(name)?.groups ?? {}
    if (type !== undefined) fields.set(`${of}/${version}.${type}`, new Set(Object.keys(properties)))
  }
  const subresources = new Map<string, Set<string>>()
  for (const path of Object.keys(document.paths)) {
    const { group = '', version, resource, name } = SUBRESOURCE.exec(path)?.groups ?? {}
    if (name === undefined || path.startsWith('/api/v1/namespaces/{name}/') !== (resource === 'namespaces')) continue
    const key = `${group}/${version}/${resource}`
    subresources.set(key, (subresources.get(key) ?? new Set()).add(name))
  }
  return { minor, fields, subresources }
}

type Part = (release: DescribedRelease) => ReadonlyMap<string, ReadonlySet<string>>

/** Returns the names of a part that are younger than what they belong to. @param releases the oldest first */
function introductions(releases: readonly DescribedRelease[], part: Part): Introductions {
  const since = new Map<string, Map<string, number>>()
  for (const release of releases) {
    for (const [key, names] of part(release)) {
      const known = since.get(key) ?? new Map<string, number>()
      since.set(key, known)
      for (const name of names) if (!known.has(name)) known.set(name, release.minor)
    }
  }
  const rows = [...since].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, known]) => [key, laterNames(known)] as const)
  return Object.fromEntries(rows.filter(([, later]) => Object.keys(later).length > 0))
}

/** Returns the names without those that were there first, by the minor release that introduced them. */
function laterNames(since: ReadonlyMap<string, number>): Readonly<Record<string, string>> {
  const first = Math.min(...since.values())
  const later = Map.groupBy(
    [...since].filter(([, minor]) => minor > first),
    ([, minor]) => minor,
  )
  return Object.fromEntries(
    [...later].map(([minor, names]) => [
      minor,
      names
        .map(([name]) => name)
        .sort()
        .join(' '),
    ]),
  )
}

/** Returns what release-fields.json has to say. @param releases the oldest first, without gaps */
export const releaseFields = (releases: readonly DescribedRelease[]): ReleaseFields => ({
  fields: introductions(releases, ({ fields }) => fields),
  subresources: introductions(releases, ({ subresources }) => subresources),
})
