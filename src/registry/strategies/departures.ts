/** Which kinds depart from the rule in more than facts, by `<resource>[.<group>]`. */
import {
  validateReplicaSet,
  validateReplicaSetUpdate,
  validateReplicationController,
} from '../../catalog/validation/apps/replica-set.ts'
import { validateStatefulSet, validateStatefulSetUpdate } from '../../catalog/validation/apps/stateful-set.ts'
import { validateCronJob, validateCronJobUpdate } from '../../catalog/validation/batch/cron-job.ts'
import { validateJobStatus } from '../../catalog/validation/batch/job-status.ts'
import {
  validateConfigMap,
  validateConfigMapUpdate,
  validateSecret,
  validateSecretUpdate,
} from '../../catalog/validation/core/config.ts'
import { validateIngress } from '../../catalog/validation/networking/ingress.ts'
import { validateNetworkPolicy } from '../../catalog/validation/networking/network-policy.ts'
import { validatePodDisruptionBudget } from '../../catalog/validation/policy/budget.ts'
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateClusterRoleBindingUpdate,
  validateRole,
  validateRoleBinding,
  validateRoleBindingUpdate,
} from '../../catalog/validation/rbac/rbac.ts'
import { validatePriorityClass, validatePriorityClassUpdate } from '../../catalog/validation/scheduling/priority-class.ts'
import { type CountedResource, validateCounts } from '../../catalog/validation/status/counts.ts'
import { validateIngressStatus, validateServiceStatus } from '../../catalog/validation/status/load-balancer.ts'
import type { StrategyHooks, SubresourceHooks } from '../hooks.ts'
import { daemonSetHooks } from './apps/daemon-set.ts'
import { deploymentHooks } from './apps/deployment.ts'
import { horizontalPodAutoscalerHooks } from './autoscaling/horizontal-pod-autoscaler.ts'
import { jobHooks } from './batch/job.ts'
import { signingRequestHooks } from './certificates/signing-request.ts'
import { checked } from './checked.ts'
import { leaseHooks } from './coordination/lease.ts'
import { namespaceHooks } from './core/namespace.ts'
import { podHooks } from './core/pod.ts'
import { serviceHooks } from './core/service.ts'
import { serviceAccountHooks } from './core/service-account.ts'
import { persistentVolumeClaimHooks, persistentVolumeHooks } from './core/storage.ts'
import { endpointSliceHooks } from './discovery/endpoint-slice.ts'
import { ordered } from './ordered.ts'
import { binding, clusterRole, role } from './rbac/escalation.ts'
import { atTop, inJob, templated } from './templated.ts'

const table: Readonly<Record<string, StrategyHooks>> = {
  configmaps: checked(validateConfigMap, validateConfigMapUpdate),
  namespaces: namespaceHooks,
  persistentvolumeclaims: persistentVolumeClaimHooks,
  persistentvolumes: persistentVolumeHooks,
  pods: podHooks,
  podtemplates: templated({}, atTop),
  replicationcontrollers: templated(checked(validateReplicationController)),
  secrets: checked(validateSecret, validateSecretUpdate),
  serviceaccounts: serviceAccountHooks,
  services: serviceHooks,
  'certificatesigningrequests.certificates.k8s.io': signingRequestHooks,
  'clusterrolebindings.rbac.authorization.k8s.io': {
    ...checked(validateClusterRoleBinding, validateClusterRoleBindingUpdate),
    ...binding,
  },
  'clusterroles.rbac.authorization.k8s.io': { ...checked(validateClusterRole), ...clusterRole },
  'cronjobs.batch': templated(checked(validateCronJob, validateCronJobUpdate), inJob),
  'daemonsets.apps': templated(daemonSetHooks),
  'deployments.apps': templated(deploymentHooks),
  'endpointslices.discovery.k8s.io': endpointSliceHooks,
  'horizontalpodautoscalers.autoscaling': horizontalPodAutoscalerHooks,
  'ingresses.networking.k8s.io': checked(validateIngress),
  'jobs.batch': templated(jobHooks),
  'leases.coordination.k8s.io': leaseHooks,
  'networkpolicies.networking.k8s.io': checked(validateNetworkPolicy),
  'poddisruptionbudgets.policy': checked(validatePodDisruptionBudget),
  'priorityclasses.scheduling.k8s.io': checked(validatePriorityClass, validatePriorityClassUpdate),
  'replicasets.apps': templated(checked(validateReplicaSet, validateReplicaSetUpdate)),
  'rolebindings.rbac.authorization.k8s.io': { ...checked(validateRoleBinding, validateRoleBindingUpdate), ...binding },
  'roles.rbac.authorization.k8s.io': { ...checked(validateRole), ...role },
  'statefulsets.apps': templated(checked(validateStatefulSet, validateStatefulSetUpdate)),
}

const counted = (resource: CountedResource): SubresourceHooks => ({ validateUpdate: validateCounts(resource) })

/** What is valid in the status of kinds whose /status is as the rule has it otherwise. */
const statuses: Readonly<Record<string, SubresourceHooks>> = {
  'daemonsets.apps': counted('daemonsets.apps'),
  'deployments.apps': counted('deployments.apps'),
  'horizontalpodautoscalers.autoscaling': counted('horizontalpodautoscalers.autoscaling'),
  'ingresses.networking.k8s.io': { validateUpdate: validateIngressStatus },
  'jobs.batch': { validateUpdate: validateJobStatus },
  'poddisruptionbudgets.policy': counted('poddisruptionbudgets.policy'),
  'replicasets.apps': counted('replicasets.apps'),
  replicationcontrollers: counted('replicationcontrollers'),
  services: { validateUpdate: validateServiceStatus },
  'statefulsets.apps': counted('statefulsets.apps'),
}

function withStatus(prefix: string, hooks: StrategyHooks): StrategyHooks {
  const status = statuses[prefix]
  return status === undefined ? hooks : { ...hooks, subresources: { ...hooks.subresources, status } }
}

/** The hooks of the kinds that have some. */
export const departures: Readonly<Record<string, StrategyHooks>> = Object.fromEntries(
  Object.entries(table).map(([prefix, hooks]) => [prefix, ordered(withStatus(prefix, hooks))]),
)
