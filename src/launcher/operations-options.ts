/** The options of `edgeplane start` about what operators look at: metrics and health. */

import { readGracePeriod } from '../config/grace-period.ts'
import { readMetricsOptions } from '../config/metrics-options.ts'
import type { Option } from './command-line.ts'

/** The options, in the order of the help. */
export const operationsOptions: readonly Option[] = [
  {
    name: 'show-hidden-metrics-for-version',
    value: 'RELEASE',
    help: ['the previous release, 1.35: metrics that are hidden since then are shown'],
  },
  { name: 'disabled-metrics', value: 'LIST', many: true, help: ['metrics that are not served'] },
  {
    name: 'livez-grace-period',
    value: 'DURATION',
    help: ['how long after a start /livez succeeds in any case (default 0s)'],
  },
  {
    name: 'audit-webhook-config-file',
    value: 'FILE',
    help: ['the webhook that gets audit events: a kubeconfig'],
  },
  {
    name: 'audit-webhook-mode',
    value: 'MODE',
    choices: ['batch', 'blocking', 'blocking-strict'],
    help: ['whether requests wait for it: batch (default), blocking, or blocking-strict'],
  },
  { name: 'audit-webhook-initial-backoff', value: 'DURATION', help: ['the pause before it is tried again (default 10s)'] },
  {
    name: 'audit-webhook-batch-initial-backoff',
    value: 'DURATION',
    help: [],
    deprecated: 'Deprecated, use --audit-webhook-initial-backoff instead.',
  },
  { name: 'audit-webhook-batch-buffer-size', value: 'N', help: ['events that wait; further ones are lost (default 10000)'] },
  { name: 'audit-webhook-batch-max-size', value: 'N', help: ['events of one batch (default 400)'] },
  { name: 'audit-webhook-batch-max-wait', value: 'DURATION', help: ['how long events wait for others (default 1s)'] },
  { name: 'audit-webhook-batch-throttle-enable', value: 'BOOLEAN', help: ['whether batches are limited (default true)'] },
  { name: 'audit-webhook-batch-throttle-qps', value: 'N', help: ['batches a second (default 10)'] },
  { name: 'audit-webhook-batch-throttle-burst', value: 'N', help: ['batches at once after a pause (default 15)'] },
  { name: 'audit-webhook-truncate-enabled', value: 'BOOLEAN', help: ['long events are sent without objects (default false)'] },
  { name: 'audit-webhook-truncate-max-event-size', value: 'N', help: ['which events are long (default 102400)'] },
  { name: 'audit-webhook-truncate-max-batch-size', value: 'N', help: ['characters of one batch (default 10485760)'] },
]

/** Checks values: with an invalid one the Worker would refuse requests. @throws Error */
export const operationsParsers: Readonly<Record<string, (value: string) => unknown>> = {
  'show-hidden-metrics-for-version': (value) => readMetricsOptions({ SHOW_HIDDEN_METRICS_FOR_VERSION: value }),
  'livez-grace-period': readGracePeriod,
}
