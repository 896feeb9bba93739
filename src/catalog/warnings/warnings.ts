/** The warnings of each kind, by `<resource>[.<group>]`. */
import { warnOfStaticName } from './admission.ts'
import {
  warnOfEndpointSlice,
  warnOfIngress,
  warnOfNetworkPolicy,
  warnOfResourceSlice,
  warnOfRuntimeClass,
  warnOfStorageCapacity,
  warnOfStorageClass,
  warnOfStorageDriver,
} from './cluster.ts'
import {
  warnOfEndpoints,
  warnOfNode,
  warnOfPersistentVolume,
  warnOfPersistentVolumeClaim,
  warnOfPodTemplate,
  warnOfReplicationController,
  warnOfResourceQuota,
  warnOfSecret,
  warnOfService,
  warnOfServiceAccount,
} from './core.ts'
import { warnOfPod } from './pod.ts'
import type { Warn } from './warn.ts'
import { warnOfCronJob, warnOfDaemonSet, warnOfJob, warnOfReplicas, warnOfStatefulSet } from './workloads.ts'

const admissionKinds = [
  ...['validatingwebhookconfigurations', 'validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
  ...['mutatingwebhookconfigurations', 'mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'],
]

/** Kinds that are not listed have no warnings. */
const warnings: Readonly<Record<string, Warn>> = {
  ...Object.fromEntries(admissionKinds.map((resource) => [`${resource}.admissionregistration.k8s.io`, warnOfStaticName])),
  endpoints: warnOfEndpoints,
  nodes: warnOfNode,
  persistentvolumeclaims: warnOfPersistentVolumeClaim,
  persistentvolumes: warnOfPersistentVolume,
  pods: warnOfPod,
  podtemplates: warnOfPodTemplate,
  replicationcontrollers: warnOfReplicationController,
  resourcequotas: warnOfResourceQuota,
  secrets: warnOfSecret,
  serviceaccounts: warnOfServiceAccount,
  services: warnOfService,
  'cronjobs.batch': warnOfCronJob,
  'csidrivers.storage.k8s.io': warnOfStorageDriver,
  'csistoragecapacities.storage.k8s.io': warnOfStorageCapacity,
  'daemonsets.apps': warnOfDaemonSet,
  'deployments.apps': warnOfReplicas,
  'endpointslices.discovery.k8s.io': warnOfEndpointSlice,
  'ingresses.networking.k8s.io': warnOfIngress,
  'jobs.batch': warnOfJob,
  'networkpolicies.networking.k8s.io': warnOfNetworkPolicy,
  'replicasets.apps': warnOfReplicas,
  'resourceslices.resource.k8s.io': warnOfResourceSlice,
  'runtimeclasses.node.k8s.io': warnOfRuntimeClass,
  'statefulsets.apps': warnOfStatefulSet,
  'storageclasses.storage.k8s.io': warnOfStorageClass,
}

/** Returns the function that finds the warnings of a kind; undefined if it has none. */
export const warningsOf = (prefix: string): Warn | undefined => warnings[prefix]
