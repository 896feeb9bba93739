import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readAuditWebhook } from '../../auth/webhook/audit-webhook.ts'
import { type SettingTexts, settingValues } from '../../config/settings.ts'
import { AuditWebhookClient } from './webhook-client.ts'
import { webhookSink } from './webhook-sink.ts'

const kubeconfig = JSON.stringify({
  clusters: [{ name: 'a', cluster: { server: 'https://audit.example.com/' } }],
  users: [{ name: 'u', user: { token: 'sesame' } }],
  contexts: [{ name: 'a', context: { cluster: 'a', user: 'u' } }],
  'current-context': 'a',
})

/** Makes the sink of a webhook that answers with these codes in turn, the last one again and again. */
function sinkWith(texts: SettingTexts, codes: readonly number[]) {
  const configuration = readAuditWebhook(settingValues({ AUDIT_WEBHOOK: kubeconfig, ...texts }))
  if (configuration === undefined) throw new Error('no webhook')
  const sent: { readonly authorization: string | null; readonly items: readonly unknown[] }[] = []
  const answers = [...codes]
  const client = new AuditWebhookClient(configuration, () => async (input, init) => {
    const request = new Request(input, init)
    sent.push({ authorization: request.headers.get('authorization'), items: (await request.json<{ items: unknown[] }>()).items })
    return new Response(null, { status: (answers.length > 1 ? answers.shift() : answers[0]) ?? 500 })
  })
  let lost = 0
  const sink = webhookSink(client, configuration, (events) => {
    lost += events
  })
  return { sink, sent, lost: () => lost }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('in batches', () => {
  test('events of a second are sent together, with the credentials', async () => {
    const { sink, sent } = sinkWith({}, [200])
    for (const line of ['{"n":1}', '{"n":2}']) expect(sink.write(line, () => undefined)).toBeUndefined()
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(sent).toEqual([{ authorization: 'Bearer sesame', items: [{ n: 1 }, { n: 2 }] }])
  })

  test('a full batch is sent at once, and failures are repeated after growing pauses', async () => {
    const { sink, sent, lost } = sinkWith({ AUDIT_WEBHOOK_BATCH_MAX_SIZE: '1' }, [500, 503, 200])
    for (const line of ['{"n":1}', '{"n":2}']) sink.write(line, () => undefined)
    await vi.advanceTimersByTimeAsync(0)
    expect(sent.length).toBe(1)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sent.slice(0, 3).map(({ items }) => items)).toContainEqual([{ n: 2 }])
    expect(lost()).toBe(0)
  })

  test('events beyond the buffer and events that are too large are lost', () => {
    const { sink, lost } = sinkWith(
      {
        AUDIT_WEBHOOK_BATCH_BUFFER_SIZE: '1',
        AUDIT_WEBHOOK_TRUNCATE_ENABLED: 'true',
        AUDIT_WEBHOOK_TRUNCATE_MAX_EVENT_SIZE: '10',
      },
      [200],
    )
    sink.write('{"n":1}', () => undefined)
    expect(lost()).toBe(0)
    sink.write('{"n":2}', () => undefined)
    expect(lost()).toBe(1)
    sink.write('{"n":3000000}', () => undefined)
    expect(lost()).toBe(2)
  })
})

describe('while the request waits', () => {
  test.each([
    ['blocking', true],
    ['blocking-strict', false],
  ])('%s lets the request go on after five failures: %s', async (mode, goesOn) => {
    const { sink, sent, lost } = sinkWith({ AUDIT_WEBHOOK_MODE: mode, AUDIT_WEBHOOK_INITIAL_BACKOFF: '1s' }, [500])
    const stored = sink.write('{"n":1}', () => undefined)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await stored).toBe(goesOn)
    expect([sent.length, lost()]).toEqual([5, 1])
  })
})
