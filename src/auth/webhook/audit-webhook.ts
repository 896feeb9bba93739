/** The settings of the audit webhook. Follows AuditWebhookOptions of k8s.io/apiserver/pkg/server/options. */
import { type SettingValues, settingTable } from '../../config/settings.ts'
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

type AuditWebhookKey = Extract<keyof SettingValues, `auditWebhook${string}`>

/** The settings of the webhook. */
type AuditWebhookValues = Pick<SettingValues, AuditWebhookKey>

function milliseconds(values: AuditWebhookValues, key: AuditWebhookKey): number {
  const text = values[key]
  try {
    return Number(parseDuration(text)) / 1e6
  } catch (error) {
    const { flag } = settingTable[key]
    throw new Error(
      `invalid argument ${JSON.stringify(text)} for "--${flag}" flag: ${error instanceof Error ? error.message : ''}`,
    )
  }
}

/** Reads a number. @param name its name in kube-apiserver's message if it is not positive */
function positive(values: AuditWebhookValues, key: AuditWebhookKey, name: string): number {
  const text = values[key]
  const value = Number(text)
  if (/^-?\d+(?:\.\d+)?$/.test(text) && value > 0) return value
  throw new Error(`invalid audit ${name} ${text}, must be a positive number`)
}

function modeOf(values: AuditWebhookValues): AuditMode {
  const mode = values.auditWebhookMode
  const known = modes.find((one) => one === mode)
  if (known !== undefined) return known
  throw new Error(`invalid audit webhook mode ${mode}, allowed modes are ${JSON.stringify(modes.join(','))}`)
}

function limitsOf(values: AuditWebhookValues): BatchLimits {
  const isThrottled = values.auditWebhookBatchThrottleEnable !== 'false'
  return {
    buffer: positive(values, 'auditWebhookBatchBufferSize', 'batch webhook buffer size'),
    events: positive(values, 'auditWebhookBatchMaxSize', 'batch webhook max batch size'),
    wait: milliseconds(values, 'auditWebhookBatchMaxWait'),
    throttle: isThrottled
      ? {
          perSecond: positive(values, 'auditWebhookBatchThrottleQps', 'batch webhook throttle QPS'),
          burst: positive(values, 'auditWebhookBatchThrottleBurst', 'batch webhook throttle burst'),
        }
      : undefined,
  }
}

function truncationOf(values: AuditWebhookValues): Truncation | undefined {
  if (values.auditWebhookTruncateEnabled !== 'true') return undefined
  const event = positive(values, 'auditWebhookTruncateMaxEventSize', 'truncate webhook max event size')
  const batch = Number(values.auditWebhookTruncateMaxBatchSize)
  if (batch >= event) return { event, batch }
  throw new Error(`invalid audit truncate webhook max batch size ${batch}, must be greater than max event size (${event})`)
}

/**
 * Reads the settings.
 * @returns undefined if there is no audit webhook
 * @throws Error in kube-apiserver's words if one is wrong
 */
export function readAuditWebhook(values: AuditWebhookValues): AuditWebhookConfiguration | undefined {
  if (values.auditWebhook === '') return undefined
  return {
    endpoint: readEndpoint(values.auditWebhook, 'AUDIT_WEBHOOK'),
    mode: modeOf(values),
    batch: limitsOf(values),
    truncation: truncationOf(values),
    initialBackoff: milliseconds(values, 'auditWebhookInitialBackoff'),
  }
}
