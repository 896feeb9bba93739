/**
 * The aggregate state of a Pod for the columns Ready, Status and Restarts, computed from its phase, conditions and containers.
 * Init containers come first: while one of them is not complete, the other containers are ignored.
 */
import type { JsonObject } from '../../../go/json-value.ts'
import { time } from '../format.ts'
import { child, children, condition, flag, has, number, text } from '../read.ts'

/** The number of container restarts; `last` is when the last terminated container finished, in milliseconds since the epoch. */
export interface Restarts {
  readonly count: number
  readonly last: number | undefined
}

/** The aggregate state of a Pod. */
export interface PodState {
  readonly ready: number
  readonly total: number
  readonly reason: string
  readonly restarts: Restarts
}

const NO_RESTARTS: Restarts = { count: 0, last: undefined }

function plus(restarts: Restarts, status: JsonObject): Restarts {
  const ended = time(child(status, 'lastState', 'terminated'), 'finishedAt')
  const last = ended !== undefined && (restarts.last === undefined || ended > restarts.last) ? ended : restarts.last
  return { count: restarts.count + number(status, 'restartCount'), last }
}

/** Returns the reason for which a container terminated, as one word. */
function terminationReason(terminated: JsonObject): string {
  const reason = text(terminated, 'reason')
  if (reason !== '') return reason
  const signal = number(terminated, 'signal')
  return signal === 0 ? `ExitCode:${number(terminated, 'exitCode')}` : `Signal:${signal}`
}

const terminatedOf = (status: JsonObject): JsonObject | undefined =>
  has(child(status, 'state'), 'terminated') ? child(status, 'state', 'terminated') : undefined

const waitingReason = (status: JsonObject): string => text(child(status, 'state', 'waiting'), 'reason')

/** The state of the init containers. `reason` is set until they are complete. */
interface Initialization {
  readonly ready: number
  readonly reason: string | undefined
  readonly restarts: Restarts
  /** The restarts of sidecars, the init containers that run beside the other containers. */
  readonly sidecarRestarts: Restarts
}

/** Returns the reason for which an init container is not complete. */
function blockingReason(status: JsonObject, position: string): string {
  const terminated = terminatedOf(status)
  if (terminated !== undefined) return terminationReason(terminated)
  const waiting = waitingReason(status)
  return waiting === '' || waiting === 'PodInitializing' ? position : waiting
}

function initializationOf(pod: JsonObject, sidecars: ReadonlySet<string>): Initialization {
  const total = children(child(pod, 'spec'), 'initContainers').length
  let ready = 0
  let restarts = NO_RESTARTS
  let sidecarRestarts = NO_RESTARTS
  for (const [index, status] of children(child(pod, 'status'), 'initContainerStatuses').entries()) {
    const isSidecar = sidecars.has(text(status, 'name'))
    restarts = plus(restarts, status)
    if (isSidecar) sidecarRestarts = plus(sidecarRestarts, status)
    const terminated = terminatedOf(status)
    if (terminated !== undefined && number(terminated, 'exitCode') === 0) continue
    if (isSidecar && flag(status, 'started')) {
      if (flag(status, 'ready')) ready++
      continue
    }
    return { ready, reason: `Init:${blockingReason(status, `${index}/${total}`)}`, restarts, sidecarRestarts }
  }
  return { ready, reason: undefined, restarts, sidecarRestarts }
}

/** The state of the containers. */
interface Running {
  readonly ready: number
  readonly reason: string
  readonly restarts: Restarts
}

/** Returns the reason if the first container has completed: Running if another one runs and the Pod is ready. */
function completedReason(pod: JsonObject, hasRunning: boolean, failure: string): string {
  const isReady = children(child(pod, 'status'), 'conditions').some(
    (entry) => text(entry, 'type') === 'Ready' && text(entry, 'status') === 'True',
  )
  if (hasRunning && isReady) return 'Running'
  if (failure !== '') return failure
  return hasRunning ? 'NotReady' : 'Completed'
}

/** Computes the state of the containers. The first one that waits or has terminated determines the reason. */
function runningOf(pod: JsonObject, before: Running): Running {
  let { ready, reason, restarts } = before
  let hasRunning = false
  let failure = ''
  for (const status of children(child(pod, 'status'), 'containerStatuses').toReversed()) {
    restarts = plus(restarts, status)
    const waiting = waitingReason(status)
    const terminated = terminatedOf(status)
    if (waiting !== '') reason = waiting
    else if (terminated !== undefined) {
      reason = terminationReason(terminated)
      if (number(terminated, 'exitCode') !== 0) failure = reason
    } else if (flag(status, 'ready') && has(child(status, 'state'), 'running')) {
      hasRunning = true
      ready++
    }
  }
  return { ready, reason: reason === 'Completed' ? completedReason(pod, hasRunning, failure) : reason, restarts }
}

/** Returns the reason without the containers: the phase, or the reason of the status or of the scheduling gate. */
function initialReason(pod: JsonObject): string {
  const status = child(pod, 'status')
  const gated = children(status, 'conditions').some(
    (entry) => text(entry, 'type') === 'PodScheduled' && text(entry, 'reason') === 'SchedulingGated',
  )
  return gated ? 'SchedulingGated' : text(status, 'reason') || text(status, 'phase')
}

/** Returns the reason of a Pod that is being deleted, unless it has ended; Unknown if its node is lost. */
function deletionReason(pod: JsonObject): string | undefined {
  if (!has(child(pod, 'metadata'), 'deletionTimestamp')) return undefined
  const status = child(pod, 'status')
  if (text(status, 'reason') === 'NodeLost') return 'Unknown'
  const phase = text(status, 'phase')
  return phase === 'Succeeded' || phase === 'Failed' ? undefined : 'Terminating'
}

const isInitialized = (pod: JsonObject): boolean => text(condition(pod, 'Initialized') ?? {}, 'status') === 'True'

/** Computes the aggregate state of a Pod. */
export function podStateOf(pod: JsonObject): PodState {
  const spec = child(pod, 'spec')
  const sidecars = new Set(
    children(spec, 'initContainers')
      .filter((container) => text(container, 'restartPolicy') === 'Always')
      .map((container) => text(container, 'name')),
  )
  const initialization = initializationOf(pod, sidecars)
  const before = { ready: initialization.ready, reason: initialization.reason ?? initialReason(pod) }
  const { ready, reason, restarts } =
    initialization.reason === undefined || isInitialized(pod)
      ? runningOf(pod, { ...before, restarts: initialization.sidecarRestarts })
      : { ...before, restarts: initialization.restarts }
  const total = children(spec, 'containers').length + sidecars.size
  return { ready, total, reason: deletionReason(pod) ?? reason, restarts }
}
