/** The strategy hooks of built-in kinds, by `<resource>[.<group>]`. */

import type { Ingress } from '../../catalog/generated/types/networking.v1.ts'
import {
  validateControllerRevision,
  validateControllerRevisionUpdate,
} from '../../catalog/validation/apps/controller-revision.ts'
import {
  validateReplicaSet,
  validateReplicaSetUpdate,
  validateReplicationController,
} from '../../catalog/validation/apps/replica-set.ts'
import { validateCronJob, validateCronJobUpdate } from '../../catalog/validation/batch/cron-job.ts'
import { validateJobStatus } from '../../catalog/validation/batch/job-status.ts'
import {
  trustBundleName,
  validateTrustBundle,
  validateTrustBundleChange,
} from '../../catalog/validation/certificates/trust-bundle.ts'
import {
  validateConfigMap,
  validateConfigMapChange,
  validateSecret,
  validateSecretChange,
} from '../../catalog/validation/core/config.ts'
import { validateEndpoints, validateEndpointsUpdate } from '../../catalog/validation/core/endpoints.ts'
import { validateEvent, validateEventUpdate } from '../../catalog/validation/core/event.ts'
import { validateLimitRange } from '../../catalog/validation/core/limit-range.ts'
import { validatePodTemplate } from '../../catalog/validation/core/pod-template.ts'
import {
  validateResourceQuota,
  validateResourceQuotaStatus,
  validateResourceQuotaUpdate,
} from '../../catalog/validation/core/resource-quota.ts'
import {
  validateIpAddress,
  validateIpAddressChange,
  validateServiceCidr,
  validateServiceCidrUpdate,
} from '../../catalog/validation/networking/addresses.ts'
import { namedAsIn, validateIngress, validateNewIngress } from '../../catalog/validation/networking/ingress.ts'
import { validateIngressClass, validateIngressClassChange } from '../../catalog/validation/networking/ingress-class.ts'
import { validateNetworkPolicy } from '../../catalog/validation/networking/network-policy.ts'
import { validateRuntimeClass, validateRuntimeClassChange } from '../../catalog/validation/node/runtime-class.ts'
import { validatePodDisruptionBudget } from '../../catalog/validation/policy/budget.ts'
import {
  validateBindingChange,
  validateClusterRole,
  validateClusterRoleBinding,
  validateRole,
  validateRoleBinding,
} from '../../catalog/validation/rbac/rbac.ts'
import { type CountedResource, validateCounts } from '../../catalog/validation/status/counts.ts'
import { validateIngressStatus, validateServiceStatus } from '../../catalog/validation/status/load-balancer.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { StrategyContext, StrategyHooks, SubresourceHooks } from '../hooks.ts'
import { isSpecIdentical } from '../parity/deep-equal.ts'
import { customResourceDefinitionHooks } from './apiextensions/custom-resource-definition.ts'
import { daemonSetHooks } from './apps/daemon-set.ts'
import { deploymentHooks } from './apps/deployment.ts'
import { statefulSetHooks } from './apps/stateful-set.ts'
import { horizontalPodAutoscalerHooks } from './autoscaling/horizontal-pod-autoscaler.ts'
import { jobHooks } from './batch/job.ts'
import { signingRequestHooks } from './certificates/signing-request.ts'
import { clusterKinds } from './cluster-kinds.ts'
import { leaseHooks } from './coordination/lease.ts'
import { namespaceHooks } from './core/namespace.ts'
import { nodeHooks } from './core/node.ts'
import { podHooks } from './core/pod.ts'
import { serviceHooks } from './core/service.ts'
import { serviceAccountHooks } from './core/service-account.ts'
import { persistentVolumeClaimHooks, persistentVolumeHooks } from './core/storage.ts'
import { endpointSliceHooks } from './discovery/endpoint-slice.ts'
import { optionalKinds } from './optional-kinds.ts'
import { binding, clusterRole, role } from './rbac/escalation.ts'
import { priorityClassHooks } from './scheduling/priority-class.ts'
import { setTemplateLabels } from './template-labels.ts'
import { withFieldOrder } from './with-field-order.ts'
import { atTop, inJob, withPodTemplate } from './with-pod-template.ts'
import { withSeparateValidation, withSharedValidation, withValidation } from './with-validation.ts'

/** Generates a name if the object has no name: LimitRanges may omit it. */
function setMissingName({ metadata }: KubernetesObject, { services }: StrategyContext): void {
  if ((metadata.name ?? '') === '') metadata.name = services.names.uid()
}

const hooksByResource: Readonly<Record<string, StrategyHooks>> = {
  ...clusterKinds,
  ...optionalKinds,
  configmaps: withSeparateValidation(validateConfigMap, validateConfigMapChange),
  endpoints: withValidation(validateEndpoints, validateEndpointsUpdate),
  events: withValidation(validateEvent, validateEventUpdate),
  limitranges: { ...withValidation(validateLimitRange), prepareForCreate: setMissingName },
  namespaces: namespaceHooks,
  nodes: nodeHooks,
  persistentvolumeclaims: persistentVolumeClaimHooks,
  persistentvolumes: persistentVolumeHooks,
  pods: podHooks,
  podtemplates: withPodTemplate(withValidation(validatePodTemplate), atTop),
  replicationcontrollers: withPodTemplate(withValidation(validateReplicationController)),
  resourcequotas: withValidation(validateResourceQuota, validateResourceQuotaUpdate),
  secrets: withSeparateValidation(validateSecret, validateSecretChange),
  serviceaccounts: serviceAccountHooks,
  services: serviceHooks,
  'certificatesigningrequests.certificates.k8s.io': signingRequestHooks,
  'clustertrustbundles.certificates.k8s.io': {
    ...withSeparateValidation(validateTrustBundle, validateTrustBundleChange),
    validateNameOf: (object) => trustBundleName(object as Parameters<typeof trustBundleName>[0]),
  },
  'clusterrolebindings.rbac.authorization.k8s.io': {
    ...withSeparateValidation(validateClusterRoleBinding, validateBindingChange),
    ...binding,
  },
  'clusterroles.rbac.authorization.k8s.io': { ...withSharedValidation(validateClusterRole), ...clusterRole },
  'controllerrevisions.apps': withValidation(validateControllerRevision, validateControllerRevisionUpdate),
  'cronjobs.batch': withPodTemplate(withValidation(validateCronJob, validateCronJobUpdate), inJob),
  'customresourcedefinitions.apiextensions.k8s.io': customResourceDefinitionHooks,
  'daemonsets.apps': withPodTemplate(daemonSetHooks),
  'deployments.apps': withPodTemplate(deploymentHooks),
  'endpointslices.discovery.k8s.io': endpointSliceHooks,
  'horizontalpodautoscalers.autoscaling': horizontalPodAutoscalerHooks,
  'ingressclasses.networking.k8s.io': withSeparateValidation(validateIngressClass, validateIngressClassChange),
  'ingresses.networking.k8s.io': withValidation<Ingress>(
    (ingress, kind) => namedAsIn(kind, validateNewIngress(ingress)),
    (ingress, _old, kind) => namedAsIn(kind, validateIngress(ingress)),
  ),
  'ipaddresses.networking.k8s.io': withSeparateValidation(validateIpAddress, validateIpAddressChange),
  'jobs.batch': withPodTemplate(jobHooks),
  'leases.coordination.k8s.io': leaseHooks,
  'networkpolicies.networking.k8s.io': { ...withValidation(validateNetworkPolicy), isSpecUnchanged: isSpecIdentical },
  'poddisruptionbudgets.policy': withValidation(validatePodDisruptionBudget),
  'priorityclasses.scheduling.k8s.io': priorityClassHooks,
  'replicasets.apps': withPodTemplate(withValidation(validateReplicaSet, validateReplicaSetUpdate)),
  'rolebindings.rbac.authorization.k8s.io': { ...withSeparateValidation(validateRoleBinding, validateBindingChange), ...binding },
  'roles.rbac.authorization.k8s.io': { ...withValidation(validateRole), ...role },
  'runtimeclasses.node.k8s.io': withSeparateValidation(validateRuntimeClass, validateRuntimeClassChange),
  'servicecidrs.networking.k8s.io': withValidation(validateServiceCidr, validateServiceCidrUpdate),
  'statefulsets.apps': withPodTemplate(statefulSetHooks),
}

const counted = (resource: CountedResource): SubresourceHooks => ({ validateUpdate: validateCounts(resource) })

const labelsWhenRead: SubresourceHooks = { prepareForUpdate: setTemplateLabels }

/** The validation of /status of kinds whose /status otherwise follows the default strategy. */
const statuses: Readonly<Record<string, SubresourceHooks>> = {
  'daemonsets.apps': counted('daemonsets.apps'),
  'deployments.apps': counted('deployments.apps'),
  'horizontalpodautoscalers.autoscaling': counted('horizontalpodautoscalers.autoscaling'),
  'ingresses.networking.k8s.io': { validateUpdate: validateIngressStatus },
  'jobs.batch': { validateUpdate: validateJobStatus, ...labelsWhenRead },
  'poddisruptionbudgets.policy': counted('poddisruptionbudgets.policy'),
  'replicasets.apps': counted('replicasets.apps'),
  replicationcontrollers: { ...counted('replicationcontrollers'), ...labelsWhenRead },
  resourcequotas: { validateUpdate: (object) => validateResourceQuotaStatus(object as never) },
  services: { validateUpdate: validateServiceStatus },
  'statefulsets.apps': counted('statefulsets.apps'),
}

function withStatus(prefix: string, hooks: StrategyHooks): StrategyHooks {
  const status = statuses[prefix]
  if (status === undefined) return hooks
  return { ...hooks, subresources: { ...hooks.subresources, status: { ...hooks.subresources?.status, ...status } } }
}

/** The hooks of all kinds that differ from the default strategy. */
const registeredHooks: Readonly<Record<string, StrategyHooks>> = Object.fromEntries(
  Object.entries(hooksByResource).map(([prefix, hooks]) => [prefix, withFieldOrder(withStatus(prefix, hooks))]),
)

/** Returns the hooks of a built-in kind; undefined if it has the default strategy. */
export const registeredHooksOf = (prefix: string): StrategyHooks | undefined => registeredHooks[prefix]
