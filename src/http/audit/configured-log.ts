/** The audit log as the settings of a deployment describe it. */
import type { Environment } from '../../config/environment.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import type { Settings } from '../settings.ts'
import { AuditLog } from './log.ts'
import { bucketSink, consoleSink, queueSink } from './sinks.ts'
import { webhookSink } from './webhook-sink.ts'

/** Returns the audit log with all configured sinks, or with the console; undefined without an audit policy. */
export function configuredLog(
  { auditPolicy, auditWebhook, auditLog }: Pick<Settings, 'auditPolicy' | 'auditWebhook' | 'auditLog'>,
  { AUDIT_BUCKET, AUDIT_QUEUE }: Environment,
  metrics: ServerMetrics,
): AuditLog | undefined {
  if (auditPolicy === undefined) return undefined
  const lostByWebhook = (events: number): void => metrics.lost('webhook', events)
  const sinks = [
    ...(AUDIT_BUCKET === undefined ? [] : [bucketSink(AUDIT_BUCKET, (events) => metrics.lost('bucket', events))]),
    ...(AUDIT_QUEUE === undefined ? [] : [queueSink(AUDIT_QUEUE, (events) => metrics.lost('queue', events))]),
    ...(auditWebhook === undefined ? [] : [webhookSink(auditWebhook.client, auditWebhook.configuration, lostByWebhook)]),
    ...(auditWebhook !== undefined && auditLog === 'console' ? [consoleSink] : []),
  ]
  return new AuditLog(auditPolicy, sinks.length === 0 ? [consoleSink] : sinks, metrics)
}
