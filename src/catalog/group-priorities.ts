/**
 * The preference order of groups and versions: the priorities of the APIServices that kube-apiserver creates for its own groups.
 */
import recorded from './recorded-priorities.json' with { type: 'json' }

/** The group of the APIServices has no APIService of its own. It comes first. */
const groups = new Map([...Object.entries(recorded.groups), ['apiregistration.k8s.io', 20001] as const])
/** The priority that all groups of custom resources share. It is the lowest. */
const customPriority = 1000

/** Returns the priority of a group. Groups with a higher priority come first in discovery. */
export const groupPriorityOf = (group: string): number => groups.get(group) ?? customPriority

const versionPriority = 15
const versions = new Map(Object.entries(recorded.versions))

/** Returns the priority of a version in its group. */
export const versionPriorityOf = (group: string, version: string): number =>
  versions.get(`${version}.${group}`) ?? versionPriority
