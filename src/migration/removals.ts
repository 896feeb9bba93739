/** The versions of resources that stop being served between two releases. */
import { apiVersionOf } from '../catalog/kind.ts'
import { compareReleases, isIn, type ResourceLifecycle } from '../catalog/lifecycle.ts'
import { compareVersions } from '../meta/version-order.ts'
import type { Release } from '../schema/tables.ts'

/** A version of a resource. */
export interface ResourceVersion {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly kind: string
}

/** A version of a resource that stops being served. */
export interface Removal extends ResourceVersion {
  /** The first release without it. */
  readonly removedIn: Release
  /** The version to use instead in the later release; undefined if the kind is gone. */
  readonly replacement: ResourceVersion | undefined
}

/** Returns the apiVersion of a version of a resource. */
export const apiVersionText = ({ group, version }: Pick<ResourceVersion, 'group' | 'version'>): string =>
  apiVersionOf(group, version)

/** Splits an apiVersion. */
export function groupVersionOf(apiVersion: string): Pick<ResourceVersion, 'group' | 'version'> {
  const at = apiVersion.indexOf('/')
  return at < 0 ? { group: '', version: apiVersion } : { group: apiVersion.slice(0, at), version: apiVersion.slice(at + 1) }
}

/** The removals between two releases, by the names with which objects and requests refer to them. */
export class Removals {
  readonly from: Release
  readonly to: Release
  readonly all: readonly Removal[]
  readonly #byKind = new Map<string, Removal>()
  readonly #byResource = new Map<string, Removal>()
  /** Group and resource of all that the later release serves. */
  readonly #served: ReadonlySet<string>

  /** @param table all versions of all resources */
  constructor(table: readonly ResourceLifecycle[], from: Release, to: Release) {
    this.from = from
    this.to = to
    const served = table.filter((entry) => isIn(entry, to))
    this.#served = new Set(served.map(({ group, resource }) => `${group}/${resource}`))
    this.all = table.flatMap((entry): Removal[] => {
      const { group, version, resource, kind, removed } = entry
      if (removed === undefined || compareReleases(removed, from) <= 0 || compareReleases(removed, to) > 0) return []
      return [{ group, version, resource, kind, removedIn: removed, replacement: replacementOf(entry, table, served) }]
    })
    for (const removal of this.all) {
      const apiVersion = apiVersionText(removal)
      this.#byKind.set(`${apiVersion} ${removal.kind}`, removal)
      this.#byResource.set(`${apiVersion} ${removal.resource}`, removal)
    }
  }

  /** Returns the removal of a kind's version; undefined if it stays. */
  ofKind(apiVersion: string, kind: string): Removal | undefined {
    return this.#byKind.get(`${apiVersion} ${kind}`)
  }

  /** Returns the removal of a resource's version; undefined if it stays. */
  ofResource(group: string, version: string, resource: string): Removal | undefined {
    return this.#byResource.get(`${apiVersionText({ group, version })} ${resource}`)
  }

  /** Returns a removal after which the group has no version of the resource; undefined if it has one, or never had. */
  ofLastVersion(group: string, resource: string): Removal | undefined {
    if (this.#served.has(`${group}/${resource}`)) return undefined
    const found = this.all.filter((removal) => removal.group === group && removal.resource === resource)
    return found.toSorted((one, other) => compareReleases(other.removedIn, one.removedIn))[0]
  }
}

/** Returns the version to use instead of an entry: the one it names, or what replaces that one in turn. */
function replacementOf(
  entry: ResourceLifecycle,
  table: readonly ResourceLifecycle[],
  served: readonly ResourceLifecycle[],
): ResourceVersion | undefined {
  const seen = new Set<ResourceLifecycle>()
  for (let next: ResourceLifecycle | undefined = entry; next !== undefined && !seen.has(next); ) {
    seen.add(next)
    const { replacement }: ResourceLifecycle = next
    if (replacement === undefined) break
    const named = ({ group, version, kind }: ResourceLifecycle): boolean =>
      group === replacement.group && version === replacement.version && kind === replacement.kind
    const found = served.find(named)
    if (found !== undefined) return found
    // It is not served yet, or not any more: another version of the same kind is.
    const other = newestOf(served, replacement.group, replacement.kind)
    if (other !== undefined) return other
    next = table.find(named)
  }
  return newestOf(served, entry.group, entry.kind)
}

/** Returns the newest version of a kind, of those that nobody has to switch on if there is one. */
function newestOf(served: readonly ResourceLifecycle[], group: string, kind: string): ResourceLifecycle | undefined {
  const all = served.filter((entry) => entry.group === group && entry.kind === kind)
  const unasked = all.filter(({ onByDefault }) => onByDefault)
  return (unasked.length === 0 ? all : unasked).toSorted((one, other) => compareVersions(one.version, other.version))[0]
}
