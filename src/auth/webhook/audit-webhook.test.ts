import { expect, test } from 'vitest'
import { type SettingTexts, settingValues } from '../../config/settings.ts'
import { type AuditWebhookConfiguration, readAuditWebhook } from './audit-webhook.ts'

const read = (texts: SettingTexts): AuditWebhookConfiguration | undefined => readAuditWebhook(settingValues(texts))

const AUDIT_WEBHOOK = JSON.stringify({
  clusters: [{ name: 'a', cluster: { server: 'https://audit.example.com/' } }],
  contexts: [{ name: 'a', context: { cluster: 'a' } }],
  'current-context': 'a',
})

test('the defaults are those of kube-apiserver, but for the wait of a batch', () => {
  expect(read({ AUDIT_WEBHOOK })).toMatchObject({
    mode: 'batch',
    batch: { buffer: 10_000, events: 400, wait: 1_000, throttle: { perSecond: 10, burst: 15 } },
    truncation: undefined,
    initialBackoff: 10_000,
  })
  expect(read({})).toBeUndefined()
})

test.each<[SettingTexts, string]>([
  [{ AUDIT_WEBHOOK_BATCH_MAX_SIZE: '0' }, 'invalid audit batch webhook max batch size 0, must be a positive number'],
  [{ AUDIT_WEBHOOK_BATCH_THROTTLE_QPS: '-1' }, 'invalid audit batch webhook throttle QPS -1, must be a positive number'],
  [{ AUDIT_WEBHOOK_MODE: 'foo' }, 'invalid audit webhook mode foo, allowed modes are "batch,blocking,blocking-strict"'],
  [
    { AUDIT_WEBHOOK_TRUNCATE_ENABLED: 'true', AUDIT_WEBHOOK_TRUNCATE_MAX_EVENT_SIZE: '0' },
    'invalid audit truncate webhook max event size 0, must be a positive number',
  ],
  [
    { AUDIT_WEBHOOK_TRUNCATE_ENABLED: 'true', AUDIT_WEBHOOK_TRUNCATE_MAX_BATCH_SIZE: '5' },
    'invalid audit truncate webhook max batch size 5, must be greater than max event size (102400)',
  ],
  [{ AUDIT_WEBHOOK_INITIAL_BACKOFF: 'soon' }, 'invalid argument "soon" for "--audit-webhook-initial-backoff" flag'],
])('%j is rejected in the words of kube-apiserver', (texts, message) => {
  expect(() => read({ AUDIT_WEBHOOK, ...texts })).toThrow(message)
})
