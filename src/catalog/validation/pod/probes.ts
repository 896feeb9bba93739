import { isHttpHeaderName } from '../../../meta/identifiers.ts'
import * as corev1 from '../../generated/types/core.v1.ts'
import type { Errors } from '../checks.ts'

type Handler = corev1.LifecycleHandler & corev1.ProbeHandler
const handlers: readonly (keyof Handler)[] = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep']

function checkHttpGet(action: NonNullable<Handler['httpGet']>, field: string, errors: Errors): void {
  if ((action.path ?? '') === '') errors.required(`${field}.path`)
  errors.checkPort(action.port, `${field}.port`)
  errors.checkSupported(action.scheme ?? '', corev1.URIScheme, `${field}.scheme`)
  for (const { name } of action.httpHeaders ?? []) errors.checkMessages(isHttpHeaderName(name), name, `${field}.httpHeaders`)
}

function checkSleep(seconds: number, gracePeriod: number | undefined, field: string, errors: Errors): void {
  if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return
  errors.invalid(field, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`)
}

function checkAction(
  handler: Handler,
  name: keyof Handler,
  gracePeriod: number | undefined,
  field: string,
  errors: Errors,
): void {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler
  if (name === 'exec' && (exec?.command ?? []).length === 0) errors.required(`${field}.command`)
  if (name === 'httpGet' && httpGet !== undefined) checkHttpGet(httpGet, field, errors)
  if (name === 'tcpSocket' && tcpSocket !== undefined) errors.checkPort(tcpSocket.port, `${field}.port`)
  if (name === 'grpc' && grpc !== undefined) errors.checkPort(grpc.port, `${field}.port`)
  if (name === 'sleep' && sleep !== undefined) checkSleep(sleep.seconds, gracePeriod, field, errors)
}

/** Checks that a handler has exactly one action. */
function checkHandler(handler: Handler, gracePeriod: number | undefined, field: string, errors: Errors): void {
  let found = 0
  for (const name of handlers) {
    if (handler[name] === undefined) continue
    if (found > 0) errors.forbidden(`${field}.${name}`, 'may not specify more than 1 handler type')
    else checkAction(handler, name, gracePeriod, `${field}.${name}`, errors)
    found++
  }
  if (found === 0) errors.required(field, 'must specify a handler type')
}

function checkProbe(probe: corev1.Probe, gracePeriod: number | undefined, field: string, errors: Errors): void {
  checkHandler(probe, gracePeriod, field, errors)
  errors.checkNonNegative(probe.initialDelaySeconds, `${field}.initialDelaySeconds`)
  errors.checkNonNegative(probe.timeoutSeconds, `${field}.timeoutSeconds`)
  errors.checkNonNegative(probe.periodSeconds, `${field}.periodSeconds`)
  errors.checkNonNegative(probe.successThreshold, `${field}.successThreshold`)
  errors.checkNonNegative(probe.failureThreshold, `${field}.failureThreshold`)
  const own = probe.terminationGracePeriodSeconds
  if (own !== undefined && own <= 0) errors.invalid(`${field}.terminationGracePeriodSeconds`, own, 'must be greater than 0')
}

function checkSingleSuccess(probe: corev1.Probe, field: string, errors: Errors): void {
  if (probe.successThreshold !== 1) errors.invalid(`${field}.successThreshold`, probe.successThreshold ?? 0, 'must be 1')
}

/** Validates stopSignal, which requires a known OS. */
function checkStopSignal(signal: string | undefined, os: string | undefined, field: string, errors: Errors): void {
  if (signal === undefined) return
  if (os === undefined) errors.forbidden(field, 'may not be set for containers with empty `spec.os.name`')
  else if (os === 'windows') errors.checkSupported(signal, ['SIGKILL', 'SIGTERM'], field)
  else if (os === 'linux') errors.checkSupported(signal, corev1.Signal, field)
}

/** Validates the lifecycle handlers and probes of a regular or sidecar container. */
export function checkLifecycleAndProbes(
  container: corev1.Container,
  { terminationGracePeriodSeconds: gracePeriod, os }: corev1.PodSpec,
  field: string,
  errors: Errors,
): void {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container
  for (const name of ['postStart', 'preStop'] as const) {
    const handler = lifecycle?.[name]
    if (handler !== undefined) checkHandler(handler, gracePeriod, `${field}.lifecycle.${name}`, errors)
  }
  checkStopSignal(lifecycle?.stopSignal, os?.name, `${field}.lifecycle.stopSignal`, errors)
  if (livenessProbe !== undefined) {
    checkProbe(livenessProbe, gracePeriod, `${field}.livenessProbe`, errors)
    checkSingleSuccess(livenessProbe, `${field}.livenessProbe`, errors)
  }
  if (readinessProbe !== undefined) {
    checkProbe(readinessProbe, gracePeriod, `${field}.readinessProbe`, errors)
    const own = readinessProbe.terminationGracePeriodSeconds
    if (own !== undefined) {
      const at = `${field}.readinessProbe.terminationGracePeriodSeconds`
      errors.invalid(at, own, 'must not be set for readinessProbes')
    }
  }
  if (startupProbe !== undefined) {
    checkProbe(startupProbe, gracePeriod, `${field}.startupProbe`, errors)
    checkSingleSuccess(startupProbe, `${field}.startupProbe`, errors)
  }
}

const perpetual = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const

/** Forbids lifecycle handlers and probes on an init container. */
export function forbidLifecycleAndProbes(container: corev1.Container, text: string, field: string, errors: Errors): void {
  for (const name of perpetual) if (container[name] !== undefined) errors.forbidden(`${field}.${name}`, text)
}
