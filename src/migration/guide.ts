/**
 * The changes between a removed version and its replacement that a person has to know. Facts of the deprecated API migration guide
 * (https://kubernetes.io/docs/reference/using-api/deprecation-guide/).
 */

/** The differences between a removed version and its replacement. */
export interface VersionChange {
  /** Empty if nothing changes. */
  readonly notes: readonly string[]
  /**
   * Whether the paths of fields differ, so that managed fields do not stay true under the new version.
   */
  readonly movesFields?: true
}

const selectorRequired = 'spec.selector is required and immutable: the labels of the existing template keep the selection'
const rollingUpdate = (former: string): string => `spec.updateStrategy.type is RollingUpdate by default (${former}: OnDelete)`

const flowShares: VersionChange = {
  notes: [
    'spec.limited.assuredConcurrencyShares of PriorityLevelConfiguration is named spec.limited.nominalConcurrencyShares',
    'in v1, nominalConcurrencyShares is 30 only if it is not specified: an explicit 0 stays 0',
  ],
  movesFields: true,
}
const flowZero: VersionChange = {
  notes: ['spec.limited.nominalConcurrencyShares is 30 only if it is not specified: an explicit 0 stays 0'],
}

const webhooks: VersionChange = {
  notes: [
    'webhooks[*].failurePolicy is Fail by default (before: Ignore)',
    'webhooks[*].matchPolicy is Equivalent by default (before: Exact)',
    'webhooks[*].timeoutSeconds is 10 by default (before: 30)',
    'webhooks[*].sideEffects is required, and only None and NoneOnDryRun are allowed',
    'webhooks[*].admissionReviewVersions is required; v1 and v1beta1 are supported',
    'webhooks[*].name must be unique in the list',
  ],
}

const reviews: VersionChange = { notes: ['spec.group is named spec.groups'], movesFields: true }

const ingress: VersionChange = {
  notes: [
    'spec.backend is named spec.defaultBackend',
    'serviceName of a backend is named service.name',
    'servicePort of a backend is service.port.number if it is a number, and service.port.name if it is a text',
    'pathType is required for each path: Prefix, Exact or ImplementationSpecific, which was the behaviour without it',
  ],
  movesFields: true,
}

const deployment = (former: readonly string[]): VersionChange => ({
  notes: ['spec.rollbackTo is gone', selectorRequired, ...former],
  movesFields: true,
})

const scaling: VersionChange = {
  notes: ['metrics[*] have their targets in target: targetAverageUtilization is target.averageUtilization'],
  movesFields: true,
}

/** The changes by `<apiVersion> <kind>`; nothing changes for a version that is not in the table. */
const changes: Readonly<Record<string, VersionChange>> = {
  'flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration': flowZero,
  'flowcontrol.apiserver.k8s.io/v1beta2 PriorityLevelConfiguration': flowShares,
  'flowcontrol.apiserver.k8s.io/v1beta1 PriorityLevelConfiguration': flowShares,
  'flowcontrol.apiserver.k8s.io/v1alpha1 PriorityLevelConfiguration': flowShares,
  'discovery.k8s.io/v1beta1 EndpointSlice': {
    notes: [
      'nodeName of an endpoint takes the place of topology["kubernetes.io/hostname"]',
      'zone of an endpoint takes the place of topology["topology.kubernetes.io/zone"]',
      'topology is named deprecatedTopology and cannot be written',
    ],
    movesFields: true,
  },
  'events.k8s.io/v1beta1 Event': {
    notes: [
      'type must be Normal or Warning',
      'involvedObject is named regarding',
      'action, reason, reportingController and reportingInstance are required for new Events',
      'eventTime takes the place of firstTimestamp, which is named deprecatedFirstTimestamp and cannot be set',
      'series.lastObservedTime takes the place of lastTimestamp, which is named deprecatedLastTimestamp and cannot be set',
      'series.count takes the place of count, which is named deprecatedCount and cannot be set',
      'reportingController takes the place of source.component, which is named deprecatedSource.component and cannot be set',
      'reportingInstance takes the place of source.host, which is named deprecatedSource.host and cannot be set',
    ],
    movesFields: true,
  },
  'autoscaling/v2beta1 HorizontalPodAutoscaler': scaling,
  'policy/v1beta1 PodDisruptionBudget': {
    notes: ['an empty spec.selector ({}) selects all Pods of the namespace (before: none); without a selector none are selected'],
  },
  'policy/v1beta1 PodSecurityPolicy': {
    notes: ['the admission plugin is gone, too: use Pod Security Admission or an admission webhook'],
  },
  'extensions/v1beta1 PodSecurityPolicy': { notes: ['policy/v1beta1 is removed in 1.25'] },
  'admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration': webhooks,
  'admissionregistration.k8s.io/v1beta1 ValidatingWebhookConfiguration': webhooks,
  'apiextensions.k8s.io/v1beta1 CustomResourceDefinition': {
    notes: [
      'spec.scope is required (before: Namespaced by default)',
      'spec.version is gone: use spec.versions',
      'spec.validation is gone: use spec.versions[*].schema',
      'spec.subresources is gone: use spec.versions[*].subresources',
      'spec.additionalPrinterColumns is gone: use spec.versions[*].additionalPrinterColumns, where JSONPath is named jsonPath',
      'spec.conversion.webhookClientConfig is spec.conversion.webhook.clientConfig',
      'spec.conversion.conversionReviewVersions is spec.conversion.webhook.conversionReviewVersions',
      'spec.versions[*].schema.openAPIV3Schema is required, and must be a structural schema',
      'spec.preserveUnknownFields: true is not allowed for new definitions: use x-kubernetes-preserve-unknown-fields: true in the schema',
    ],
    movesFields: true,
  },
  'authorization.k8s.io/v1beta1 LocalSubjectAccessReview': reviews,
  'authorization.k8s.io/v1beta1 SelfSubjectAccessReview': reviews,
  'authorization.k8s.io/v1beta1 SubjectAccessReview': reviews,
  'authorization.k8s.io/v1beta1 SelfSubjectRulesReview': reviews,
  'certificates.k8s.io/v1beta1 CertificateSigningRequest': {
    notes: [
      'spec.signerName is required, and must not be kubernetes.io/legacy-unknown for new requests',
      'spec.usages is required, and must contain only known usages, none of them twice',
      'status.conditions must not have two of a type, and status.conditions[*].status is required',
      'status.certificate must be PEM with CERTIFICATE blocks only',
    ],
  },
  'extensions/v1beta1 Ingress': ingress,
  'networking.k8s.io/v1beta1 Ingress': ingress,
  'extensions/v1beta1 DaemonSet': {
    notes: ['spec.templateGeneration is gone', selectorRequired, rollingUpdate('extensions/v1beta1')],
    movesFields: true,
  },
  'apps/v1beta2 DaemonSet': { notes: ['spec.templateGeneration is gone', selectorRequired] },
  'extensions/v1beta1 Deployment': deployment([
    'spec.progressDeadlineSeconds is 600 by default (before: no deadline)',
    'spec.revisionHistoryLimit is 10 by default (before: all are kept)',
    'maxSurge and maxUnavailable are 25% by default (before: 1)',
  ]),
  'apps/v1beta1 Deployment': deployment(['spec.revisionHistoryLimit is 10 by default (before: 2)']),
  'apps/v1beta2 Deployment': { notes: [selectorRequired] },
  'apps/v1beta1 StatefulSet': { notes: [selectorRequired, rollingUpdate('apps/v1beta1')] },
  'apps/v1beta2 StatefulSet': { notes: [selectorRequired] },
  'extensions/v1beta1 ReplicaSet': { notes: [selectorRequired] },
  'apps/v1beta2 ReplicaSet': { notes: [selectorRequired] },
}

/** The versions of kinds that the guide has changes for: `<apiVersion> <kind>`. */
export const changedKinds: readonly string[] = Object.keys(changes)

const unchanged: VersionChange = { notes: [] }

/** Returns the changes between a removed version of a kind and its replacement. */
export const changesOf = (apiVersion: string, kind: string): VersionChange => changes[`${apiVersion} ${kind}`] ?? unchanged
