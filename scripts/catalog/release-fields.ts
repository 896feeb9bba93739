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
/** Subresources that releases had before their OpenAPI document, which was made by a server without an issuer of tokens. */
const UNDESCRIBED: Readonly<Record<string, readonly string[]>> = { '/v1/serviceaccounts': ['token'] }

/** An object, or one of its subresources. */
const OBJECT =
  /^\/(?:api|apis\/(?<group>[^/]+))\/(?<version>v[^/]+)\/(?:namespaces\/\{namespace\}\/)?(?<resource>[a-z]+)\/\{name\}(?:\/(?<name>[a-z]+))?$/

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
    const { group = '', version, resource, name } = OBJECT.exec(path)?.groups ?? {}
    if (resource === undefined) continue
    const key = `${group}/${version}/${resource}`
    const known = subresources.get(key) ?? new Set(UNDESCRIBED[key])
    subresources.set(key, name === undefined ? known : known.add(name))
  }
  return { minor, fields, subresources }
}

/** The first release of a type or resource, and those of its names. */
interface Since {
  readonly first: number
  readonly names: Map<string, number>
}

type Part = (release: DescribedRelease) => ReadonlyMap<string, ReadonlySet<string>>

/** Returns the names of a part that are younger than what they belong to. @param releases the oldest first */
function introductions(releases: readonly DescribedRelease[], part: Part): Introductions {
  const since = new Map<string, Since>()
  for (const release of releases) {
    for (const [key, names] of part(release)) {
      const known = since.get(key) ?? { first: release.minor, names: new Map<string, number>() }
      since.set(key, known)
      for (const name of names) if (!known.names.has(name)) known.names.set(name, release.minor)
    }
  }
  const rows = [...since].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, known]) => [key, laterNames(known)] as const)
  return Object.fromEntries(rows.filter(([, later]) => Object.keys(later).length > 0))
}

/** Returns the names that were not there from the first, by the minor release that introduced them. */
function laterNames({ first, names }: Since): Readonly<Record<string, string>> {
  const later = Map.groupBy(
    [...names].filter(([, minor]) => minor > first),
    ([, minor]) => minor,
  )
  return Object.fromEntries(
    [...later].map(([minor, of]) => [
      minor,
      of
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
