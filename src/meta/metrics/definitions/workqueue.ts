/** The metrics of work in the background. Durable Objects count them. The facts are kube-apiserver's. */
import type { MetricDefinitions } from '../definition.ts'

/** The metrics of work in the background. Durable Objects count them. */
export const workqueueMetrics = {
  workqueue_adds_total: {
    type: 'counter',
    help: '[BETA] Total number of adds handled by workqueue',
    labels: ['name'],
  },
  workqueue_depth: {
    type: 'gauge',
    help: '[BETA] Current depth of workqueue',
    labels: ['name'],
  },
  workqueue_longest_running_processor_seconds: {
    type: 'gauge',
    help: '[BETA] How many seconds has the longest running processor for workqueue been running.',
    labels: ['name'],
  },
  workqueue_queue_duration_seconds: {
    type: 'histogram',
    help: '[BETA] How long in seconds an item stays in workqueue before being requested.',
    labels: ['name'],
    buckets: [1e-8, 1e-7, 0.000001, 0.000009999999999999999, 0.00009999999999999999, 0.001, 0.01, 0.1, 1, 10],
  },
  workqueue_retries_total: {
    type: 'counter',
    help: '[BETA] Total number of retries handled by workqueue',
    labels: ['name'],
  },
  workqueue_unfinished_work_seconds: {
    type: 'gauge',
    help: "[BETA] How many seconds of work has done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
    labels: ['name'],
  },
  workqueue_work_duration_seconds: {
    type: 'histogram',
    help: '[BETA] How long in seconds processing an item from workqueue takes.',
    labels: ['name'],
    buckets: [1e-8, 1e-7, 0.000001, 0.000009999999999999999, 0.00009999999999999999, 0.001, 0.01, 0.1, 1, 10],
  },
} as const satisfies MetricDefinitions
