/** Reads the priorities of groups and versions from the APIServices that kube-apiserver creates for its own groups. */

/** A list of APIServices. */
export interface APIServiceList {
  readonly items: readonly {
    readonly spec: { group?: string; version: string; groupPriorityMinimum: number; versionPriority: number; service?: object }
  }[]
}

/** The priorities of a version and of its group. */
export interface RecordedPriority {
  readonly group: string
  readonly version: string
  readonly groupPriority: number
  readonly versionPriority: number
}

const order = (one: RecordedPriority, other: RecordedPriority): number =>
  other.groupPriority - one.groupPriority || other.versionPriority - one.versionPriority || (nameOf(one) < nameOf(other) ? -1 : 1)

const nameOf = ({ group, version }: RecordedPriority): string => `${version}.${group}`

/** Returns the priorities, the highest first. */
export function priorityFacts({ items }: APIServiceList): RecordedPriority[] {
  return items
    .filter(({ spec }) => spec.service === undefined)
    .map(({ spec: { group = '', version, groupPriorityMinimum: groupPriority, versionPriority } }) => ({
      group,
      version,
      groupPriority,
      versionPriority,
    }))
    .sort(order)
}
