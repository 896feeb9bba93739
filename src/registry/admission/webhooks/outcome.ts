/** The effects of a webhook's response or failure on a request. Follows the dispatchers and the package webhook/errors. */
import type { AdmissionWebhookResponse } from '../../../clusters/lookups.ts'
import { isObject } from '../../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../../go/json-value.ts'
import { goQuote } from '../../../go/text.ts'
import { ApiError, internalError, type StatusDetails } from '../../../meta/errors.ts'
import type { StatusCause } from '../../../meta/field-error.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import type { AdmissionFindings } from '../plugin.ts'
import { phaseLabel, type WebhookPhase } from './call.ts'

const textAt = (object: JsonObject, key: string): string => {
  const value = object[key]
  return typeof value === 'string' ? value : ''
}

const numberAt = (object: JsonObject, key: string): number => {
  const value = object[key]
  return typeof value === 'number' ? value : 0
}

function causeOf(cause: JsonValue): StatusCause {
  const fields = isObject(cause) ? cause : {}
  const [reason, message, field] = [textAt(fields, 'reason'), textAt(fields, 'message'), textAt(fields, 'field')]
  return { ...(reason !== '' && { reason }), ...(message !== '' && { message }), ...(field !== '' && { field }) } as StatusCause
}

function detailsOf(details: JsonObject): StatusDetails {
  const texts = Object.fromEntries(
    (['name', 'group', 'kind', 'uid'] as const)
      .map((key) => [key, textAt(details, key)] as const)
      .filter(([, text]) => text !== ''),
  )
  const causes = Array.isArray(details.causes) ? details.causes : []
  const retryAfterSeconds = numberAt(details, 'retryAfterSeconds')
  return {
    ...texts,
    ...(causes.length > 0 && { causes: causes.map(causeOf) }),
    ...(retryAfterSeconds !== 0 && { retryAfterSeconds }),
  }
}

/** The highest code that a response can have. */
const highestCode = 599

/** Returns the error of a rejected request: the webhook's Status, whose message names the webhook. Follows ToStatusErr. */
export function rejectionOf(name: string, status: JsonObject = {}): ApiError {
  const denied = `admission webhook ${goQuote(name)} denied the request`
  const [message, reason] = [textAt(status, 'message'), textAt(status, 'reason')]
  const code = numberAt(status, 'code')
  const explained = message || reason
  const text = explained === '' ? `${denied} without explanation` : `${denied}: ${explained}`
  const details = isObject(status.details) ? detailsOf(status.details) : undefined
  return new ApiError(code < 400 || code > highestCode ? 400 : code, reason, text, details)
}

/** Returns the text of a failed call. */
export const failedCallText = (name: string, reason: string): string => `failed calling webhook ${goQuote(name)}: ${reason}`

/** Returns the error of a request whose webhook could not be called. */
export const failedCall = (name: string, reason: string): ApiError => internalError(failedCallText(name, reason))

/** Takes the warnings and audit annotations of a response. Keys that are no names of annotations are dropped. */
export function takeFindings(
  name: string,
  { warnings, auditAnnotations }: AdmissionWebhookResponse,
  findings: AdmissionFindings,
): void {
  for (const [key, value] of Object.entries(auditAnnotations)) {
    const whole = `${name}/${key}`
    if (whole.split('/').length === 2 && isQualifiedName(whole).length === 0) findings.annotate(whole, value)
  }
  for (const warning of warnings) findings.warn(warning)
}

/** How a call has ended, for metrics. */
export interface CallEnd {
  readonly name: string
  readonly phase: WebhookPhase
  readonly operation: string
  /** Whether the request is rejected, and why. */
  readonly rejectedBy: 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error' | undefined
  readonly code: number
  readonly seconds: number
}

const mostCode = 600

/** Counts a call. */
export function measureCall(findings: AdmissionFindings, { name, phase, operation, rejectedBy, code, seconds }: CallEnd): void {
  const type = phaseLabel[phase]
  const [shownCode, rejected] = [String(Math.min(code, mostCode)), String(rejectedBy !== undefined)]
  if (rejectedBy !== undefined) {
    findings.measure('apiserver_admission_webhook_rejection_count', [name, type, operation, rejectedBy, shownCode])
  }
  findings.measure('apiserver_admission_webhook_admission_duration_seconds', [name, type, operation, rejected], seconds)
  findings.measure('apiserver_admission_webhook_request_total', [name, type, operation, shownCode, rejected])
}
