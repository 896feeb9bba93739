/** The options of `edgeplane start` about what operators look at: metrics and health. */

import { readGracePeriod } from '../config/grace-period.ts'
import { readMetricsOptions } from '../config/metrics-options.ts'
import { parseDuration } from '../go/duration.ts'
import type { Option } from './command-line.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'

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
    name: 'shutdown-delay-duration',
    value: 'DURATION',
    help: ['how long the server goes on after SIGTERM, while /readyz fails (default 0s)'],
  },
  { name: 'process-metrics', help: ['metrics of the memory and CPU time of workerd, every five seconds (Linux)'] },
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

/**
 * Reads --shutdown-delay-duration.
 * @returns seconds
 * @throws LauncherError in kube-apiserver's words if it is negative, and for a text that is not a duration
 */
export function readShutdownDelay(text: string): number {
  let seconds: number
  try {
    seconds = Number(parseDuration(text)) / 1e9
  } catch (error) {
    throw new LauncherError(`--shutdown-delay-duration: ${reasonOf(error)}.`)
  }
  if (seconds < 0) throw new LauncherError('--shutdown-delay-duration can not be negative value.')
  return seconds
}

/** Checks values: with an invalid one the Worker would refuse requests. @throws Error */
export const operationsParsers: Readonly<Record<string, (value: string) => unknown>> = {
  'show-hidden-metrics-for-version': (value) => readMetricsOptions({ SHOW_HIDDEN_METRICS_FOR_VERSION: value }),
  'livez-grace-period': readGracePeriod,
}
