/** The metrics of the server as a whole. The facts are kube-apiserver's. */
import type { MetricDefinitions } from '../definition.ts'

/** The metrics of the server as a whole. */
export const serverMetrics = {
  kubernetes_build_info: {
    type: 'gauge',
    help: "[BETA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
    labels: ['major', 'minor', 'git_version', 'git_commit', 'git_tree_state', 'build_date', 'go_version', 'compiler', 'platform'],
  },
  kubernetes_feature_enabled: {
    type: 'gauge',
    help: '[BETA] This metric records the data about the stage and enablement of a k8s feature.',
    labels: ['name', 'stage'],
  },
  version_info: {
    type: 'gauge',
    help: '[ALPHA] Provides the compatibility version info of the component. The component label is the name of the component, usually kube, but is relevant for aggregated-apiservers.',
    labels: ['component', 'binary', 'emulation', 'min_compat'],
  },
  process_cpu_seconds_total: {
    type: 'counter',
    help: 'Total user and system CPU time spent in seconds.',
    labels: [],
  },
  process_resident_memory_bytes: {
    type: 'gauge',
    help: 'Resident memory size in bytes.',
    labels: [],
  },
  process_virtual_memory_bytes: {
    type: 'gauge',
    help: 'Virtual memory size in bytes.',
    labels: [],
  },
  process_start_time_seconds: {
    type: 'gauge',
    help: 'Start time of the process since unix epoch in seconds.',
    labels: [],
  },
  registered_metrics_total: {
    type: 'counter',
    help: '[BETA] The count of registered metrics broken by stability level and deprecation version.',
    labels: ['stability_level', 'deprecated_version'],
  },
  hidden_metrics_total: {
    type: 'counter',
    help: '[BETA] The count of hidden metrics.',
    labels: [],
  },
  disabled_metrics_total: {
    type: 'counter',
    help: '[BETA] The count of disabled metrics.',
    labels: [],
  },
  apiserver_audit_event_total: {
    type: 'counter',
    help: '[ALPHA] Counter of audit events generated and sent to the audit backend.',
    labels: [],
  },
  apiserver_audit_level_total: {
    type: 'counter',
    help: '[ALPHA] Counter of policy levels for audit events (1 per request).',
    labels: ['level'],
  },
  apiserver_audit_error_total: {
    type: 'counter',
    help: '[ALPHA] Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.',
    labels: ['plugin'],
  },
  apiserver_audit_requests_rejected_total: {
    type: 'counter',
    help: '[ALPHA] Counter of apiserver requests rejected due to an error in audit logging backend.',
    labels: [],
  },
  aggregator_unavailable_apiservice: {
    type: 'gauge',
    help: '[ALPHA] Gauge of APIServices which are marked as unavailable broken down by APIService name.',
    labels: ['name'],
  },
  aggregator_unavailable_apiservice_total: {
    type: 'counter',
    help: '[ALPHA] Counter of APIServices which are marked as unavailable broken down by APIService name and reason.',
    labels: ['name', 'reason'],
  },
} as const satisfies MetricDefinitions
