/**
 * The entries of the guide to migrate from deprecated API versions: what each release stopped to serve, with the version to use
 * instead and the release since which that is served.
 */

/** An entry of the guide. */
export interface GuideEntry {
  /** The name in the guide. */
  readonly name: string
  /** The minor release that does not serve the versions any more. */
  readonly removed: number
  /** The group versions that are no longer served, and the resources in them. */
  readonly versions: readonly string[]
  readonly resources: readonly string[]
  /** The version to use instead and the minor release since which it is served; absent for what has no successor. */
  readonly instead?: readonly [version: string, since: number]
}

const admission = 'admissionregistration.k8s.io'
const flowControl = 'flowcontrol.apiserver.k8s.io'
const flowControlResources = ['flowschemas', 'prioritylevelconfigurations']
const rbac = 'rbac.authorization.k8s.io'
const rbacResources = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings']
const accessReviews = ['localsubjectaccessreviews', 'selfsubjectaccessreviews', 'subjectaccessreviews']

/** All entries, from the newest release to the oldest one. */
export const guide: readonly GuideEntry[] = [
  {
    name: 'flow control resources of v1beta3',
    removed: 32,
    versions: [`${flowControl}/v1beta3`],
    resources: flowControlResources,
    instead: [`${flowControl}/v1`, 29],
  },
  {
    name: 'flow control resources of v1beta2',
    removed: 29,
    versions: [`${flowControl}/v1beta2`],
    resources: flowControlResources,
    instead: [`${flowControl}/v1`, 29],
  },
  {
    name: 'CSIStorageCapacity',
    removed: 27,
    versions: ['storage.k8s.io/v1beta1'],
    resources: ['csistoragecapacities'],
    instead: ['storage.k8s.io/v1', 24],
  },
  {
    name: 'flow control resources of v1beta1',
    removed: 26,
    versions: [`${flowControl}/v1beta1`],
    resources: flowControlResources,
    instead: [`${flowControl}/v1beta3`, 26],
  },
  {
    name: 'HorizontalPodAutoscaler of v2beta2',
    removed: 26,
    versions: ['autoscaling/v2beta2'],
    resources: ['horizontalpodautoscalers'],
    instead: ['autoscaling/v2', 23],
  },
  { name: 'CronJob', removed: 25, versions: ['batch/v1beta1'], resources: ['cronjobs'], instead: ['batch/v1', 21] },
  {
    name: 'EndpointSlice',
    removed: 25,
    versions: ['discovery.k8s.io/v1beta1'],
    resources: ['endpointslices'],
    instead: ['discovery.k8s.io/v1', 21],
  },
  { name: 'Event', removed: 25, versions: ['events.k8s.io/v1beta1'], resources: ['events'], instead: ['events.k8s.io/v1', 19] },
  {
    name: 'HorizontalPodAutoscaler of v2beta1',
    removed: 25,
    versions: ['autoscaling/v2beta1'],
    resources: ['horizontalpodautoscalers'],
    instead: ['autoscaling/v2', 23],
  },
  {
    name: 'PodDisruptionBudget',
    removed: 25,
    versions: ['policy/v1beta1'],
    resources: ['poddisruptionbudgets'],
    instead: ['policy/v1', 21],
  },
  { name: 'PodSecurityPolicy of policy', removed: 25, versions: ['policy/v1beta1'], resources: ['podsecuritypolicies'] },
  {
    name: 'RuntimeClass',
    removed: 25,
    versions: ['node.k8s.io/v1beta1'],
    resources: ['runtimeclasses'],
    instead: ['node.k8s.io/v1', 20],
  },
  {
    name: 'webhook configurations',
    removed: 22,
    versions: [`${admission}/v1beta1`],
    resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
    instead: [`${admission}/v1`, 16],
  },
  {
    name: 'CustomResourceDefinition',
    removed: 22,
    versions: ['apiextensions.k8s.io/v1beta1'],
    resources: ['customresourcedefinitions'],
    instead: ['apiextensions.k8s.io/v1', 16],
  },
  {
    name: 'APIService',
    removed: 22,
    versions: ['apiregistration.k8s.io/v1beta1'],
    resources: ['apiservices'],
    instead: ['apiregistration.k8s.io/v1', 10],
  },
  {
    name: 'TokenReview',
    removed: 22,
    versions: ['authentication.k8s.io/v1beta1'],
    resources: ['tokenreviews'],
    instead: ['authentication.k8s.io/v1', 6],
  },
  {
    name: 'access reviews',
    removed: 22,
    versions: ['authorization.k8s.io/v1beta1'],
    resources: accessReviews,
    instead: ['authorization.k8s.io/v1', 6],
  },
  {
    // The guide names 1.6 for it too, whose API does not have it.
    name: 'SelfSubjectRulesReview',
    removed: 22,
    versions: ['authorization.k8s.io/v1beta1'],
    resources: ['selfsubjectrulesreviews'],
    instead: ['authorization.k8s.io/v1', 8],
  },
  {
    name: 'CertificateSigningRequest',
    removed: 22,
    versions: ['certificates.k8s.io/v1beta1'],
    resources: ['certificatesigningrequests'],
    instead: ['certificates.k8s.io/v1', 19],
  },
  {
    name: 'Lease',
    removed: 22,
    versions: ['coordination.k8s.io/v1beta1'],
    resources: ['leases'],
    instead: ['coordination.k8s.io/v1', 14],
  },
  {
    name: 'Ingress',
    removed: 22,
    versions: ['extensions/v1beta1', 'networking.k8s.io/v1beta1'],
    resources: ['ingresses'],
    instead: ['networking.k8s.io/v1', 19],
  },
  {
    name: 'IngressClass',
    removed: 22,
    versions: ['networking.k8s.io/v1beta1'],
    resources: ['ingressclasses'],
    instead: ['networking.k8s.io/v1', 19],
  },
  { name: 'RBAC resources', removed: 22, versions: [`${rbac}/v1beta1`], resources: rbacResources, instead: [`${rbac}/v1`, 8] },
  {
    name: 'PriorityClass',
    removed: 22,
    versions: ['scheduling.k8s.io/v1beta1'],
    resources: ['priorityclasses'],
    instead: ['scheduling.k8s.io/v1', 14],
  },
  {
    name: 'CSIDriver',
    removed: 22,
    versions: ['storage.k8s.io/v1beta1'],
    resources: ['csidrivers'],
    instead: ['storage.k8s.io/v1', 19],
  },
  {
    name: 'CSINode',
    removed: 22,
    versions: ['storage.k8s.io/v1beta1'],
    resources: ['csinodes'],
    instead: ['storage.k8s.io/v1', 17],
  },
  {
    name: 'StorageClass',
    removed: 22,
    versions: ['storage.k8s.io/v1beta1'],
    resources: ['storageclasses'],
    instead: ['storage.k8s.io/v1', 6],
  },
  {
    name: 'VolumeAttachment',
    removed: 22,
    versions: ['storage.k8s.io/v1beta1'],
    resources: ['volumeattachments'],
    instead: ['storage.k8s.io/v1', 13],
  },
  {
    name: 'NetworkPolicy',
    removed: 16,
    versions: ['extensions/v1beta1'],
    resources: ['networkpolicies'],
    instead: ['networking.k8s.io/v1', 8],
  },
  {
    name: 'DaemonSet',
    removed: 16,
    versions: ['extensions/v1beta1', 'apps/v1beta2'],
    resources: ['daemonsets'],
    instead: ['apps/v1', 9],
  },
  {
    name: 'Deployment',
    removed: 16,
    versions: ['extensions/v1beta1', 'apps/v1beta1', 'apps/v1beta2'],
    resources: ['deployments'],
    instead: ['apps/v1', 9],
  },
  {
    name: 'StatefulSet',
    removed: 16,
    versions: ['apps/v1beta1', 'apps/v1beta2'],
    resources: ['statefulsets'],
    instead: ['apps/v1', 9],
  },
  {
    // The guide names apps/v1beta1 too, which never had ReplicaSets.
    name: 'ReplicaSet',
    removed: 16,
    versions: ['extensions/v1beta1', 'apps/v1beta2'],
    resources: ['replicasets'],
    instead: ['apps/v1', 9],
  },
  {
    name: 'PodSecurityPolicy of extensions',
    removed: 16,
    versions: ['extensions/v1beta1'],
    resources: ['podsecuritypolicies'],
    instead: ['policy/v1beta1', 10],
  },
]
