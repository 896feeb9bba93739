/** The metrics of stores and watches. Durable Objects count them. The facts are kube-apiserver's. */
import type { MetricDefinitions } from '../definition.ts'

/** The metrics of stores and watches. Durable Objects count them. */
export const storageMetrics = {
  etcd_request_duration_seconds: {
    type: 'histogram',
    help: '[ALPHA] Etcd request latency in seconds for each operation and object type.',
    labels: ['operation', 'group', 'resource'],
    buckets: [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
  },
  etcd_requests_total: {
    type: 'counter',
    help: '[ALPHA] Etcd request counts for each operation and object type.',
    labels: ['operation', 'group', 'resource'],
  },
  etcd_request_errors_total: {
    type: 'counter',
    help: '[ALPHA] Etcd failed request counts for each operation and object type.',
    labels: ['operation', 'group', 'resource'],
  },
  apiserver_storage_objects: {
    type: 'gauge',
    help: '[STABLE] (Deprecated since 1.34.0) [DEPRECATED, consider using apiserver_resource_objects instead] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.',
    labels: ['resource'],
  },
  apiserver_resource_objects: {
    type: 'gauge',
    help: '[ALPHA] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.',
    labels: ['group', 'resource'],
  },
  apiserver_resource_size_estimate_bytes: {
    type: 'gauge',
    help: '[ALPHA] Estimated size of stored objects in database. Estimate is based on sum of last observed sizes of serialized objects. In case of a fetching error, the value will be -1.',
    labels: ['group', 'resource'],
  },
  apiserver_storage_size_bytes: {
    type: 'gauge',
    help: '[STABLE] Size of the storage database file physically allocated in bytes.',
    labels: ['storage_cluster_id'],
  },
  apiserver_storage_list_total: {
    type: 'counter',
    help: '[ALPHA] Number of LIST requests served from storage',
    labels: ['group', 'resource'],
  },
  apiserver_storage_list_fetched_objects_total: {
    type: 'counter',
    help: '[ALPHA] Number of objects read from storage in the course of serving a LIST request',
    labels: ['group', 'resource'],
  },
  apiserver_storage_list_evaluated_objects_total: {
    type: 'counter',
    help: '[ALPHA] Number of objects tested in the course of serving a LIST request from storage',
    labels: ['group', 'resource'],
  },
  apiserver_storage_list_returned_objects_total: {
    type: 'counter',
    help: '[ALPHA] Number of objects returned for a LIST request from storage',
    labels: ['group', 'resource'],
  },
  apiserver_storage_events_received_total: {
    type: 'counter',
    help: '[BETA] Number of etcd events received split by kind.',
    labels: ['group', 'resource'],
  },
  apiserver_watch_events_total: {
    type: 'counter',
    help: '[ALPHA] Number of events sent in watch clients',
    labels: ['group', 'version', 'resource'],
  },
  apiserver_watch_events_sizes: {
    type: 'histogram',
    help: '[ALPHA] Watch event size distribution in bytes',
    labels: ['group', 'version', 'resource'],
    buckets: [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072],
  },
  apiserver_watch_cache_events_dispatched_total: {
    type: 'counter',
    help: '[ALPHA] Counter of events dispatched in watch cache broken by resource type.',
    labels: ['group', 'resource'],
  },
  apiserver_watch_cache_events_received_total: {
    type: 'counter',
    help: '[ALPHA] Counter of events received in watch cache broken by resource type.',
    labels: ['group', 'resource'],
  },
  apiserver_watch_cache_resource_version: {
    type: 'gauge',
    help: '[ALPHA] Current resource version of watch cache broken by resource type. This is truncated to the 15 least significant digits.',
    labels: ['group', 'resource'],
  },
  apiserver_terminated_watchers_total: {
    type: 'counter',
    help: '[ALPHA] Counter of watchers closed due to unresponsiveness broken by resource type.',
    labels: ['group', 'resource'],
  },
} as const satisfies MetricDefinitions
