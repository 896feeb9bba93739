/** The metrics of admission, with the names and labels of kube-apiserver (k8s.io/apiserver/pkg/admission/metrics). */

/** A metric: a histogram if it has buckets, else a counter. */
export interface MetricDefinition {
  readonly help: string
  readonly labels: readonly string[]
  /** The upper bounds of a histogram's buckets, in seconds. */
  readonly buckets?: readonly number[]
}

const stepBuckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5]
const webhookBuckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25]
const checkBuckets = [0.0000005, 0.001, 0.01, 0.1, 1]
const policyLabels = ['policy', 'policy_binding', 'error_type', 'enforcement_action']
const mutatingPolicyLabels = ['policy', 'policy_binding', 'error_type']
const podSecurityLabels = ['request_operation', 'resource', 'subresource']

/** The metrics by name. */
export const admissionMetrics = {
  apiserver_admission_step_admission_duration_seconds: {
    help: '[STABLE] Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit).',
    labels: ['type', 'operation', 'rejected'],
    buckets: stepBuckets,
  },
  apiserver_admission_webhook_admission_duration_seconds: {
    help: '[STABLE] Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    labels: ['name', 'type', 'operation', 'rejected'],
    buckets: webhookBuckets,
  },
  apiserver_admission_webhook_rejection_count: {
    help: '[ALPHA] Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify an error type (calling_webhook_error or apiserver_internal_error if an error occurred; no_error otherwise) and optionally a non-zero rejection code if the webhook rejects the request with an HTTP status code (honored by the apiserver when the code is greater or equal to 400). Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
    labels: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
  },
  apiserver_admission_webhook_fail_open_count: {
    help: '[ALPHA] Admission webhook fail open count, identified by name and broken out for each admission type (validating or mutating).',
    labels: ['name', 'type'],
  },
  apiserver_admission_webhook_request_total: {
    help: '[ALPHA] Admission webhook request total, identified by name and broken out for each admission type (validating or mutating) and operation. Additional labels specify whether the request was rejected or not and an HTTP status code. Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
    labels: ['name', 'type', 'operation', 'code', 'rejected'],
  },
  apiserver_admission_match_condition_evaluation_errors_total: {
    help: '[ALPHA] Admission match condition evaluation errors count, identified by name of resource containing the match condition and broken out for each kind containing matchConditions (webhook or policy), operation and admission type (validate or admit).',
    labels: ['name', 'kind', 'type', 'operation'],
  },
  apiserver_admission_match_condition_exclusions_total: {
    help: '[ALPHA] Admission match condition evaluation exclusions count, identified by name of resource containing the match condition and broken out for each kind containing matchConditions (webhook or policy), operation and admission type (validate or admit).',
    labels: ['name', 'kind', 'type', 'operation'],
  },
  apiserver_validating_admission_policy_check_total: {
    help: '[BETA] Validation admission policy check total, labeled by policy and further identified by binding and enforcement action taken.',
    labels: policyLabels,
  },
  apiserver_validating_admission_policy_check_duration_seconds: {
    help: '[BETA] Validation admission latency for individual validation expressions in seconds, labeled by policy and further including binding and enforcement action taken.',
    labels: policyLabels,
    buckets: checkBuckets,
  },
  apiserver_mutating_admission_policy_check_total: {
    help: '[ALPHA] Mutation admission policy check total, labeled by policy and further identified by binding.',
    labels: mutatingPolicyLabels,
  },
  apiserver_mutating_admission_policy_check_duration_seconds: {
    help: '[ALPHA] Mutation admission latency for individual mutation expressions in seconds, labeled by policy and binding.',
    labels: mutatingPolicyLabels,
    buckets: checkBuckets,
  },
  pod_security_evaluations_total: {
    help: '[ALPHA] Number of policy evaluations that occurred, not counting ignored or exempt requests.',
    labels: ['decision', 'policy_level', 'policy_version', 'mode', ...podSecurityLabels],
  },
  pod_security_exemptions_total: {
    help: '[ALPHA] Number of exempt requests, not counting ignored or out of scope requests.',
    labels: podSecurityLabels,
  },
  pod_security_errors_total: {
    help: '[ALPHA] Number of errors preventing normal evaluation. Non-fatal errors may result in the latest restricted profile being used for evaluation.',
    labels: ['fatal', ...podSecurityLabels],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>

/** The name of a metric of admission. */
export type AdmissionMetric = keyof typeof admissionMetrics

/** The metric of the two phases of admission. */
export const admissionStep: AdmissionMetric = 'apiserver_admission_step_admission_duration_seconds'
