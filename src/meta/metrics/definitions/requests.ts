/** The metrics of requests. The facts are kube-apiserver's. */
import type { MetricDefinitions } from '../definition.ts'

/** The metrics of requests. */
export const requestsMetrics = {
  apiserver_request_total: {
    type: 'counter',
    help: '[STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
    labels: ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component', 'code'],
  },
  apiserver_request_duration_seconds: {
    type: 'histogram',
    help: '[STABLE] Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
    labels: ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'],
    buckets: [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
  },
  apiserver_request_sli_duration_seconds: {
    type: 'histogram',
    help: '[ALPHA] Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds for each verb, group, version, resource, subresource, scope and component.',
    labels: ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'],
    buckets: [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
  },
  apiserver_request_slo_duration_seconds: {
    type: 'histogram',
    help: '[ALPHA] (Deprecated since 1.27.0) Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds for each verb, group, version, resource, subresource, scope and component.',
    labels: ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'],
    buckets: [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
  },
  apiserver_request_body_size_bytes: {
    type: 'histogram',
    help: '[ALPHA] Apiserver request body size in bytes broken out by resource and verb.',
    labels: ['group', 'resource', 'verb'],
    buckets: [
      50000, 150000, 250000, 350000, 450000, 550000, 650000, 750000, 850000, 950000, 1050000, 1150000, 1250000, 1350000, 1450000,
      1550000, 1650000, 1750000, 1850000, 1950000, 2050000, 2150000, 2250000, 2350000, 2450000, 2550000, 2650000, 2750000,
      2850000, 2950000, 3050000,
    ],
  },
  apiserver_response_sizes: {
    type: 'histogram',
    help: '[STABLE] Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.',
    labels: ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'],
    buckets: [1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000],
  },
  apiserver_request_filter_duration_seconds: {
    type: 'histogram',
    help: '[ALPHA] Request filter latency distribution in seconds, for each filter type',
    labels: ['filter'],
    buckets: [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30],
  },
  field_validation_request_duration_seconds: {
    type: 'histogram',
    help: '[ALPHA] Response latency distribution in seconds for each field validation value',
    labels: ['field_validation'],
    buckets: [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
  },
  apiserver_request_terminations_total: {
    type: 'counter',
    help: '[ALPHA] Number of requests which apiserver terminated in self-defense.',
    labels: ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component', 'code'],
  },
  apiserver_request_post_timeout_total: {
    type: 'counter',
    help: '[ALPHA] Tracks the activity of the request handlers after the associated requests have been timed out by the apiserver',
    labels: ['source', 'status'],
  },
  apiserver_current_inflight_requests: {
    type: 'gauge',
    help: '[STABLE] Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
    labels: ['request_kind'],
  },
  apiserver_current_inqueue_requests: {
    type: 'gauge',
    help: '[ALPHA] Maximal number of queued requests in this apiserver per request kind in last second.',
    labels: ['request_kind'],
  },
  apiserver_longrunning_requests: {
    type: 'gauge',
    help: '[STABLE] Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.',
    labels: ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'],
  },
  apiserver_requested_deprecated_apis: {
    type: 'gauge',
    help: '[STABLE] Gauge of deprecated APIs that have been requested, broken out by API group, version, resource, subresource, and removed_release.',
    labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
  },
} as const satisfies MetricDefinitions
