import { asJson } from '../../../meta/field-error.ts'
import { ConcurrencyPolicy, type CronJob } from '../../generated/types/batch.v1.ts'
import { type Errors, validator } from '../checks.ts'
import { checkJobSpec } from './job.ts'
import { scheduleError } from './schedule.ts'
import { timeZoneProblem } from './time-zones.ts'

const longestName = 52

function checkSchedule({ spec }: CronJob, old: CronJob | undefined, errors: Errors): void {
  const { schedule, timeZone } = spec
  const field = 'spec.schedule'
  if (schedule === '') {
    errors.required(field)
    return
  }
  const problem = scheduleError(schedule)
  if (problem !== undefined) errors.invalid(field, schedule, problem)
  if (!schedule.includes('TZ')) return
  const mayHaveZone = old?.spec.schedule.includes('TZ') ?? false
  if (!mayHaveZone) {
    errors.invalid(field, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')
  } else if (timeZone !== undefined) {
    errors.invalid(field, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule')
  }
}

function checkZone(zone: string, errors: Errors): void {
  const field = 'spec.timeZone'
  if (zone === '') {
    errors.invalid(field, zone, 'timeZone must be nil or non-empty string')
    return
  }
  if (zone.toLowerCase() === 'local') {
    errors.invalid(field, zone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones')
  }
  // Go has a location of this name.
  const problem = zone === 'Local' ? undefined : timeZoneProblem(zone)
  if (problem !== undefined) errors.invalid(field, asJson(zone), problem)
}

function checkSpec(cronJob: CronJob, old: CronJob | undefined, errors: Errors): void {
  const { spec } = cronJob
  checkSchedule(cronJob, old, errors)
  errors.checkNonNegative(spec.startingDeadlineSeconds, 'spec.startingDeadlineSeconds')
  if (spec.timeZone !== undefined && spec.timeZone !== old?.spec.timeZone) checkZone(spec.timeZone, errors)
  errors.checkRequiredSupported(spec.concurrencyPolicy, ConcurrencyPolicy, 'spec.concurrencyPolicy')
  const job = spec.jobTemplate.spec
  const field = 'spec.jobTemplate.spec'
  checkJobSpec(job, field, errors)
  if (job.selector !== undefined) errors.invalid(`${field}.selector`, job.selector, '`selector` will be auto-generated')
  if (job.manualSelector === true) errors.notSupported(`${field}.manualSelector`, true, ['nil', 'false'])
  errors.checkNonNegative(spec.successfulJobsHistoryLimit, 'spec.successfulJobsHistoryLimit')
  errors.checkNonNegative(spec.failedJobsHistoryLimit, 'spec.failedJobsHistoryLimit')
}

/** Validates a CronJob, except its metadata other than the length of its name. */
export const validateCronJob = validator((errors, cronJob: CronJob) => {
  checkSpec(cronJob, undefined, errors)
  const { name = '' } = cronJob.metadata
  if (name.length > longestName) errors.invalid('metadata.name', name, `must be no more than ${longestName} characters`)
})

/** Validates an update of a CronJob. */
export const validateCronJobUpdate = validator((errors, cronJob: CronJob, old: CronJob) => {
  checkSpec(cronJob, old, errors)
})
