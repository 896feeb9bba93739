/**
 * The order of groups and versions in discovery. Clients take the first version, and kubectl resolves an ambiguous resource name
 * to the first group.
 */
import { groupPriorityOf } from '../../catalog/group-priorities.ts'

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** A group with its versions in the order of discovery. */
export interface OrderedGroup {
  readonly name: string
  readonly versions: readonly string[]
}

/** Compares groups as /apis sorts them: by priority, then by the name of the group's first APIService (`v1.apps`). */
export function compareGroups(a: OrderedGroup, b: OrderedGroup): number {
  const firstService = ({ name, versions }: OrderedGroup): string =>
    versions.map((version) => `${version}.${name}`).sort()[0] ?? ''
  return groupPriorityOf(b.name) - groupPriorityOf(a.name) || compareText(firstService(a), firstService(b))
}

/** Compares groups as aggregated discovery sorts them: by priority, then by name. */
export function compareGroupNames(a: OrderedGroup, b: OrderedGroup): number {
  return groupPriorityOf(b.name) - groupPriorityOf(a.name) || compareText(a.name, b.name)
}
