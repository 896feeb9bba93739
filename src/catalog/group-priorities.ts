/**
 * The preference order of groups and versions: the priorities of the APIServices that kube-apiserver creates for its own groups,
 * in each release.
 */
import type { Release } from '../schema/tables.ts'
import { priorities } from './generated/priorities.ts'
import { newestRelease } from './lifecycle.ts'

/** The priorities of a group version. Discovery lists higher ones first. */
export interface Priorities {
  readonly group: number
  readonly version: number
}

/** The group of the APIServices has no APIService of its own. It comes first. */
const ofApiServices: Priorities = { group: 20001, version: 15 }
/** The priority that all groups of custom resources share. It is the lowest. */
const ofCustomResources: Priorities = { group: 1000, version: 15 }

/** Returns the priorities of a group version in a release. */
export function prioritiesOf(group: string, version: string, [, minor]: Release = newestRelease): Priorities {
  if (group === 'apiregistration.k8s.io') return ofApiServices
  const found = priorities[`${group}/${version}`]?.findLast(([from]) => from <= minor)
  return found === undefined ? ofCustomResources : { group: found[1], version: found[2] }
}
