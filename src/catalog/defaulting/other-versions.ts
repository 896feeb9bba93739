/**
 * Defaults of versions that are not served by default. Follows defaults.go of each version in k8s.io/kubernetes/pkg/apis, of 1.36 or
 * of the last release that had it, and of apiextensions.k8s.io/v1beta1.
 */
import type { JsonObject } from '../../go/json-value.ts'
import { explicitEmpty } from '../../schema/explicit-empty.ts'
import { annotationOf, objectAt } from '../conversion/fields.ts'
import { zeroSharesAnnotation } from '../conversion/priority-level.ts'
import { autoscalingRules } from './autoscaling.ts'
import {
  admissionRules,
  apiRegistrationRules,
  discoveryRules,
  flowControlRules,
  rbacRules,
  resourceRules,
  schedulingRules,
  storageRules,
} from './cluster.ts'
import { isAbsent, isZero, type Rule, type Rules, sequence, whenAbsent, whenZero } from './rule.ts'
import { signerName } from './signer-name.ts'
import { appsRules, batchRules, rolling } from './workloads.ts'

const maximumInt32 = 2 ** 31 - 1

const isEmptyList = (value: unknown): boolean => !Array.isArray(value) || value.length === 0

/** Returns the rules of another version of the same types. */
function inVersion(version: string, rules: Rules): Rules {
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name.replace(/^v\d\w*\./, `${version}.`), rule]))
}

/** Sets labels and selector to the labels of the template, also to explicitly empty ones. */
const labelsOfTemplate: Rule = (object) => {
  const spec = objectAt(object, 'spec')
  const template = objectAt(objectAt(spec, 'template'), 'metadata')
  const metadata = objectAt(object, 'metadata')
  const labels = objectAt(template, 'labels')
  if (spec === undefined || metadata === undefined || template === undefined) return
  if (labels === undefined) {
    if (isAbsent(spec.selector) && explicitEmpty(template, 'labels') !== undefined) spec.selector = {}
    return
  }
  if (isAbsent(spec.selector)) spec.selector = { matchLabels: { ...labels } }
  if (Object.keys(objectAt(metadata, 'labels') ?? {}).length === 0) metadata.labels = { ...labels }
}

/** The strategy of a version whose default is OnDelete. */
const onDelete = (strategy: Rule | undefined): Rule => sequence(whenZero({ type: 'OnDelete' }), strategy ?? (() => {}))

const otherAppsRules: Rules = {
  ...inVersion('v1beta2', appsRules),
  ...inVersion('v1beta1', appsRules),
  'v1beta1.Deployment': labelsOfTemplate,
  'v1beta1.DeploymentSpec': whenAbsent({ replicas: 1, revisionHistoryLimit: 2, progressDeadlineSeconds: 600 }),
  'v1beta1.StatefulSet': labelsOfTemplate,
  'v1beta1.StatefulSetUpdateStrategy': onDelete(appsRules['v1.StatefulSetUpdateStrategy']),
}

const deploymentStrategy: Rule = (strategy) => {
  if (isZero(strategy.type)) strategy.type = 'RollingUpdate'
  if (strategy.type === 'RollingUpdate' || !isAbsent(strategy.rollingUpdate)) {
    strategy.rollingUpdate ??= {}
    whenAbsent({ maxUnavailable: 1, maxSurge: 1 })(strategy.rollingUpdate as JsonObject)
  }
}

const policyTypes: Rule = (spec) => {
  if (isEmptyList(spec.policyTypes)) spec.policyTypes = isEmptyList(spec.egress) ? ['Ingress'] : ['Ingress', 'Egress']
}

const httpIngressPath = whenAbsent({ pathType: 'ImplementationSpecific' })
const podSecurityPolicySpec = whenAbsent({ allowPrivilegeEscalation: true })

const extensionsRules: Rules = {
  'v1beta1.DaemonSet': labelsOfTemplate,
  'v1beta1.DaemonSetSpec': whenAbsent({ revisionHistoryLimit: 10 }),
  'v1beta1.DaemonSetUpdateStrategy': onDelete(rolling({ maxUnavailable: 1, maxSurge: 0 })),
  'v1beta1.Deployment': labelsOfTemplate,
  'v1beta1.DeploymentSpec': whenAbsent({
    replicas: 1,
    progressDeadlineSeconds: maximumInt32,
    revisionHistoryLimit: maximumInt32,
  }),
  'v1beta1.DeploymentStrategy': deploymentStrategy,
  'v1beta1.HTTPIngressPath': httpIngressPath,
  'v1beta1.NetworkPolicySpec': policyTypes,
  'v1beta1.PodSecurityPolicySpec': podSecurityPolicySpec,
  'v1beta1.ReplicaSet': labelsOfTemplate,
  'v1beta1.ReplicaSetSpec': whenAbsent({ replicas: 1 }),
}

const betaWebhook: JsonObject = {
  failurePolicy: 'Ignore',
  matchPolicy: 'Exact',
  namespaceSelector: {},
  objectSelector: {},
  sideEffects: 'Unknown',
  timeoutSeconds: 30,
}
const reviewVersions: Rule = (webhook) => {
  if (isEmptyList(webhook.admissionReviewVersions)) webhook.admissionReviewVersions = ['v1beta1']
}

const otherAdmissionRules: Rules = {
  ...inVersion('v1alpha1', admissionRules),
  'v1alpha1.ParamRef': whenAbsent({ parameterNotFoundAction: 'Deny' }),
  ...inVersion('v1beta1', admissionRules),
  'v1beta1.ValidatingWebhook': sequence(whenAbsent(betaWebhook), reviewVersions),
  'v1beta1.MutatingWebhook': sequence(whenAbsent({ ...betaWebhook, reinvocationPolicy: 'Never' }), reviewVersions),
}

const metrics: Rule = (spec) => {
  const cpu = { type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 80 } }
  if (isEmptyList(spec.metrics)) spec.metrics = [cpu]
}

const otherAutoscalingRules: Rules = {
  ...inVersion('v2beta2', Object.fromEntries(Object.entries(autoscalingRules).filter(([name]) => name.startsWith('v2.')))),
  'v2beta1.HorizontalPodAutoscalerSpec': sequence(whenAbsent({ minReplicas: 1 }), metrics),
}

const certificateRules: Rules = {
  'v1beta1.CertificateSigningRequestSpec': (spec) => {
    if (isAbsent(spec.usages)) spec.usages = ['digital signature', 'key encipherment']
    if (isAbsent(spec.signerName)) spec.signerName = signerName(String(spec.request ?? ''), spec.usages as string[])
  },
  'v1beta1.CertificateSigningRequestCondition': whenZero({ status: 'True' }),
}

const definitionSpec: Rule = (spec) => {
  whenZero({ scope: 'Namespaced' })(spec)
  const version = String(spec.version ?? '')
  if (isEmptyList(spec.versions) && version !== '') spec.versions = [{ name: version, served: true, storage: true }]
  const [first] = (spec.versions ?? []) as JsonObject[]
  if (version === '' && first !== undefined) spec.version = first.name ?? ''
  whenAbsent({ conversion: { strategy: 'None' }, preserveUnknownFields: true })(spec)
  const conversion = spec.conversion as JsonObject
  if (conversion.strategy === 'Webhook' && isEmptyList(conversion.conversionReviewVersions)) {
    conversion.conversionReviewVersions = ['v1beta1']
  }
}

const definition: Rule = (object) => {
  const spec = objectAt(object, 'spec') ?? {}
  const names = objectAt(spec, 'names') ?? {}
  const kind = String(names.kind ?? '')
  if (isZero(names.singular) && kind !== '') names.singular = kind.toLowerCase()
  if (isZero(names.listKind) && kind !== '') names.listKind = `${kind}List`
  definitionSpec(spec)
  const stored = ((spec.versions ?? []) as JsonObject[]).find(({ storage }) => storage === true)
  const status = objectAt(object, 'status')
  if (status !== undefined && isEmptyList(status.storedVersions) && stored !== undefined) {
    status.storedVersions = [stored.name ?? '']
  }
}

const assuredShares: Rules = {
  'v1.LimitedPriorityLevelConfiguration': sequence(
    whenZero({ assuredConcurrencyShares: 30 }),
    whenAbsent({ lendablePercent: 0 }),
  ),
}

/** Shares of zero are kept if the annotation says so. */
const priorityLevel: Rule = (object) => {
  const limited = objectAt(objectAt(object, 'spec'), 'limited')
  const isKept = annotationOf(object, zeroSharesAnnotation) !== undefined
  if (limited !== undefined && !isKept) whenZero({ nominalConcurrencyShares: 30 })(limited)
}

const otherFlowControlRules: Rules = {
  ...inVersion('v1alpha1', flowControlRules),
  // v1alpha1 has no lendablePercent.
  'v1alpha1.LimitedPriorityLevelConfiguration': whenZero({ assuredConcurrencyShares: 30 }),
  ...inVersion('v1beta1', { ...flowControlRules, ...assuredShares }),
  ...inVersion('v1beta2', { ...flowControlRules, ...assuredShares }),
  ...inVersion('v1beta3', flowControlRules),
  'v1beta3.LimitedPriorityLevelConfiguration': whenAbsent({ lendablePercent: 0 }),
  'v1beta3.PriorityLevelConfiguration': priorityLevel,
}

const subjectVersions: Readonly<Record<string, string>> = {
  ServiceAccount: 'v1',
  User: 'rbac.authorization.k8s.io/v1alpha1',
  Group: 'rbac.authorization.k8s.io/v1alpha1',
}

const subject: Rule = (value) => {
  const apiVersion = subjectVersions[String(value.kind)]
  if (isZero(value.apiVersion) && apiVersion !== undefined) value.apiVersion = apiVersion
}

const exactCount: Rule = (request) => {
  if (!isZero(request.deviceClassName)) resourceRules['v1.ExactDeviceRequest']?.(request)
}

const otherResourceRules: Rules = {
  ...inVersion('v1alpha3', resourceRules),
  'v1alpha3.DeviceRequest': exactCount,
  'v1alpha3.ResourcePoolStatusRequestSpec': whenAbsent({ limit: 100 }),
  ...inVersion('v1beta1', resourceRules),
  'v1beta1.BasicDevice': resourceRules['v1.Device'] ?? (() => {}),
  'v1beta1.DeviceRequest': exactCount,
  ...inVersion('v1beta2', resourceRules),
}

const serviceReference = whenAbsent({ port: 443 })

/** The rules by API group. Types of core/v1 have their rules with those of the group's other versions. */
export const otherVersionRules: Readonly<Record<string, Rules>> = {
  'admissionregistration.k8s.io': otherAdmissionRules,
  'apiextensions.k8s.io': { 'v1beta1.CustomResourceDefinition': definition, 'v1beta1.ServiceReference': serviceReference },
  'apiregistration.k8s.io': inVersion('v1beta1', apiRegistrationRules),
  apps: otherAppsRules,
  'auditregistration.k8s.io': {
    'v1alpha1.Webhook': whenAbsent({ throttle: {} }),
    'v1alpha1.WebhookThrottleConfig': whenAbsent({ qps: 10, burst: 15 }),
    'v1alpha1.ServiceReference': serviceReference,
  },
  autoscaling: otherAutoscalingRules,
  batch: {
    'v1beta1.CronJobSpec': batchRules['v1.CronJobSpec'] ?? (() => {}),
    'v2alpha1.CronJobSpec': sequence(whenZero({ concurrencyPolicy: 'Allow' }), whenAbsent({ suspend: false })),
  },
  'certificates.k8s.io': certificateRules,
  'discovery.k8s.io': { ...inVersion('v1alpha1', discoveryRules), ...inVersion('v1beta1', discoveryRules) },
  extensions: extensionsRules,
  'flowcontrol.apiserver.k8s.io': otherFlowControlRules,
  'networking.k8s.io': { 'v1beta1.HTTPIngressPath': httpIngressPath },
  policy: { 'v1beta1.PodSecurityPolicySpec': podSecurityPolicySpec },
  'rbac.authorization.k8s.io': {
    'v1alpha1.RoleRef': rbacRules['v1.RoleRef'] ?? (() => {}),
    'v1alpha1.Subject': subject,
    ...inVersion('v1beta1', rbacRules),
  },
  'resource.k8s.io': otherResourceRules,
  'scheduling.k8s.io': { ...inVersion('v1alpha1', schedulingRules), ...inVersion('v1beta1', schedulingRules) },
  'storage.k8s.io': inVersion('v1beta1', storageRules),
}
