/** The audit log, rate limits, metrics and CORS over HTTPS. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Reply, RequestOptions } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'

const policy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: RequestResponse, namespaces: [whole], omitManagedFields: true}
- {level: None, nonResourceURLs: ["/livez*"]}
- level: Metadata
`

interface AuditEvent {
  readonly kind: string
  readonly level: string
  readonly auditID: string
  readonly stage: string
  readonly verb: string
  readonly user: { readonly username?: string }
  readonly impersonatedUser?: { readonly username: string; readonly groups: string[] }
  readonly objectRef?: Record<string, string>
  readonly responseStatus?: { readonly code: number; readonly reason?: string; readonly status?: string }
  readonly requestObject?: Record<string, unknown>
  readonly responseObject?: Record<string, unknown>
  readonly annotations?: Record<string, string>
  readonly sourceIPs: string[]
}

let server: TestServer
let files: string
const logFile = (): string => join(files, 'audit.log')

beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'edgeplane-audit-'))
  writeFileSync(join(files, 'policy.yaml'), policy)
  server = await startServer({
    args: [
      '--audit-policy-file',
      join(files, 'policy.yaml'),
      '--audit-log-path',
      logFile(),
      '--user-rate=0.001:3',
      '--cors-allowed-origins=^https://console\\.example$',
      '--strict-transport-security-directives=max-age=3600',
    ],
  })
  await server.send('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: 'whole' } } })
}, 30_000)
afterAll(async () => {
  await server.stop()
  rmSync(files, { recursive: true, force: true })
})

/** Returns the events of one request after `count` of them have been written. */
async function eventsOf(auditId: string, count = 1): Promise<AuditEvent[]> {
  return vi.waitFor(
    () => {
      const lines = readFileSync(logFile(), 'utf8').split('\n').slice(0, -1)
      const events = lines.map((line) => JSON.parse(line) as AuditEvent).filter(({ auditID }) => auditID === auditId)
      if (events.length < count) throw new Error(`${events.length} events of ${auditId}`)
      return events
    },
    { timeout: 5000, interval: 20 },
  )
}

async function recorded(path: string, options?: RequestOptions): Promise<{ reply: Reply; event: AuditEvent }> {
  const reply = await server.send(path, options)
  const [event] = await eventsOf(String(reply.headers['audit-id']))
  if (event === undefined) throw new Error('no event')
  return { reply, event }
}

const secret = { metadata: { name: 's' }, stringData: { password: 'hunter2' } }

describe('the audit log', () => {
  test('at level Metadata has user, verb and result, but no content', async () => {
    const { event } = await recorded('/api/v1/namespaces/default/secrets', { method: 'POST', body: secret })
    expect(event).toMatchObject({
      kind: 'Event',
      level: 'Metadata',
      stage: 'ResponseComplete',
      verb: 'create',
      user: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
      objectRef: { resource: 'secrets', namespace: 'default', name: 's', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
      sourceIPs: ['127.0.0.1'],
      annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
    })
    const log = readFileSync(logFile(), 'utf8')
    expect(log).not.toContain('hunter2')
    expect(log).not.toContain(Buffer.from('hunter2').toString('base64'))
    expect(log).not.toContain(server.token)
  })

  test('at level RequestResponse has both objects, with omitManagedFields without managedFields', async () => {
    const body = { metadata: { name: 'a' }, data: { k: 'v' } }
    const { event, reply } = await recorded('/api/v1/namespaces/whole/configmaps', { method: 'POST', body })
    expect(event.requestObject).toEqual({ kind: 'ConfigMap', apiVersion: 'v1', ...body })
    const { managedFields: _, ...metadata } = reply.json<{ metadata: Record<string, unknown> }>().metadata
    expect(event.responseObject).toEqual({ kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { k: 'v' } })
    const patch = { data: { k: 'w' } }
    const headers = { 'content-type': 'application/merge-patch+json' }
    const patched = await recorded('/api/v1/namespaces/whole/configmaps/a', { method: 'PATCH', headers, body: patch })
    expect(patched.event).toMatchObject({ verb: 'patch', requestObject: patch, responseObject: { data: { k: 'w' } } })
    const listed = await recorded('/api/v1/namespaces/whole/configmaps?fieldSelector=metadata.name%3Da')
    expect(listed.event.responseObject).toMatchObject({ kind: 'ConfigMapList', items: [{ data: { k: 'w' } }] })
    expect(JSON.stringify(listed.event.responseObject)).not.toContain('managedFields')
    expect(listed.reply.json()).toMatchObject({ items: [{ metadata: { managedFields: [{}] } }] })
  })

  test('has the Status of failures and deletions at every level', async () => {
    const missing = await recorded('/api/v1/namespaces/default/configmaps/none')
    expect(missing.event.responseStatus).toMatchObject({ status: 'Failure', reason: 'NotFound', code: 404 })
    const gone = await recorded('/api/v1/namespaces/default/secrets/s', { method: 'DELETE' })
    expect(gone.event.responseStatus).toMatchObject({ status: 'Success', details: { name: 's', kind: 'secrets' }, code: 200 })
  })

  test('has the impersonated user, and the reason of a 403', async () => {
    const headers = { 'impersonate-user': 'audited', 'impersonate-group': 'g' }
    const { event } = await recorded('/api/v1/namespaces/default/pods', { headers })
    expect(event).toMatchObject({
      user: { username: 'admin' },
      impersonatedUser: { username: 'audited', groups: ['g', 'system:authenticated'] },
      responseStatus: { reason: 'Forbidden', code: 403 },
      annotations: { 'authorization.k8s.io/decision': 'forbid' },
    })
  })

  test('has failed authentications (401)', async () => {
    const { event } = await recorded('/api/v1/namespaces/default/pods', { token: 'wrong' })
    expect(event).toMatchObject({ stage: 'ResponseStarted', user: {}, responseStatus: { reason: 'Unauthorized', code: 401 } })
    expect(JSON.stringify(event)).not.toContain('wrong')
  })

  test('has the start and the end of a watch', async () => {
    const reply = await server.send('/api/v1/namespaces/default/pods?watch=1&timeoutSeconds=1')
    const events = await eventsOf(String(reply.headers['audit-id']), 2)
    expect(events.map(({ stage }) => stage)).toEqual(['ResponseStarted', 'ResponseComplete'])
  })

  test('uses a valid Audit-ID header of the client', async () => {
    const { reply } = await recorded('/version', { headers: { 'audit-id': 'my-request' } })
    expect(reply.headers['audit-id']).toBe('my-request')
    const long = await server.send('/version', { headers: { 'audit-id': 'x'.repeat(1000) } })
    expect(long.headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('leaves out events as the policy says', async () => {
    const probe = await server.send('/livez')
    await recorded('/version')
    expect(readFileSync(logFile(), 'utf8')).not.toContain(String(probe.headers['audit-id']))
  })

  test('is readable by its owner only', () => {
    expect(statSync(logFile()).mode & 0o777).toBe(0o600)
  })
})

const as = (user: string, path: string): Promise<Reply> => server.send(path, { headers: { 'impersonate-user': user } })

describe('rate limits', () => {
  test('answer 429 to a user with too many requests, never to an administrator', async () => {
    const replies = []
    for (let i = 0; i < 4; i++) replies.push(await as('eager', '/version'))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(replies[3]).toMatchObject({
      text: 'Too many requests, please try again later.\n',
      headers: { 'content-type': 'text/plain; charset=utf-8', 'retry-after': expect.stringMatching(/^\d+$/) },
    })
    expect((await as('patient', '/version')).status).toBe(200)
    for (let i = 0; i < 5; i++) expect((await server.send('/version')).status).toBe(200)
  })

  test('responses name the flow schema and the priority level by uid', async () => {
    const flow = '/apis/flowcontrol.apiserver.k8s.io/v1'
    const uidOf = async (path: string): Promise<string> =>
      (await server.send(`${flow}/${path}`)).json<{ metadata: { uid: string } }>().metadata.uid
    const reply = await as('someone', '/api/v1/namespaces/default')
    expect(reply.status).toBe(403)
    expect(reply.headers).toMatchObject({
      'x-kubernetes-pf-flowschema-uid': await uidOf('flowschemas/global-default'),
      'x-kubernetes-pf-prioritylevel-uid': await uidOf('prioritylevelconfigurations/global-default'),
    })
    expect((await server.send('/api/v1/namespaces/default')).headers).toMatchObject({
      'x-kubernetes-pf-flowschema-uid': await uidOf('flowschemas/exempt'),
    })
  })

  test('a FlowSchema without its priority level gets the condition Dangling', async () => {
    const path = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas'
    const spec = { matchingPrecedence: 50, priorityLevelConfiguration: { name: 'gone' } }
    await server.send(path, { method: 'POST', body: { metadata: { name: 'dangling' }, spec } })
    const conditions = await vi.waitFor(async () => {
      const { status } = (await server.send(`${path}/dangling`)).json<{ status: { conditions: unknown[] } }>()
      expect(status.conditions).toHaveLength(1)
      return status.conditions
    })
    expect(conditions).toMatchObject([{ type: 'Dangling', status: 'True', reason: 'NotFound' }])
  })
})

describe('/metrics', () => {
  test('is 403 without permission', async () => {
    expect((await server.send('/metrics', { token: false })).status).toBe(403)
    expect((await as('stranger', '/metrics')).status).toBe(403)
  })

  test('counts requests, objects and watch events', async () => {
    const watching = server.send('/api/v1/namespaces/whole/configmaps?watch=1&timeoutSeconds=2&resourceVersion=0')
    await watching
    const { text, headers } = await server.send('/metrics')
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8; escaping=underscores')
    expect(text).toMatch(/^apiserver_request_total\{code="201",.*resource="secrets",scope="resource",.*verb="POST".*\} 1$/m)
    expect(text).toMatch(/^apiserver_request_duration_seconds_bucket\{.*resource="secrets".*le="\+Inf"\} 1$/m)
    expect(text).toMatch(/^apiserver_storage_objects\{resource="configmaps"\} \d+$/m)
    expect(text).toMatch(/^apiserver_storage_objects\{resource="jobs.batch"\} 0$/m)
    expect(text).toMatch(/^apiserver_watch_events_total\{group="",resource="configmaps",version="v1"\} [1-9]\d*$/m)
    expect(text).toMatch(/^kubernetes_build_info\{.*git_version="v1.36.3".*\} 1$/m)
    expect(text).toMatch(/^apiserver_audit_event_total [1-9]\d*$/m)
  })

  test('has valid Prometheus lines only', async () => {
    const { text } = await server.send('/metrics')
    const lines = text.split('\n').filter((line) => line !== '' && !/^# (?:HELP|TYPE) [a-z_]+ ./.test(line))
    const label = '[a-z_]+="(?:[^"\\\\\\n]|\\\\.)*"'
    const sample = new RegExp(`^[a-z_]+(?:\\{${label}(?:,${label})*\\})? (?:[+-]?[\\d.e+-]+|[+]Inf)$`)
    expect(lines.filter((line) => !sample.test(line))).toEqual([])
  })

  test('/metrics/slis shows the results of health checks', async () => {
    const { text } = await server.send('/metrics/slis')
    expect(text).toContain('kubernetes_healthcheck{name="etcd",type="readyz"} 1\n')
    expect(text).toMatch(/^kubernetes_healthchecks_total\{name="ping",status="success",type="livez"\} \d+$/m)
  })
})

test('CORS headers are on responses of every kind', async () => {
  const headers = { origin: 'https://console.example' }
  for (const path of ['/version', '/api/v1/namespaces/default', '/api/v1/namespaces/none']) {
    const reply = await server.send(path, { headers })
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': 'https://console.example',
      'strict-transport-security': 'max-age=3600',
      'cache-control': 'no-cache, private',
    })
    const other = await server.send(path, { headers: { origin: 'https://console.example.evil' } })
    expect(other.headers).not.toHaveProperty('access-control-allow-origin')
  }
  const preflight = await server.send('/api/v1/pods', { method: 'OPTIONS', headers, token: false })
  expect(preflight.status).toBe(204)
})

test('the audit log is rotated at its maximum size, and issued tokens are named in it', async () => {
  const log = join(files, 'rotated.log')
  const own = await startServer({
    args: [
      ...['--audit-policy-file', join(files, 'policy.yaml'), '--audit-log-path', log],
      ...['--audit-log-maxsize', '1', '--audit-log-maxbackup', '1'],
    ],
  })
  const path = '/api/v1/namespaces/default/serviceaccounts'
  await own.send(path, { method: 'POST', body: { metadata: { name: 'own' } } })
  const issued = await own.send(`${path}/own/token`, { method: 'POST', body: { spec: {} } })
  const { token } = issued.json<{ status: { token: string } }>().status
  const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string }
  const agent = { 'user-agent': 'x'.repeat(1000) }
  for (let i = 0; i < 1100; i += 50) {
    await Promise.all(Array.from({ length: 50 }, () => own.send('/api', { headers: agent })))
  }
  await own.stop()
  const names = readdirSync(files).filter((name) => name.startsWith('rotated'))
  expect(names).toHaveLength(2)
  const lines = names.flatMap((name) => readFileSync(join(files, name), 'utf8').trimEnd().split('\n'))
  const events = lines.map((line) => JSON.parse(line) as AuditEvent)
  expect(events.filter(({ auditID }) => auditID !== undefined).length).toBeGreaterThanOrEqual(1101)
  const { annotations } = events.find(({ auditID }) => auditID === issued.headers['audit-id']) ?? {}
  expect(annotations?.['authentication.kubernetes.io/issued-credential-id']).toBe(`JTI=${jti}`)
})
