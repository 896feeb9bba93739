/** Checks of HorizontalPodAutoscalers, in autoscaling/v2. Follows k8s.io/kubernetes/pkg/apis/autoscaling/validation. */
import type { FieldError } from '../../../meta/field-error.ts'
import type { HorizontalPodAutoscaler, HPAScalingRules } from '../../generated/types/autoscaling.v2.ts'
import { Errors } from '../checks.ts'
import { checkMetrics } from './metrics.ts'
import { type ApiVersionRule, apiVersionProblem, checkReference } from './reference.ts'

const longestPeriod = 1800
const longestWindow = 3600
const selectPolicies = ['Disabled', 'Max', 'Min']
const policyTypes = ['Percent', 'Pods']

function checkPolicy(
  { type, value, periodSeconds }: NonNullable<HPAScalingRules['policies']>[number],
  field: string,
  errors: Errors,
): void {
  if (!policyTypes.includes(type)) errors.notSupported(`${field}.type`, type, policyTypes)
  if (value <= 0) errors.invalid(`${field}.value`, value, 'must be greater than zero')
  const period = `${field}.periodSeconds`
  if (periodSeconds <= 0) errors.invalid(period, periodSeconds, 'must be greater than zero')
  if (periodSeconds > longestPeriod) errors.invalid(period, periodSeconds, `must be less than or equal to ${longestPeriod}`)
}

function checkRules(rules: HPAScalingRules | undefined, field: string, errors: Errors): void {
  if (rules === undefined) return
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [], tolerance } = rules
  const windowField = `${field}.stabilizationWindowSeconds`
  if (window < 0) errors.invalid(windowField, window, 'must be greater than or equal to zero')
  if (window > longestWindow) errors.invalid(windowField, window, `must be less than or equal to ${longestWindow}`)
  if (selectPolicy !== undefined && !selectPolicies.includes(selectPolicy)) {
    errors.notSupported(`${field}.selectPolicy`, selectPolicy, selectPolicies)
  }
  if (policies.length === 0) errors.required(`${field}.policies`, 'must specify at least one Policy')
  for (const [index, policy] of policies.entries()) checkPolicy(policy, `${field}.policies[${index}]`, errors)
  if (tolerance !== undefined) errors.checkNonNegativeQuantity(tolerance, `${field}.tolerance`)
}

/** Returns the rules for the API versions of references: an update may keep an invalid one. */
function rulesFor({ spec }: HorizontalPodAutoscaler, old: HorizontalPodAutoscaler['spec'] | undefined) {
  const { apiVersion = '', kind } = spec.scaleTargetRef
  const isSame = old !== undefined && (old.scaleTargetRef.apiVersion ?? '') === apiVersion && old.scaleTargetRef.kind === kind
  const target: ApiVersionRule = isSame ? 'unchecked' : kind === 'ReplicationController' ? 'any group' : 'grouped'
  const wasWrong = (old?.metrics ?? []).some(
    ({ type, object }) =>
      type === 'Object' && apiVersionProblem(object?.describedObject?.apiVersion ?? '', 'any group') !== undefined,
  )
  const described: ApiVersionRule = wasWrong ? 'unchecked' : 'any group'
  return { target, described, leastReplicas: old?.minReplicas === 0 ? 0 : 1 }
}

/** Validates a HorizontalPodAutoscaler, except its metadata. `old` is absent on create. */
function validate(autoscaler: HorizontalPodAutoscaler, old: HorizontalPodAutoscaler | undefined): FieldError[] {
  const errors = new Errors()
  const { minReplicas, maxReplicas, scaleTargetRef, metrics = [], behavior } = autoscaler.spec
  const { target, described, leastReplicas } = rulesFor(autoscaler, old?.spec)
  if (minReplicas !== undefined && minReplicas < leastReplicas) {
    errors.invalid('spec.minReplicas', minReplicas, `must be greater than or equal to ${leastReplicas}`)
  }
  if (maxReplicas === 0) errors.required('spec.maxReplicas', 'must be set and greater than 0')
  else if (maxReplicas < 0) errors.invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to 1')
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`')
  }
  checkReference(scaleTargetRef, target, 'spec.scaleTargetRef', errors)
  checkMetrics(metrics, minReplicas, described, errors)
  checkRules(behavior?.scaleUp, 'spec.behavior.scaleUp', errors)
  checkRules(behavior?.scaleDown, 'spec.behavior.scaleDown', errors)
  return errors
}

/** Validates a new HorizontalPodAutoscaler, except its metadata. */
export const validateHorizontalPodAutoscaler = (autoscaler: HorizontalPodAutoscaler): FieldError[] =>
  validate(autoscaler, undefined)

/** Validates an update of a HorizontalPodAutoscaler. */
export const validateHorizontalPodAutoscalerUpdate = (
  autoscaler: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler,
): FieldError[] => validate(autoscaler, old)
