/** The differences between versions that are not served by default and the versions in which their objects are stored. */
import { accessReviewChanges, leaseCandidateChanges, migrationChanges, runtimeClassChanges, subjectChanges } from './access.ts'
import { autoscalerChanges, secondAutoscalerChanges } from './autoscaler.ts'
import { definitionChanges } from './custom-resource-definition.ts'
import { claimChanges, claimTemplateChanges, firstSliceChanges, sliceChanges } from './devices.ts'
import { disruptionBudgetChanges } from './disruption-budget.ts'
import { endpointSliceChanges } from './endpoint-slice.ts'
import type { Changes } from './fields.ts'
import { ingressChanges } from './ingress.ts'
import { assuredSharesChanges, zeroSharesChanges } from './priority-level.ts'
import { daemonSetChanges, deploymentChanges, statefulSetChanges } from './workloads.ts'

const flowControl = 'flowcontrol.apiserver.k8s.io'
const rbac = 'rbac.authorization.k8s.io'

/** The changes by `<group>/<version>/<resource>`, only for versions whose fields are not the same ones under the same names. */
export const changes: Readonly<Record<string, Changes>> = {
  'apiextensions.k8s.io/v1beta1/customresourcedefinitions': definitionChanges,
  'apps/v1beta1/deployments': deploymentChanges,
  'apps/v1beta1/statefulsets': statefulSetChanges,
  'authorization.k8s.io/v1beta1/localsubjectaccessreviews': accessReviewChanges,
  'authorization.k8s.io/v1beta1/subjectaccessreviews': accessReviewChanges,
  'autoscaling/v2beta1/horizontalpodautoscalers': autoscalerChanges,
  'autoscaling/v2beta2/horizontalpodautoscalers': secondAutoscalerChanges,
  'coordination.k8s.io/v1alpha1/leasecandidates': leaseCandidateChanges,
  'discovery.k8s.io/v1alpha1/endpointslices': endpointSliceChanges,
  'discovery.k8s.io/v1beta1/endpointslices': endpointSliceChanges,
  'extensions/v1beta1/daemonsets': daemonSetChanges,
  'extensions/v1beta1/deployments': deploymentChanges,
  'extensions/v1beta1/ingresses': ingressChanges,
  [`${flowControl}/v1alpha1/prioritylevelconfigurations`]: assuredSharesChanges,
  [`${flowControl}/v1beta1/prioritylevelconfigurations`]: assuredSharesChanges,
  [`${flowControl}/v1beta2/prioritylevelconfigurations`]: assuredSharesChanges,
  [`${flowControl}/v1beta3/prioritylevelconfigurations`]: zeroSharesChanges,
  'networking.k8s.io/v1beta1/ingresses': ingressChanges,
  'node.k8s.io/v1alpha1/runtimeclasses': runtimeClassChanges,
  'policy/v1beta1/poddisruptionbudgets': disruptionBudgetChanges,
  [`${rbac}/v1alpha1/clusterrolebindings`]: subjectChanges,
  [`${rbac}/v1alpha1/rolebindings`]: subjectChanges,
  'resource.k8s.io/v1alpha3/resourceclaims': claimChanges,
  'resource.k8s.io/v1alpha3/resourceclaimtemplates': claimTemplateChanges,
  'resource.k8s.io/v1alpha3/resourceslices': firstSliceChanges,
  'resource.k8s.io/v1beta1/resourceclaims': claimChanges,
  'resource.k8s.io/v1beta1/resourceclaimtemplates': claimTemplateChanges,
  'resource.k8s.io/v1beta1/resourceslices': sliceChanges,
  'storagemigration.k8s.io/v1alpha1/storageversionmigrations': migrationChanges,
}
