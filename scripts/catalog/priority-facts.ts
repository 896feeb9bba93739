/** Reads the priorities of groups and versions from the APIServices that kube-apiserver creates for its own groups. */

/** A list of APIServices. */
export interface APIServiceList {
  readonly items: readonly {
    readonly spec: { group?: string; version: string; groupPriorityMinimum: number; versionPriority: number; service?: object }
  }[]
}

/** The version priority that most versions have. */
const USUAL = 15

/** Priorities of groups by name, and priorities of versions that are not the usual one, by `<version>.<group>`. */
interface Priorities {
  readonly groups: Readonly<Record<string, number>>
  readonly versions: Readonly<Record<string, number>>
}

/** Returns the priorities, the highest group first. */
export function priorityFacts({ items }: APIServiceList): Priorities {
  const own = items.map(({ spec }) => spec).filter(({ service }) => service === undefined)
  const groups = own.map(({ group = '', groupPriorityMinimum }) => [group, groupPriorityMinimum] as const)
  const unusual = own.filter(({ versionPriority }) => versionPriority !== USUAL)
  const versions = unusual.map(({ group = '', version, versionPriority }) => [`${version}.${group}`, versionPriority] as const)
  const ordered = (entries: readonly (readonly [string, number])[]) =>
    Object.fromEntries([...new Map(entries)].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)))
  return { groups: ordered(groups), versions: ordered(versions) }
}
