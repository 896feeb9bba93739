/** The parts of a server that operators look at: metrics, /statusz, /flagz, and the audit webhook. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { familiesOf, labelsOf } from '../../lab/record/metrics/families.ts'
import { metricDefinitions } from '../../src/meta/metrics/definitions/all.ts'
import { startServer, type TestServer } from '../server.ts'

interface AuditEvent {
  readonly stage: string
  readonly requestURI: string
  readonly annotations?: Readonly<Record<string, string>>
}

/** A webhook that keeps the events that it gets. It fails for requests whose path contains a word. */
class AuditWebhook {
  readonly events: AuditEvent[] = []
  readonly #server: Server

  constructor() {
    this.#server = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      request.on('end', () => {
        const { kind, apiVersion, items } = JSON.parse(text) as { kind: string; apiVersion: string; items: AuditEvent[] }
        const isRefused = items.some(({ requestURI }) => requestURI.includes('refused'))
        if (!isRefused && kind === 'EventList' && apiVersion === 'audit.k8s.io/v1') this.events.push(...items)
        response.writeHead(isRefused ? 500 : 200).end()
      })
    })
  }

  async start(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/audit`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((done) => this.#server.close(done))
  }
}

const webhook = new AuditWebhook()
const files = mkdtempSync(join(tmpdir(), 'edgeplane-operations-'))
let server: TestServer
/** Set when the server has been told to stop. */
let stopping: Promise<void> | undefined

beforeAll(async () => {
  const url = await webhook.start()
  const kubeconfig = {
    clusters: [{ name: 'audit', cluster: { server: url } }],
    contexts: [{ name: 'audit', context: { cluster: 'audit' } }],
    'current-context': 'audit',
  }
  const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata', resources: [{ group: '' }] }] }
  writeFileSync(join(files, 'webhook.json'), JSON.stringify(kubeconfig))
  writeFileSync(join(files, 'policy.json'), JSON.stringify(policy))
  server = await startServer({
    args: [
      ...['--audit-policy-file', join(files, 'policy.json')],
      ...['--audit-webhook-config-file', join(files, 'webhook.json')],
      ...['--audit-webhook-mode', 'blocking-strict', '--audit-webhook-initial-backoff', '1ms'],
      ...['--show-hidden-metrics-for-version', '1.35', '--disabled-metrics', 'workqueue_depth'],
      ...['--process-metrics', '--shutdown-delay-duration', '3s'],
    ],
  })
}, 60_000)

afterAll(async () => {
  await (stopping ?? server?.stop())
  await webhook.stop()
  rmSync(files, { recursive: true })
})

/** A collection in which nobody else writes. */
const secrets = '/api/v1/namespaces/default/secrets'

/** Returns the value of the only sample with these labels. */
function sampleOf(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  const found = lines.filter((line) => {
    const own = Object.fromEntries(labelsOf(line))
    return Object.entries(labels).every(([label, value]) => own[label] === value)
  })
  return found.length === 1 ? Number(found[0]?.split(' ').at(-1)) : undefined
}

describe('/metrics', () => {
  const names = { group: '', resource: 'secrets' }
  let before = ''
  let after = ''

  beforeAll(async () => {
    before = (await server.send('/metrics')).text
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'counted' } }
    await server.send(secrets, { method: 'POST', body })
    await server.send(`${secrets}/counted`)
    await server.send(secrets)
    await server.send(`${secrets}/counted`, { method: 'DELETE' })
    await server.send('/api/v1/endpoints')
    after = (await server.send('/metrics')).text
  })

  const grown = (name: string, labels?: Readonly<Record<string, string>>): number =>
    (sampleOf(after, name, labels) ?? Number.NaN) - (sampleOf(before, name, labels) ?? 0)

  test('has families of kube-apiserver with its facts', () => {
    const own = 'edgeplane_alarm_consecutive_failures'
    const definitions: Readonly<
      Record<string, { readonly type: string; readonly help: string; readonly labels: readonly string[] }>
    > = metricDefinitions
    const families = familiesOf(after).filter(({ name }) => name !== own)
    expect(families.length).toBeGreaterThan(60)
    for (const { name, type, help, labels } of families) {
      const { type: expected, help: text, labels: known } = definitions[name] ?? { type: '', help: '', labels: [] }
      expect({ name, type, help, labels }).toEqual({ name, type: expected, help: text, labels: [...known].sort() })
    }
  })

  test('counts the operations, lists and changes of a collection', () => {
    for (const operation of ['create', 'get', 'list', 'delete']) {
      expect([operation, grown('etcd_requests_total', { ...names, operation })]).toEqual([operation, 1])
    }
    expect(grown('apiserver_storage_list_total', names)).toBe(1)
    expect(grown('apiserver_storage_list_fetched_objects_total', names)).toBe(1)
    expect(grown('apiserver_storage_list_returned_objects_total', names)).toBe(1)
    expect(grown('apiserver_storage_events_received_total', names)).toBe(2)
    expect(sampleOf(after, 'apiserver_resource_objects', names)).toBe(sampleOf(before, 'apiserver_resource_objects', names))
    expect(sampleOf(after, 'apiserver_storage_size_bytes')).toBeGreaterThan(0)
  })

  test('counts the sizes of bodies and responses', () => {
    expect(grown('apiserver_request_body_size_bytes_count', { ...names, verb: 'create' })).toBe(1)
    expect(grown('apiserver_response_sizes_count', { ...names, verb: 'GET', scope: 'resource' })).toBe(1)
    expect(grown('apiserver_response_sizes_count', { ...names, verb: 'LIST' })).toBe(1)
    expect(grown('apiserver_response_sizes_sum', { ...names, verb: 'LIST' })).toBeGreaterThan(100)
  })

  test('counts deprecated versions, and audits them', () => {
    const endpoints = { group: '', version: 'v1', resource: 'endpoints', removed_release: '' }
    expect(sampleOf(after, 'apiserver_requested_deprecated_apis', endpoints)).toBe(1)
    const audited = webhook.events.find(
      ({ requestURI, stage }) => requestURI === '/api/v1/endpoints' && stage === 'ResponseComplete',
    )
    expect(audited?.annotations).toMatchObject({ 'k8s.io/deprecated': 'true' })
  })

  test('tells which features are enabled', () => {
    expect(sampleOf(after, 'kubernetes_feature_enabled', { name: 'ComponentFlagz', stage: 'BETA' })).toBe(1)
    expect(sampleOf(after, 'kubernetes_feature_enabled', { name: 'CBORServingAndStorage', stage: 'ALPHA' })).toBe(0)
  })

  test('has hidden families on request, and no disabled ones', () => {
    expect(after).toContain('# TYPE apiserver_request_slo_duration_seconds histogram')
    expect(after).toContain('# TYPE workqueue_adds_total counter')
    expect(after).not.toContain('workqueue_depth')
  })
})

describe('an audit webhook that requests wait for', () => {
  test('has the events of a request when its response arrives', async () => {
    await server.send(`${secrets}/waited`)
    const own = webhook.events.filter(({ requestURI }) => requestURI === `${secrets}/waited`)
    expect(own.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseComplete'])
  })

  test('that does not store the first event fails the request, which is counted', async () => {
    const response = await server.send(`${secrets}/refused`)
    expect([response.status, response.text]).toEqual([
      500,
      `Internal Server Error: "${secrets}/refused": failed to store audit event\n`,
    ])
    const { text } = await server.send('/metrics')
    expect(sampleOf(text, 'apiserver_audit_requests_rejected_total')).toBe(1)
    expect(sampleOf(text, 'apiserver_audit_error_total', { plugin: 'webhook' })).toBeGreaterThan(0)
  })
})

describe('/flagz and /statusz', () => {
  const structured = (kind: string, version: string): string => `application/json;as=${kind};v=${version};g=config.k8s.io`

  test('show the options as text', async () => {
    const { text, headers } = await server.send('/flagz', { headers: { accept: 'text/plain' } })
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(text).toMatch(/^\napiserver flagz\nWarning: This endpoint is not meant to be machine parseable,.*\naddress-rate:/)
    expect(text).toContain('\naudit-webhook-mode:blocking-strict\n')
    expect(text).not.toContain(server.token)
  })

  test('show the options as an object, and warn of a deprecated version', async () => {
    const { text, headers } = await server.send('/flagz', { headers: { accept: structured('Flagz', 'v1alpha1') } })
    expect(JSON.parse(text)).toMatchObject({
      kind: 'Flagz',
      apiVersion: 'config.k8s.io/v1alpha1',
      metadata: { name: 'apiserver' },
      flags: { 'show-hidden-metrics-for-version': '1.35' },
    })
    expect(headers.warning).toBe('299 - "This version of the flagz endpoint is deprecated. Please use a newer version."')
  })

  test.each([
    ['/flagz', structured('Statusz', 'v1beta1')],
    ['/statusz', structured('Flagz', 'v1beta1')],
    ['/flagz', 'application/json'],
  ])('%s is not served as %s', async (path, accept) => {
    const { status, text } = await server.send(path, { headers: { accept } })
    expect(status).toBe(406)
    expect(text).toContain('only the following media types are accepted: application/json, application/yaml, text/plain')
  })

  test('need a permission', async () => {
    const { status, text } = await server.send('/flagz', { token: false })
    expect(status).toBe(403)
    expect(text).toContain('forbidden: User \\"system:anonymous\\" cannot get path \\"/flagz\\"')
  })

  test('list each other', async () => {
    const { text } = await server.send('/statusz', { headers: { accept: structured('Statusz', 'v1beta1') } })
    const paths = ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version']
    expect(JSON.parse(text)).toMatchObject({ kind: 'Statusz', paths })
    const root = await server.send('/')
    expect(root.json<{ paths: string[] }>().paths).toEqual(expect.arrayContaining(['/flagz', '/statusz']))
  })
})

test.runIf(process.platform === 'linux')('/metrics has the memory and the CPU time of the process', async () => {
  await vi.waitFor(
    async () => {
      const { text } = await server.send('/metrics')
      expect(sampleOf(text, 'process_resident_memory_bytes')).toBeGreaterThan(10 * 1024 * 1024)
      expect(sampleOf(text, 'process_cpu_seconds_total')).toBeGreaterThan(0)
    },
    { timeout: 25_000, interval: 500 },
  )
})

test('a server that waits before it stops is alive, but not ready', async () => {
  stopping = server.stop()
  await vi.waitFor(
    async () => {
      const { status, text } = await server.send('/readyz')
      expect(status).toBe(500)
      expect(text).toContain('[-]shutdown failed: reason withheld\n')
    },
    { timeout: 20_000, interval: 50 },
  )
  expect((await server.send('/livez')).status).toBe(200)
  await stopping
})
