/** Which kinds warn of what is unwise, by `<resource>[.<group>]`. */
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
  warnOfSecret,
  warnOfService,
  warnOfServiceAccount,
} from './core.ts'
import { warnOfPod } from './pod.ts'
import type { Warn } from './warn.ts'
import { warnOfCronJob, warnOfDaemonSet, warnOfJob, warnOfReplicas, warnOfStatefulSet } from './workloads.ts'

/** The warnings of the kinds that have some. */
export const warnings: Readonly<Record<string, Warn>> = {
  endpoints: warnOfEndpoints,
  nodes: warnOfNode,
  persistentvolumeclaims: warnOfPersistentVolumeClaim,
  persistentvolumes: warnOfPersistentVolume,
  pods: warnOfPod,
  podtemplates: warnOfPodTemplate,
  replicationcontrollers: warnOfReplicationController,
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
