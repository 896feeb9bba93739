/**
 * Tests the built Worker with Cloudflare's bindings in miniflare: R2, a queue, the rate limiter, Analytics Engine. Unit tests use
 * stand-ins for them; these tests show that the real bindings accept the calls of the Worker.
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureBundle } from '../../scripts/build.mjs'
import { configMaps } from '../paths.ts'

const token = 'admin'
const host = 'https://edgeplane.example'

/** A consumer of the queue that keeps its messages. */
const consumer = `
  const messages = []
  export default {
    async queue(batch) { for (const { body } of batch.messages) messages.push(body) },
    async fetch() { return Response.json(messages) },
  }`

let miniflare: Miniflare

/** Returns the modules of the build, the entry point first. */
async function modules(): Promise<{ type: 'ESModule'; path: string; contents: string }[]> {
  const files = await ensureBundle('worker')
  return files.map((file) => ({ type: 'ESModule', path: basename(file), contents: readFileSync(file, 'utf8') }))
}

const send = (path: string, init: { method?: string; body?: unknown; token?: string } = {}) =>
  miniflare.dispatchFetch(host + path, {
    method: init.method ?? 'GET',
    headers: { authorization: `Bearer ${init.token ?? token}`, 'content-type': 'application/json' },
    ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
  })

beforeAll(async () => {
  const compatibilityDate = /compatibility_date = "([^"]+)"/.exec(readFileSync('wrangler.toml', 'utf8'))?.[1] ?? ''
  miniflare = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        {
          name: 'edgeplane',
          compatibilityDate,
          modules: await modules(),
          durableObjects: {
            COLLECTION: { className: 'Collection', useSQLite: true },
            CONTROL: { className: 'Control', useSQLite: true },
          },
          r2Buckets: ['AUDIT_BUCKET'],
          queueProducers: { AUDIT_QUEUE: { queueName: 'audit' } },
          ratelimits: {
            USER_RATE_LIMIT: { namespace_id: '1', simple: { limit: 5, period: 60 } },
            STRANGER_RATE_LIMIT: { namespace_id: '2', simple: { limit: 3, period: 60 } },
          },
          analyticsEngineDatasets: { METRICS: { dataset: 'requests' } },
          bindings: {
            ADMIN_TOKEN: token,
            STATIC_TOKENS: JSON.stringify([{ token: 'jane', user: 'jane', uid: '', groups: [] }]),
            SERVICE_CIDR: '10.0.0.0/16',
            AUDIT_POLICY: JSON.stringify({
              apiVersion: 'audit.k8s.io/v1',
              kind: 'Policy',
              omitStages: ['RequestReceived'],
              rules: [{ level: 'Metadata', verbs: ['create'] }, { level: 'None' }],
            }),
          },
        },
        {
          name: 'consumer',
          compatibilityDate,
          modules: true,
          script: consumer,
          queueConsumers: { audit: { maxBatchTimeout: 0 } },
        },
      ],
    }),
  )
}, 60_000)

afterAll(() => miniflare.dispose())

describe('the bindings of a deployment', () => {
  test('audit events of a create arrive in R2 and in the queue', async () => {
    const created = await send(configMaps, { method: 'POST', body: { metadata: { name: 'audited' }, data: { a: 'é' } } })
    expect(created.status).toBe(201)
    const bucket = await miniflare.getR2Bucket('AUDIT_BUCKET', 'edgeplane')
    await expect.poll(async () => (await bucket.list()).objects, { timeout: 10_000 }).toHaveLength(1)
    const [object] = (await bucket.list()).objects
    expect(object?.key).toMatch(/^\d{4}\/\d\d\/\d\d\/\d\d\/\d\d-\d\d\.\d{3}-[0-9a-f-]{36}\.jsonl$/)
    const event = { verb: 'create', objectRef: { resource: 'configmaps', name: 'audited' }, responseStatus: { code: 201 } }
    expect(JSON.parse((await (await bucket.get(object?.key ?? ''))?.text()) ?? '')).toMatchObject(event)
    const worker = await miniflare.getWorker('consumer')
    const messages = async (): Promise<unknown> => (await worker.fetch(host)).json()
    await expect.poll(messages, { timeout: 10_000 }).toHaveLength(1)
    expect(JSON.parse(((await messages()) as string[])[0] ?? '')).toMatchObject(event)
  }, 30_000)

  test('429 TooManyRequests from the rate limiter, for one user and not for another', async () => {
    const codes: number[] = []
    let last = await send('/version', { token: 'jane' })
    for (let i = 0; i < 10 && last.status !== 429; i++) {
      codes.push(last.status)
      await last.arrayBuffer()
      last = await send('/version', { token: 'jane' })
    }
    expect(codes).toHaveLength(5)
    expect([last.status, last.headers.get('retry-after'), await last.text()]).toEqual([
      429,
      '10',
      'Too many requests, please try again later.\n',
    ])
    expect((await send('/version')).status).toBe(200)
  })

  test('429 TooManyRequests for requests without valid credentials, and not for others from the same address', async () => {
    const codes: number[] = []
    for (let i = 0; i < 6; i++) {
      const answer = await send('/api/v1/pods', { token: `wrong-${i}` })
      codes.push(answer.status)
      await answer.arrayBuffer()
    }
    expect(codes).toEqual([401, 401, 401, 429, 429, 429])
    const admin = await send('/version')
    expect(admin.status).toBe(200)
    await admin.arrayBuffer()
  })

  test('a request is written to Analytics Engine and counted in /metrics', async () => {
    const metrics = await (await send('/metrics')).text()
    expect(metrics).toMatch(/^apiserver_request_total\{.*resource="configmaps".*\} 1$/m)
  })
})
