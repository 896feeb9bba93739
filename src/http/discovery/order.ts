/**
 * In which order groups and versions stand in discovery: clients take the first version, and kubectl's answer to an ambiguous
 * name is the first group.
 */

/** Groups with a place of their own; those of custom resources share the last one. Facts of kube-apiserver's API services. */
const groupPriorities: ReadonlyMap<string, number> = new Map([
  ['apiregistration.k8s.io', 20001],
  ['', 18000],
  ['apps', 17800],
  ['events.k8s.io', 17750],
  ['authentication.k8s.io', 17700],
  ['authorization.k8s.io', 17600],
  ['autoscaling', 17500],
  ['batch', 17400],
  ['certificates.k8s.io', 17300],
  ['networking.k8s.io', 17200],
  ['policy', 17100],
  ['rbac.authorization.k8s.io', 17000],
  ['storage.k8s.io', 16800],
  ['admissionregistration.k8s.io', 16700],
  ['apiextensions.k8s.io', 16700],
  ['scheduling.k8s.io', 16600],
  ['coordination.k8s.io', 16500],
  ['node.k8s.io', 16300],
  ['discovery.k8s.io', 16200],
  ['resource.k8s.io', 16200],
  ['flowcontrol.apiserver.k8s.io', 16100],
  ['internal.apiserver.k8s.io', 16000],
  ['storagemigration.k8s.io', 15800],
])
const customPriority = 1000

const priorityOf = (group: string): number => groupPriorities.get(group) ?? customPriority

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
  return priorityOf(b.name) - priorityOf(a.name) || compareText(firstService(a), firstService(b))
}

/** The order of aggregated discovery: by priority, then by the group's name. */
export function compareGroupNames(a: OrderedGroup, b: OrderedGroup): number {
  return priorityOf(b.name) - priorityOf(a.name) || compareText(a.name, b.name)
}
