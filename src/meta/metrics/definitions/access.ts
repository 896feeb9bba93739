/** The metrics of authentication and authorization. The facts are kube-apiserver's. */
import type { MetricDefinitions } from '../definition.ts'

/** The metrics of authentication and authorization. */
export const accessMetrics = {
  authenticated_user_requests: {
    type: 'counter',
    help: '[ALPHA] Counter of authenticated requests broken out by username.',
    labels: ['username'],
  },
  authentication_attempts: {
    type: 'counter',
    help: '[ALPHA] Counter of authenticated attempts.',
    labels: ['result'],
  },
  authentication_duration_seconds: {
    type: 'histogram',
    help: '[ALPHA] Authentication duration in seconds broken out by result.',
    labels: ['result'],
    buckets: [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384],
  },
  authentication_token_cache_active_fetch_count: {
    type: 'gauge',
    help: '[ALPHA] ',
    labels: ['status'],
  },
  authentication_token_cache_fetch_total: {
    type: 'counter',
    help: '[ALPHA] ',
    labels: ['status'],
  },
  authentication_token_cache_request_duration_seconds: {
    type: 'histogram',
    help: '[ALPHA] ',
    labels: ['status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  authentication_token_cache_request_total: {
    type: 'counter',
    help: '[ALPHA] ',
    labels: ['status'],
  },
  authorization_attempts_total: {
    type: 'counter',
    help: "[ALPHA] Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
    labels: ['result'],
  },
  authorization_duration_seconds: {
    type: 'histogram',
    help: '[ALPHA] Authorization duration in seconds broken out by result.',
    labels: ['result'],
    buckets: [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384],
  },
  apiserver_client_certificate_expiration_seconds: {
    type: 'histogram',
    help: '[ALPHA] Distribution of the remaining lifetime on the certificate used to authenticate a request.',
    labels: [],
    buckets: [0, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 345600, 604800, 2592000, 7776000, 15552000, 31104000],
  },
} as const satisfies MetricDefinitions
