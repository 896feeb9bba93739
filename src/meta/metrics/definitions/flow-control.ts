/** The metrics of priority and fairness. The facts are kube-apiserver's. */
import type { MetricDefinitions } from '../definition.ts'

/** The metrics of priority and fairness. */
export const flowControlMetrics = {
  apiserver_flowcontrol_dispatched_requests_total: {
    type: 'counter',
    help: '[BETA] Number of requests executed by API Priority and Fairness subsystem',
    labels: ['priority_level', 'flow_schema'],
  },
  apiserver_flowcontrol_rejected_requests_total: {
    type: 'counter',
    help: '[BETA] Number of requests rejected by API Priority and Fairness subsystem',
    labels: ['priority_level', 'flow_schema', 'reason'],
  },
  apiserver_flowcontrol_current_executing_requests: {
    type: 'gauge',
    help: '[BETA] Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem',
    labels: ['priority_level', 'flow_schema'],
  },
  apiserver_flowcontrol_current_executing_seats: {
    type: 'gauge',
    help: '[BETA] Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem',
    labels: ['priority_level', 'flow_schema'],
  },
  apiserver_flowcontrol_current_inqueue_requests: {
    type: 'gauge',
    help: '[BETA] Number of requests currently pending in queues of the API Priority and Fairness subsystem',
    labels: ['priority_level', 'flow_schema'],
  },
  apiserver_flowcontrol_current_inqueue_seats: {
    type: 'gauge',
    help: '[ALPHA] Number of seats currently pending in queues of the API Priority and Fairness subsystem',
    labels: ['priority_level', 'flow_schema'],
  },
  apiserver_flowcontrol_request_wait_duration_seconds: {
    type: 'histogram',
    help: '[BETA] Length of time a request spent waiting in its queue',
    labels: ['priority_level', 'flow_schema', 'execute'],
    buckets: [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
  },
  apiserver_flowcontrol_request_execution_seconds: {
    type: 'histogram',
    help: '[ALPHA] Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem',
    labels: ['priority_level', 'flow_schema', 'type'],
    buckets: [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
  },
  apiserver_flowcontrol_work_estimated_seats: {
    type: 'histogram',
    help: '[ALPHA] Number of estimated seats (maximum of initial and final seats) associated with requests in API Priority and Fairness',
    labels: ['priority_level', 'flow_schema'],
    buckets: [1, 2, 4, 8, 16, 32, 64, 100],
  },
  apiserver_flowcontrol_nominal_limit_seats: {
    type: 'gauge',
    help: '[BETA] Nominal number of execution seats configured for each priority level',
    labels: ['priority_level'],
  },
  apiserver_flowcontrol_lower_limit_seats: {
    type: 'gauge',
    help: '[ALPHA] Configured lower bound on number of execution seats available to each priority level',
    labels: ['priority_level'],
  },
  apiserver_flowcontrol_upper_limit_seats: {
    type: 'gauge',
    help: '[ALPHA] Configured upper bound on number of execution seats available to each priority level',
    labels: ['priority_level'],
  },
  apiserver_flowcontrol_current_limit_seats: {
    type: 'gauge',
    help: '[ALPHA] current derived number of execution seats available to each priority level',
    labels: ['priority_level'],
  },
  apiserver_flowcontrol_request_concurrency_in_use: {
    type: 'gauge',
    help: '[ALPHA] (Deprecated since 1.31.0) Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem',
    labels: ['priority_level', 'flow_schema'],
  },
  apiserver_flowcontrol_request_concurrency_limit: {
    type: 'gauge',
    help: '[ALPHA] (Deprecated since 1.30.0) Nominal number of execution seats configured for each priority level',
    labels: ['priority_level'],
  },
} as const satisfies MetricDefinitions
