/** The priorities of groups and versions, from the APIServices that kube-apiserver makes for its own groups. */

/** A list of APIServices. */
export interface APIServiceList {
  readonly items: readonly {
    readonly spec: { group?: string; version: string; groupPriorityMinimum: number; versionPriority: number; service?: object }
  }[]
}

/** Most versions have this priority. */
const USUAL = 15

/** Priorities of groups by name, and those of versions that are not the usual one, by `<version>.<group>`. */
interface Priorities {
  readonly groups: Readonly<Record<string, number>>
  readonly versions: Readonly<Record<string, number>>
}

/** The priorities in order: the first group first. */
export function priorityFacts({ items }: APIServiceList): Priorities {
  const own = items.map(({ spec }) => spec).filter(({ service }) => service === undefined)
  const groups = own.map(({ group = '', groupPriorityMinimum }) => [group, groupPriorityMinimum] as const)
  const unusual = own.filter(({ versionPriority }) => versionPriority !== USUAL)
  const versions = unusual.map(({ group = '', version, versionPriority }) => [`${version}.${group}`, versionPriority] as const)
  const ordered = (entries: readonly (readonly [string, number])[]) =>
    Object.fromEntries([...new Map(entries)].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)))
  return { groups: ordered(groups), versions: ordered(versions) }
}
