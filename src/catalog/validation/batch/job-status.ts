/**
 * Checks of the status of Jobs. Follows ValidateJobUpdateStatus of k8s.io/kubernetes/pkg/apis/batch/validation and KEP-4368: an
 * update may keep an invalid status, but must not introduce one.
 */
import { asJson, type FieldError, invalidValue } from '../../../meta/field-error.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { Job, JobSpec, JobStatus } from '../../generated/types/batch.v1.ts'
import { type Errors, isSame, itemsOf, validator } from '../checks.ts'
import { commonIndex, indexesError } from './job-indexes.ts'

/** The state of a Job according to its conditions. */
interface State {
  readonly complete: boolean
  readonly jobFailed: boolean
  readonly failureTarget: boolean
  readonly successCriteriaMet: boolean
  readonly finished: boolean
}

/** A status update: the old and the new status with their states. */
interface Change {
  readonly spec: JobSpec
  readonly status: JobStatus
  readonly old: JobStatus
  readonly state: State
  readonly oldState: State
  /** Whether one of these fields or states has changed. */
  readonly changed: (...names: readonly (keyof JobStatus | keyof State)[]) => boolean
}

const isTrue = ({ conditions = [] }: JobStatus, type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === 'True')

function stateOf(status: JobStatus): State {
  const [complete, jobFailed] = [isTrue(status, 'Complete'), isTrue(status, 'Failed')]
  return {
    complete,
    jobFailed,
    failureTarget: isTrue(status, 'FailureTarget'),
    successCriteriaMet: isTrue(status, 'SuccessCriteriaMet'),
    finished: complete || jobFailed,
  }
}

/** Creates an "Invalid value" error without the value. */
const contradiction = (text: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field: 'status.conditions',
  text: `Invalid value: ${text}`,
})

function checkUncounted({ uncountedTerminatedPods: { succeeded = [], failed = [] } = {} }: JobStatus, errors: Errors): void {
  const seen = new Set<string>()
  for (const [name, uids] of Object.entries({ succeeded, failed })) {
    for (const [at, uid] of itemsOf(uids, `status.uncountedTerminatedPods.${name}`)) {
      if (uid === '') errors.invalid(at, uid, 'must not be empty')
      else if (seen.has(uid)) errors.duplicate(at, asJson(uid))
      seen.add(uid)
    }
  }
}

/** Whether both times are set, and the first is earlier. Null is the zero time, earlier than all others. */
const isBefore = (time: string | null | undefined, other: string | null | undefined): boolean =>
  time !== undefined && other !== undefined && (time ?? '') < (other ?? '')

function checkCompletion({ status, state, changed }: Change, errors: Errors): void {
  const { completionTime, startTime } = status
  const field = 'status.completionTime'
  if (changed('complete', 'jobFailed') && state.complete && state.jobFailed) {
    errors.push(contradiction('cannot set Complete=True and Failed=true conditions'))
  }
  if (changed('complete', 'failureTarget') && state.complete && state.failureTarget) {
    errors.push(contradiction('cannot set Complete=True and FailureTarget=true conditions'))
  }
  if (changed('complete', 'completionTime')) {
    if (completionTime !== undefined && !state.complete) {
      errors.invalid(field, completionTime, 'cannot set completionTime when there is no Complete=True condition')
    }
    if (completionTime === undefined && state.complete) errors.required(field, 'completionTime is required for Complete jobs')
  }
  if (changed('startTime', 'completionTime') && isBefore(completionTime, startTime)) {
    errors.invalid(field, completionTime, 'must be equal to or after `startTime`')
  }
}

function checkFinished({ spec, status, state, changed }: Change, errors: Errors): void {
  const { active = 0, startTime, uncountedTerminatedPods } = status
  if (changed('jobFailed', 'failedIndexes') && state.jobFailed && !state.failureTarget) {
    errors.push(contradiction('cannot set Failed=True condition without the FailureTarget=true condition'))
  }
  if (changed('complete', 'successCriteriaMet') && state.complete && !state.successCriteriaMet) {
    errors.push(contradiction('cannot set Complete=True condition without the SuccessCriteriaMet=true condition'))
  }
  if (!state.finished) return
  if (changed('finished', 'active') && active > 0) errors.invalid('status.active', active, 'active>0 is invalid for finished job')
  const neverStarts = spec.suspend === true && spec.completions === 0
  if (changed('finished', 'startTime') && startTime === undefined && !neverStarts) {
    errors.required('status.startTime', 'startTime is required for finished job')
  }
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {}
  if (changed('finished', 'uncountedTerminatedPods') && succeeded.length + failed.length > 0) {
    const reported = { Succeeded: succeeded.length > 0 ? succeeded : null, Failed: failed.length > 0 ? failed : null }
    errors.invalid('status.uncountedTerminatedPods', reported, 'must be empty for finished job')
  }
}

function checkIndexes({ spec, status, changed }: Change, errors: Errors): void {
  const { completedIndexes = '', failedIndexes } = status
  const { completions } = spec
  const completed = (text: string): FieldError => invalidValue('status.completedIndexes', completedIndexes, text)
  const failed = (text: string): FieldError => invalidValue('status.failedIndexes', failedIndexes, text)
  const isPerIndex = spec.backoffLimitPerIndex !== undefined
  if (changed('completedIndexes') && completions !== undefined) {
    const wrong = indexesError(completedIndexes, completions)
    if (wrong !== undefined) errors.push(completed(`error parsing completedIndexes: ${wrong}`))
  }
  if (changed('failedIndexes') && completions !== undefined && isPerIndex && failedIndexes !== undefined) {
    const wrong = indexesError(failedIndexes, completions)
    const text = `error parsing failedIndexes: ${wrong}`
    if (wrong !== undefined) errors.push(invalidValue('status.failedIndexes', asJson(failedIndexes), text))
  }
  if (changed('completedIndexes') && completedIndexes !== '' && spec.completionMode !== 'Indexed') {
    errors.push(completed('cannot set non-empty completedIndexes when non-indexed completion mode'))
  }
  if (changed('failedIndexes') && !isPerIndex && failedIndexes !== undefined) {
    errors.push(failed('cannot set non-null failedIndexes when backoffLimitPerIndex is null'))
  }
  if (!changed('failedIndexes', 'completedIndexes') || completions === undefined || failedIndexes === undefined) return
  const both = commonIndex(completedIndexes, failedIndexes, completions)
  if (both !== undefined) errors.push(failed(`failedIndexes and completedIndexes overlap at index: ${both}`))
}

function checkPods({ spec, status, state, changed }: Change, errors: Errors): void {
  const { terminating = 0, ready, active = 0 } = status
  if (changed('finished', 'terminating') && terminating > 0 && state.finished) {
    errors.invalid('status.terminating', terminating, 'terminating>0 is invalid for finished job')
  }
  if (changed('ready', 'active') && ready !== undefined && ready > active) {
    errors.invalid('status.ready', ready, 'cannot set more ready pods than active')
  }
  if (state.successCriteriaMet && state.jobFailed) {
    errors.push(contradiction('cannot set SuccessCriteriaMet=True and Failed=true conditions'))
  }
  if (state.successCriteriaMet && state.failureTarget) {
    errors.push(contradiction('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'))
  }
  if (spec.successPolicy !== undefined && !state.successCriteriaMet && state.complete) {
    const text = 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True'
    errors.push(contradiction(text))
  }
}

/** Checks that terminal conditions stay true and that counters do not decrease. */
function checkTransition({ spec, status, old, state, oldState }: Change, errors: Errors): void {
  const terminal = [
    ['Failed', 'jobFailed'] as const,
    ['Complete', 'complete'] as const,
    ['FailureTarget', 'failureTarget'] as const,
  ]
  for (const [type, name] of terminal) {
    if (oldState[name] && !state[name]) errors.push(contradiction(`cannot disable the terminal ${type}=True condition`))
  }
  const { failed = 0, succeeded = 0, completionTime, startTime } = status
  if (failed < (old.failed ?? 0)) errors.invalid('status.failed', failed, 'cannot decrease the failed counter')
  // An elastic Indexed Job, whose parallelism and completions change together, may lose succeeded Pods.
  const isElastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism
  if (!isElastic && succeeded < (old.succeeded ?? 0)) {
    errors.invalid('status.succeeded', succeeded, 'cannot decrease the succeeded counter')
  }
  const wasSet = completionTime !== undefined && old.completionTime !== undefined
  if (wasSet && completionTime !== old.completionTime) {
    errors.invalid('status.completionTime', completionTime, 'field is immutable')
  }
  const isSuspended = (old.conditions ?? []).some(({ type, status: value }) => type === 'Suspended' && value === 'True')
  const isResumed = (status.conditions ?? []).some(({ type, status: value }) => type === 'Suspended' && value === 'False')
  if (old.startTime !== undefined && old.startTime !== startTime && spec.suspend !== true && !(isSuspended && isResumed)) {
    errors.invalid('status.startTime', startTime, 'field is immutable for unsuspended job once set')
  }
  if (oldState.successCriteriaMet && !state.successCriteriaMet) {
    errors.push(contradiction('cannot disable the SuccessCriteriaMet=True condition'))
  }
  if (oldState.complete && !oldState.successCriteriaMet && state.successCriteriaMet) {
    errors.push(contradiction('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'))
  }
}

/** Validates an update of a Job's status. */
export const validateJobStatus = validator((errors, object: KubernetesObject, before: KubernetesObject) => {
  const { spec, status = {} } = object as Job
  const { status: old = {} } = before as Job
  const [state, oldState] = [stateOf(status), stateOf(old)]
  const values: Readonly<Record<string, unknown>> = { ...status, ...state }
  const oldValues: Readonly<Record<string, unknown>> = { ...old, ...oldState }
  const changed = (...names: readonly string[]): boolean => names.some((name) => !isSame(values[name], oldValues[name]))
  const change: Change = { spec, status, old, state, oldState, changed }
  for (const count of ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const) {
    errors.checkNonNegative(status[count], `status.${count}`)
  }
  checkUncounted(status, errors)
  checkCompletion(change, errors)
  checkFinished(change, errors)
  checkIndexes(change, errors)
  checkPods(change, errors)
  checkTransition(change, errors)
})
