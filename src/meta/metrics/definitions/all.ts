/** All metrics of kube-apiserver that this server has. docs/metrics.md lists the others. */
import { accessMetrics } from './access.ts'
import { admissionMetrics } from './admission.ts'
import { flowControlMetrics } from './flow-control.ts'
import { requestsMetrics } from './requests.ts'
import { serverMetrics } from './server.ts'
import { storageMetrics } from './storage.ts'
import { workqueueMetrics } from './workqueue.ts'

/** The definitions by name. */
export const metricDefinitions = {
  ...accessMetrics,
  ...admissionMetrics,
  ...flowControlMetrics,
  ...requestsMetrics,
  ...serverMetrics,
  ...storageMetrics,
  ...workqueueMetrics,
}

/** The name of a metric. */
export type MetricName = keyof typeof metricDefinitions

/** The names of histograms. */
export type HistogramName = {
  [Name in MetricName]: (typeof metricDefinitions)[Name]['type'] extends 'histogram' ? Name : never
}[MetricName]

/** The names of counters and gauges. */
export type NumberName = Exclude<MetricName, HistogramName>
