/** The metrics of admission. The facts are kube-apiserver's. */
import type { MetricDefinitions } from '../definition.ts'

/** The metrics of admission. */
export const admissionMetrics = {
  apiserver_admission_step_admission_duration_seconds: {
    type: 'histogram',
    help: '[STABLE] Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit).',
    labels: ['type', 'operation', 'rejected'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5],
  },
  apiserver_admission_controller_admission_duration_seconds: {
    type: 'histogram',
    help: '[STABLE] Admission controller latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    labels: ['name', 'type', 'operation', 'rejected'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5],
  },
  apiserver_admission_webhook_admission_duration_seconds: {
    type: 'histogram',
    help: '[STABLE] Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    labels: ['name', 'type', 'operation', 'rejected'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
  },
  apiserver_admission_webhook_rejection_count: {
    type: 'counter',
    help: '[ALPHA] Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify an error type (calling_webhook_error or apiserver_internal_error if an error occurred; no_error otherwise) and optionally a non-zero rejection code if the webhook rejects the request with an HTTP status code (honored by the apiserver when the code is greater or equal to 400). Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
    labels: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
  },
  apiserver_admission_webhook_fail_open_count: {
    type: 'counter',
    help: '[ALPHA] Admission webhook fail open count, identified by name and broken out for each admission type (validating or admit).',
    labels: ['name', 'type'],
  },
  apiserver_admission_webhook_request_total: {
    type: 'counter',
    help: '[ALPHA] Admission webhook request total, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify whether the request was rejected or not and an HTTP status code. Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
    labels: ['name', 'type', 'operation', 'code', 'rejected'],
  },
  apiserver_admission_match_condition_evaluation_errors_total: {
    type: 'counter',
    help: '[ALPHA] Admission match condition evaluation errors count, identified by name of resource containing the match condition and broken out for each kind containing matchConditions (webhook or policy), operation and admission type (validate or admit).',
    labels: ['name', 'kind', 'type', 'operation'],
  },
  apiserver_admission_match_condition_evaluation_seconds: {
    type: 'histogram',
    help: '[ALPHA] Admission match condition evaluation time in seconds, identified by name and broken out for each kind containing matchConditions (webhook or policy), operation and type (validate or admit).',
    labels: ['name', 'kind', 'type', 'operation'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25],
  },
  apiserver_admission_match_condition_exclusions_total: {
    type: 'counter',
    help: '[ALPHA] Admission match condition evaluation exclusions count, identified by name of resource containing the match condition and broken out for each kind containing matchConditions (webhook or policy), operation and admission type (validate or admit).',
    labels: ['name', 'kind', 'type', 'operation'],
  },
  apiserver_validating_admission_policy_check_total: {
    type: 'counter',
    help: '[BETA] Validation admission policy check total, labeled by policy and further identified by binding and enforcement action taken.',
    labels: ['policy', 'policy_binding', 'error_type', 'enforcement_action'],
  },
  apiserver_validating_admission_policy_check_duration_seconds: {
    type: 'histogram',
    help: '[BETA] Validation admission latency for individual validation expressions in seconds, labeled by policy and further including binding and enforcement action taken.',
    labels: ['policy', 'policy_binding', 'error_type', 'enforcement_action'],
    buckets: [5e-7, 0.001, 0.01, 0.1, 1],
  },
  apiserver_mutating_admission_policy_check_total: {
    type: 'counter',
    help: '[ALPHA] Mutation admission policy check total, labeled by policy and further identified by binding.',
    labels: ['policy', 'policy_binding', 'error_type'],
  },
  apiserver_mutating_admission_policy_check_duration_seconds: {
    type: 'histogram',
    help: '[ALPHA] Mutation admission latency for individual mutation expressions in seconds, labeled by policy and binding.',
    labels: ['policy', 'policy_binding', 'error_type'],
    buckets: [5e-7, 0.001, 0.01, 0.1, 1],
  },
  apiserver_cel_compilation_duration_seconds: {
    type: 'histogram',
    help: '[BETA] CEL compilation time in seconds.',
    labels: [],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  apiserver_cel_evaluation_duration_seconds: {
    type: 'histogram',
    help: '[BETA] CEL evaluation time in seconds.',
    labels: [],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  pod_security_evaluations_total: {
    type: 'counter',
    help: '[ALPHA] Number of policy evaluations that occurred, not counting ignored or exempt requests.',
    labels: ['decision', 'policy_level', 'policy_version', 'mode', 'request_operation', 'resource', 'subresource'],
  },
  pod_security_exemptions_total: {
    type: 'counter',
    help: '[ALPHA] Number of exempt requests, not counting ignored or out of scope requests.',
    labels: ['request_operation', 'resource', 'subresource'],
  },
  pod_security_errors_total: {
    type: 'counter',
    help: '[ALPHA] Number of errors preventing normal evaluation. Non-fatal errors may result in the latest restricted profile being used for evaluation.',
    labels: ['fatal', 'request_operation', 'resource', 'subresource'],
  },
} as const satisfies MetricDefinitions

/** The name of a metric of admission. */
export type AdmissionMetric = keyof typeof admissionMetrics
