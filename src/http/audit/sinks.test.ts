import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AuditLog } from './log.ts'
import { AuditPolicy } from './policy.ts'
import { bucketSink, queueSink, type Sink } from './sinks.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Returns a bucket that keeps its objects, and the promises that were given to waitUntil. */
function bucketOf() {
  const objects = new Map<string, string>()
  const pending: Promise<unknown>[] = []
  const lost: number[] = []
  const bucket = { put: async (key: string, value: string) => void objects.set(key, value) }
  const sink = bucketSink(bucket, (lines) => lost.push(lines))
  return { objects, pending, lost, write: (line: string) => sink.write(line, (work) => pending.push(work)) }
}

describe('the audit sink of an R2 bucket', () => {
  test('writes the lines of one second as one object', async () => {
    vi.setSystemTime(new Date('2026-11-21T16:05:09.123Z'))
    const { objects, pending, write } = bucketOf()
    write('{"a":1}')
    write('{"a":2}')
    expect(objects.size).toBe(0)
    await vi.advanceTimersByTimeAsync(1000)
    expect([...objects.values()]).toEqual(['{"a":1}\n{"a":2}\n'])
    expect([...objects.keys()][0]).toMatch(/^2026\/11\/21\/16\/05-10\.123-[0-9a-f-]{36}\.jsonl$/)
    await expect(Promise.all(pending)).resolves.toBeDefined()
  })

  test('writes a full batch immediately and begins another', async () => {
    const { objects, write } = bucketOf()
    for (let i = 0; i < 1001; i++) write('x')
    await vi.advanceTimersByTimeAsync(0)
    expect([...objects.values()].map((value) => value.trim().split('\n').length)).toEqual([1000])
    await vi.advanceTimersByTimeAsync(1000)
    expect(objects.size).toBe(2)
  })

  test('drops the batch of a failed put, counts its lines, logs the error and continues', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const lost: number[] = []
    let broken = true
    const got: string[] = []
    const put = async (_key: string, value: string): Promise<void> => {
      if (broken) throw new Error('no bucket')
      got.push(value)
    }
    const sink = bucketSink({ put }, (lines) => lost.push(lines))
    const pending: Promise<unknown>[] = []
    sink.write('first', (work) => pending.push(work))
    await vi.advanceTimersByTimeAsync(1000)
    await expect(Promise.all(pending)).resolves.toBeDefined()
    expect(lost).toEqual([1])
    expect(logged).toHaveBeenCalled()
    broken = false
    sink.write('second', (work) => pending.push(work))
    await vi.advanceTimersByTimeAsync(1000)
    expect(got).toEqual(['second\n'])
  })

  test('writes the lines of a cancelled request with a later request', async () => {
    const { objects, write } = bucketOf()
    write('of the ended one')
    vi.clearAllTimers()
    vi.setSystemTime(Date.now() + 6000)
    write('of a later one')
    await vi.advanceTimersByTimeAsync(1000)
    expect([...objects.values()].sort()).toEqual(['of a later one\n', 'of the ended one\n'])
  })
})

test('the audit sink of a queue sends one message per event, at most 100 per batch', async () => {
  const batches: string[][] = []
  const queue = {
    sendBatch: async (messages: Iterable<{ body: string }>) => void batches.push([...messages].map(({ body }) => body)),
  }
  const sink = queueSink(queue, () => {})
  for (let i = 0; i < 150; i++) sink.write(String(i), () => {})
  await vi.advanceTimersByTimeAsync(1000)
  expect(batches.map((batch) => batch.length)).toEqual([100, 50])
})

const event = {
  level: 'RequestResponse',
  auditID: 'a',
  stage: 'ResponseComplete',
  requestURI: '/',
  verb: 'get',
  user: undefined,
  impersonatedUser: undefined,
  sourceIPs: [],
  userAgent: '',
  objectRef: undefined,
  responseStatus: { code: 200 },
  responseObject: `{"x":"${'y'.repeat(200)}"}`,
  requestReceivedAt: 0,
  stageAt: 0,
  annotations: { b: '2', a: '1' },
} as const

function logTo(sink: Sink): AuditLog {
  return new AuditLog(new AuditPolicy([]), [sink], { level: () => {}, event: () => {}, rejected: () => {} })
}

test('an event that is too long for a sink is written without its objects and marked as truncated', () => {
  const lines: string[] = []
  const sink = { name: 's', maximumCharacters: 400, write: (line: string) => void lines.push(line) as undefined }
  logTo(sink).write(event, () => {})
  logTo({ ...sink, maximumCharacters: 4000 }).write(event, () => {})
  const [short, whole] = lines.map((line) => JSON.parse(line))
  expect(short).toMatchObject({ annotations: { 'audit.k8s.io/truncated': 'true' } })
  expect(short).not.toHaveProperty('responseObject')
  expect(Object.keys(whole)).toEqual([
    'kind',
    'apiVersion',
    'level',
    'auditID',
    'stage',
    'requestURI',
    'verb',
    'user',
    'responseStatus',
    'responseObject',
    'requestReceivedTimestamp',
    'stageTimestamp',
    'annotations',
  ])
  expect(Object.keys(whole.annotations)).toEqual(['a', 'b'])
})

test('a sink that throws does not fail the request', () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const write = (): undefined => {
    throw new Error('broken')
  }
  logTo({ name: 's', maximumCharacters: 1000, write }).write(event, () => {})
  expect(logged).toHaveBeenCalled()
})
