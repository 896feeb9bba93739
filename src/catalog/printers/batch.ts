/** Table columns of batch. */
import type { JsonObject } from '../../go/json-value.ts'
import { humanDuration } from '../../meta/human-duration.ts'
import { printersOf } from './column.ts'
import { age, time } from './format.ts'
import type { Printers } from './printer.ts'
import { child, children, condition, flag, has, number, text } from './read.ts'
import { containerCells, podSpecOf, selectorOf, specOf } from './workload-columns.ts'

const isTrue =
  (type: string) =>
  (job: JsonObject): boolean =>
    text(condition(job, type) ?? {}, 'status') === 'True'

/** The statuses of a Job; the first one that holds is printed. */
const JOB_STATES: readonly { readonly status: string; readonly holds: (job: JsonObject) => boolean }[] = [
  { status: 'Complete', holds: isTrue('Complete') },
  { status: 'Failed', holds: isTrue('Failed') },
  { status: 'Terminating', holds: (job) => has(child(job, 'metadata'), 'deletionTimestamp') },
  { status: 'Suspended', holds: isTrue('Suspended') },
  { status: 'FailureTarget', holds: isTrue('FailureTarget') },
  { status: 'SuccessCriteriaMet', holds: isTrue('SuccessCriteriaMet') },
]

const jobStatus = (job: JsonObject): string => JOB_STATES.find(({ holds }) => holds(job))?.status ?? 'Running'

function jobCompletions(job: JsonObject): string {
  const spec = child(job, 'spec')
  const succeeded = number(child(job, 'status'), 'succeeded')
  if (has(spec, 'completions')) return `${succeeded}/${number(spec, 'completions')}`
  const parallelism = number(spec, 'parallelism')
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function jobDuration(job: JsonObject, now: number): string {
  const status = child(job, 'status')
  const start = time(status, 'startTime')
  return start === undefined ? '' : humanDuration((time(status, 'completionTime') ?? now) - start)
}

const jobSpecOf = (cronJob: JsonObject): JsonObject => child(cronJob, 'spec', 'jobTemplate', 'spec')

function suspended(cronJob: JsonObject): string {
  const spec = child(cronJob, 'spec')
  if (!has(spec, 'suspend')) return '<unset>'
  return flag(spec, 'suspend') ? 'True' : 'False'
}

export const batchPrinters: Printers = printersOf({
  'cronjobs.batch': {
    Schedule: (object) => text(child(object, 'spec'), 'schedule'),
    Timezone: (object) => (has(child(object, 'spec'), 'timeZone') ? text(child(object, 'spec'), 'timeZone') : '<none>'),
    Suspend: suspended,
    Active: (object) => children(child(object, 'status'), 'active').length,
    'Last Schedule': (object, now) => {
      const status = child(object, 'status')
      return has(status, 'lastScheduleTime') ? age(status, 'lastScheduleTime', now) : '<none>'
    },
    ...containerCells((object) => child(jobSpecOf(object), 'template', 'spec')),
    Selector: selectorOf(jobSpecOf),
  },
  'jobs.batch': {
    Status: jobStatus,
    Completions: jobCompletions,
    Duration: jobDuration,
    ...containerCells(podSpecOf),
    Selector: selectorOf(specOf),
  },
})
