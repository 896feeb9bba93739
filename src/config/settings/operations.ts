/** Metrics and health: what operators look at. */
import { readGracePeriod } from '../grace-period.ts'
import { readDisabledMetrics, readHiddenMetrics } from '../metrics-options.ts'
import type { SettingTable } from './setting.ts'

export const operationsSettings = {
  hiddenMetrics: {
    variable: 'SHOW_HIDDEN_METRICS_FOR_VERSION',
    flag: 'show-hidden-metrics-for-version',
    value: 'RELEASE',
    help: ['the previous release, 1.35: metrics that are hidden since then are shown'],
    read: readHiddenMetrics,
    at: ['worker'],
  },
  disabledMetrics: {
    variable: 'DISABLED_METRICS',
    flag: 'disabled-metrics',
    value: 'LIST',
    many: true,
    help: ['metrics that are not served'],
    read: readDisabledMetrics,
    at: ['worker'],
  },
  livezGracePeriod: {
    variable: 'LIVEZ_GRACE_PERIOD',
    flag: 'livez-grace-period',
    value: 'DURATION',
    help: ['how long after a start /livez succeeds in any case (default {default})'],
    default: '0s',
    read: readGracePeriod,
    at: ['worker'],
  },
  shutdownDelay: {
    flag: 'shutdown-delay-duration',
    value: 'DURATION',
    help: ['how long the server goes on after SIGTERM, while /readyz fails (default {default})'],
    default: '0s',
    only: 'start',
  },
  processMetrics: {
    flag: 'process-metrics',
    help: ['metrics of the memory and CPU time of workerd, every five seconds (Linux)'],
    only: 'start',
  },
} as const satisfies SettingTable
