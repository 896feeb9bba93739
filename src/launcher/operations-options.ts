/** The options of `edgeplane start` about what operators look at: metrics and health. */
import { readMetricsOptions } from '../config/metrics-options.ts'
import { readGracePeriod } from '../config/grace-period.ts'
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
]

/** Checks values: with an invalid one the Worker would refuse requests. @throws Error */
export const operationsParsers: Readonly<Record<string, (value: string) => unknown>> = {
  'show-hidden-metrics-for-version': (value) => readMetricsOptions({ SHOW_HIDDEN_METRICS_FOR_VERSION: value }),
  'livez-grace-period': readGracePeriod,
}
