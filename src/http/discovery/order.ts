/**
 * The order of groups and versions in discovery. Clients take the first version, and kubectl resolves an ambiguous resource name
 * to the first group.
 */
import { prioritiesOf } from '../../catalog/group-priorities.ts'
import { compareVersions } from '../../meta/version-order.ts'
import type { ServedVersion } from './served-version.ts'

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The priority that all versions of custom resources share. */
const customVersionPriority = 100

/** A group with its versions in the order of discovery. */
export interface OrderedGroup {
  readonly name: string
  readonly versions: readonly string[]
  /** The highest priority of its APIServices. */
  readonly priority: number
}

const priorityOf = ({ group, version, custom, remote, priorities = prioritiesOf(group, version) }: ServedVersion): number =>
  remote?.versionPriority ?? (custom ? customVersionPriority : priorities.version)

/** Compares versions of one group: by priority, then as versions. */
export const compareServed = (a: ServedVersion, b: ServedVersion): number =>
  priorityOf(b) - priorityOf(a) || compareVersions(a.version, b.version)

/** Returns the priority of a group: the highest one of its versions. */
export const priorityOfGroup = (versions: readonly ServedVersion[]): number =>
  Math.max(
    ...versions.map(
      ({ group, version, remote, priorities = prioritiesOf(group, version) }) => remote?.groupPriority ?? priorities.group,
    ),
  )

/** Compares groups as /apis sorts them: by priority, then by the name of the group's first APIService (`v1.apps`). */
export function compareGroups(a: OrderedGroup, b: OrderedGroup): number {
  const firstService = ({ name, versions }: OrderedGroup): string =>
    versions.map((version) => `${version}.${name}`).sort()[0] ?? ''
  return b.priority - a.priority || compareText(firstService(a), firstService(b))
}

/** Compares groups as aggregated discovery sorts them: by priority, then by name. */
export function compareGroupNames(a: OrderedGroup, b: OrderedGroup): number {
  return b.priority - a.priority || compareText(a.name, b.name)
}
