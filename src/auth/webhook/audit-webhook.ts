/** The settings of the audit webhook. Follows AuditWebhookOptions of k8s.io/apiserver/pkg/server/options. */
import { type AuditWebhookName, type AuditWebhookTexts, flags } from '../../config/flags.ts'
import { parseDuration } from '../../go/duration.ts'
import type { Rate } from '../../meta/token-buckets.ts'
import { readEndpoint, type WebhookEndpoint } from './endpoint.ts'

/** Whether requests wait until their events are stored, and fail if the first one is not. */
export type AuditMode = 'batch' | 'blocking' | 'blocking-strict'

const modes: readonly AuditMode[] = ['batch', 'blocking', 'blocking-strict']

/** The limits of batches. */
export interface BatchLimits {
  /** The maximum number of events that wait to be sent; further ones are lost. */
  readonly buffer: number
  readonly events: number
  /** The milliseconds that events wait for others. */
  readonly wait: number
  /** The number of batches per second; undefined for no limit. */
  readonly throttle: Rate | undefined
}

/** The limits of events and batches in characters. */
export interface Truncation {
  readonly event: number
  readonly batch: number
}

/** An audit webhook. */
export interface AuditWebhookConfiguration {
  readonly endpoint: WebhookEndpoint
  readonly mode: AuditMode
  readonly batch: BatchLimits
  /** Undefined if long events are sent as they are. */
  readonly truncation: Truncation | undefined
  /** The pause before the second attempt in milliseconds. */
  readonly initialBackoff: number
}

type Read = (flag: AuditWebhookName) => string

function milliseconds(read: Read, flag: AuditWebhookName): number {
  try {
    return Number(parseDuration(read(flag))) / 1e6
  } catch (error) {
    throw new Error(
      `invalid argument ${JSON.stringify(read(flag))} for "--${flag}" flag: ${error instanceof Error ? error.message : ''}`,
    )
  }
}

/** Reads a number. @param name its name in kube-apiserver's message if it is not positive */
function positive(read: Read, flag: AuditWebhookName, name: string): number {
  const text = read(flag)
  const value = Number(text)
  if (/^-?\d+(?:\.\d+)?$/.test(text) && value > 0) return value
  throw new Error(`invalid audit ${name} ${text}, must be a positive number`)
}

function modeOf(read: Read): AuditMode {
  const mode = read('audit-webhook-mode')
  const known = modes.find((one) => one === mode)
  if (known !== undefined) return known
  throw new Error(`invalid audit webhook mode ${mode}, allowed modes are ${JSON.stringify(modes.join(','))}`)
}

function limitsOf(read: Read): BatchLimits {
  const isThrottled = read('audit-webhook-batch-throttle-enable') !== 'false'
  return {
    buffer: positive(read, 'audit-webhook-batch-buffer-size', 'batch webhook buffer size'),
    events: positive(read, 'audit-webhook-batch-max-size', 'batch webhook max batch size'),
    wait: milliseconds(read, 'audit-webhook-batch-max-wait'),
    throttle: isThrottled
      ? {
          perSecond: positive(read, 'audit-webhook-batch-throttle-qps', 'batch webhook throttle QPS'),
          burst: positive(read, 'audit-webhook-batch-throttle-burst', 'batch webhook throttle burst'),
        }
      : undefined,
  }
}

function truncationOf(read: Read): Truncation | undefined {
  if (read('audit-webhook-truncate-enabled') !== 'true') return undefined
  const event = positive(read, 'audit-webhook-truncate-max-event-size', 'truncate webhook max event size')
  const batch = Number(read('audit-webhook-truncate-max-batch-size'))
  if (batch >= event) return { event, batch }
  throw new Error(`invalid audit truncate webhook max batch size ${batch}, must be greater than max event size (${event})`)
}

/**
 * Reads the settings.
 * @returns undefined if there is no audit webhook
 * @throws Error in kube-apiserver's words if one is wrong
 */
export function readAuditWebhook(texts: AuditWebhookTexts): AuditWebhookConfiguration | undefined {
  const { AUDIT_WEBHOOK = '' } = texts
  if (AUDIT_WEBHOOK === '') return undefined
  const read: Read = (flag) => texts[flags[flag].setting] || flags[flag].default
  return {
    endpoint: readEndpoint(AUDIT_WEBHOOK, 'AUDIT_WEBHOOK'),
    mode: modeOf(read),
    batch: limitsOf(read),
    truncation: truncationOf(read),
    initialBackoff: milliseconds(read, 'audit-webhook-initial-backoff'),
  }
}
