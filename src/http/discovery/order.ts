/**
 * In which order groups and versions stand in discovery: clients take the first version, and kubectl's answer to an ambiguous
 * name is the first group.
 */
import { groupPriorityOf } from '../../catalog/group-priorities.ts'

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** A group with its versions in order. */
export interface OrderedGroup {
  readonly name: string
  readonly versions: readonly string[]
}

/** The order of /apis: by priority, then by the name of the group's first API service (`v1.apps`). */
export function compareGroups(a: OrderedGroup, b: OrderedGroup): number {
  const firstService = ({ name, versions }: OrderedGroup): string =>
    versions.map((version) => `${version}.${name}`).sort()[0] ?? ''
  return groupPriorityOf(b.name) - groupPriorityOf(a.name) || compareText(firstService(a), firstService(b))
}

/** The order of aggregated discovery: by priority, then by the group's name. */
export function compareGroupNames(a: OrderedGroup, b: OrderedGroup): number {
  return groupPriorityOf(b.name) - groupPriorityOf(a.name) || compareText(a.name, b.name)
}
