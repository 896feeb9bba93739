/** In which order groups and versions are preferred: the priorities of the APIServices that kube-apiserver makes for its own groups. */
import recorded from './recorded-priorities.json' with { type: 'json' }

/** The group of the APIServices themselves has none, and stands first. */
const groups = new Map([...Object.entries(recorded.groups), ['apiregistration.k8s.io', 20001] as const])
/** Those of custom resources share the last place. */
const customPriority = 1000

/** The priority of a group: those with more of it stand first. */
export const groupPriorityOf = (group: string): number => groups.get(group) ?? customPriority

const versionPriority = 15
const versions = new Map(Object.entries(recorded.versions))

/** The priority of a version in its group. */
export const versionPriorityOf = (group: string, version: string): number =>
  versions.get(`${version}.${group}`) ?? versionPriority
