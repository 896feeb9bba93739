/** In which order groups and versions are preferred. Facts of the API services that kube-apiserver makes for what it serves itself. */

/** Groups with a place of their own. */
const groups: ReadonlyMap<string, number> = new Map([
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
/** Those of custom resources share the last place. */
const customPriority = 1000

/** The priority of a group: those with more of it stand first. */
export const groupPriorityOf = (group: string): number => groups.get(group) ?? customPriority

const versionPriority = 15
/** Versions of another priority, by `<version>.<group>`. */
const versions: ReadonlyMap<string, number> = new Map([
  ['v1.', 1],
  ['v2.autoscaling', 30],
  ['v1.flowcontrol.apiserver.k8s.io', 21],
  ['v1.resource.k8s.io', 21],
])

/** The priority of a version in its group. */
export const versionPriorityOf = (group: string, version: string): number =>
  versions.get(`${version}.${group}`) ?? versionPriority
