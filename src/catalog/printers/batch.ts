/** How the kinds of batch are shown. */

import type { JsonObject } from '../../go/json-value.ts'
import { humanDuration } from '../../meta/human-duration.ts'
import { ageColumn, fieldOf, name, printer } from './column.ts'
import { age, time } from './format.ts'
import type { Printers } from './printer.ts'
import { child, children, condition, flag, has, number, text } from './read.ts'
import { containerColumns, selectorColumn } from './workload-columns.ts'

const isTrue =
  (type: string) =>
  (job: JsonObject): boolean =>
    text(condition(job, type) ?? {}, 'status') === 'True'

/** What a Job is doing: the first that holds. */
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

const jobs = printer([
  name,
  { name: 'Status', description: 'Status of the job.', cell: jobStatus },
  { name: 'Completions', description: fieldOf('batch/v1.JobStatus', 'succeeded'), cell: jobCompletions },
  { name: 'Duration', description: 'Time required to complete the job.', cell: jobDuration },
  ageColumn,
  ...containerColumns(),
  selectorColumn(fieldOf('batch/v1.JobSpec', 'selector')),
])

const jobSpecOf = (cronJob: JsonObject): JsonObject => child(cronJob, 'spec', 'jobTemplate', 'spec')

function suspended(cronJob: JsonObject): string {
  const spec = child(cronJob, 'spec')
  if (!has(spec, 'suspend')) return '<unset>'
  return flag(spec, 'suspend') ? 'True' : 'False'
}

const cronJobs = printer([
  name,
  {
    name: 'Schedule',
    description: fieldOf('batch/v1.CronJobSpec', 'schedule'),
    cell: (object) => text(child(object, 'spec'), 'schedule'),
  },
  {
    name: 'Timezone',
    description: fieldOf('batch/v1.CronJobSpec', 'timeZone'),
    cell: (object) => (has(child(object, 'spec'), 'timeZone') ? text(child(object, 'spec'), 'timeZone') : '<none>'),
  },
  { name: 'Suspend', type: 'boolean', description: fieldOf('batch/v1.CronJobSpec', 'suspend'), cell: suspended },
  {
    name: 'Active',
    type: 'integer',
    description: fieldOf('batch/v1.CronJobStatus', 'active'),
    cell: (object) => children(child(object, 'status'), 'active').length,
  },
  {
    name: 'Last Schedule',
    description: fieldOf('batch/v1.CronJobStatus', 'lastScheduleTime'),
    cell: (object, now) => {
      const status = child(object, 'status')
      return has(status, 'lastScheduleTime') ? age(status, 'lastScheduleTime', now) : '<none>'
    },
  },
  ageColumn,
  ...containerColumns((object) => child(jobSpecOf(object), 'template', 'spec')),
  selectorColumn(fieldOf('batch/v1.JobSpec', 'selector'), jobSpecOf),
])

export const batchPrinters: Printers = { 'cronjobs.batch': cronJobs, 'jobs.batch': jobs }
