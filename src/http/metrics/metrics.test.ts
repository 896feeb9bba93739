import { describe, expect, test } from 'vitest'
import { kindOf } from '../../catalog/scheme.ts'
import { readAdmissionSettings } from '../../config/admission/settings.ts'
import type { Measurement } from '../../meta/findings.ts'
import { render } from '../../meta/metrics/families.ts'
import { Metrics } from '../../meta/metrics/metrics.ts'
import { Seats } from '../limits/seats.ts'
import { requestInfo } from '../request-info.ts'
import { sourceBuild } from '../version.ts'
import { webhookSeconds } from './admission-metrics.ts'
import type { MetricsDataset } from './request-metrics.ts'
import { ServerMetrics } from './server-metrics.ts'

const serverMetrics = (dataset?: MetricsDataset): ServerMetrics =>
  new ServerMetrics({ build: sourceBuild, seats: new Seats(600), startedAt: 0, dataset, admission: readAdmissionSettings({}) })

/** Returns the lines of one metric family of a scrape. */
function scraped(family: string, metrics: ServerMetrics, at = 0): string[] {
  const scrape = new Metrics()
  metrics.addTo(scrape, at, { release: [1, 36], minimumCompatibility: [1, 35] })
  const found = scrape.families().find(({ name }) => name === family)
  const text = found === undefined ? '' : render(found)
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

/** Returns the lines of one metric family after these requests, each `METHOD path`. */
function linesOf(family: string, requests: readonly string[], metrics = serverMetrics(), delayed = 0): string[] {
  for (const text of requests) {
    const [method = '', url = ''] = text.split(' ')
    const [path = '', parameters = ''] = url.split('?')
    const query = new URLSearchParams(parameters)
    const info = requestInfo(method, path, query)
    if (typeof info === 'string') throw new Error(text)
    const kind = info.isResource ? kindOf(info.group, info.version, info.resource) : undefined
    const isApply = text.endsWith(' apply')
    metrics.requests.answered({ method, info, kind, query, isApply, code: 200, seconds: 0.01, bodyBytes: 7, delayed })
  }
  return scraped(family, metrics)
}

const labels = (verb: string, scope: string, resource = 'pods', subresource = '', dryRun = ''): string =>
  `{code="200",component="apiserver",dry_run="${dryRun}",group="",resource="${resource}",scope="${scope}",subresource="${subresource}",verb="${verb}",version="v1"}`

describe('apiserver_request_total has the labels of kube-apiserver', () => {
  test.each([
    ['GET /api/v1/namespaces/a/pods/b', labels('GET', 'resource')],
    ['GET /api/v1/namespaces/a/pods', labels('LIST', 'namespace')],
    ['GET /api/v1/pods', labels('LIST', 'cluster')],
    ['GET /api/v1/pods?watch=1', labels('WATCH', 'cluster')],
    ['POST /api/v1/namespaces/a/pods', labels('POST', 'resource')],
    ['POST /api/v1/namespaces/a/pods?dryRun=All', labels('POST', 'resource', 'pods', '', 'All')],
    ['PUT /api/v1/namespaces/a/pods/b/status', labels('PUT', 'resource', 'pods', 'status')],
    ['PATCH /api/v1/namespaces/a/pods/b', labels('PATCH', 'resource')],
    ['PATCH /api/v1/namespaces/a/pods/b apply', labels('APPLY', 'resource')],
    ['DELETE /api/v1/namespaces/a/pods', labels('DELETE', 'namespace')],
    ['GET /api/v1/namespaces/a/pods/b/log', labels('CONNECT', 'resource', 'pods', 'log')],
    ['GET /api/v1/namespaces/a/pods/b/nonsense', labels('GET', 'resource')],
    ['FROB /api/v1/namespaces/a/pods/b', labels('other', 'resource')],
    [
      'GET /livez',
      '{code="200",component="",dry_run="",group="",resource="",scope="",subresource="/livez",verb="GET",version=""}',
    ],
    [
      'GET /apis',
      '{code="200",component="apiserver",dry_run="",group="",resource="",scope="",subresource="apis",verb="GET",version=""}',
    ],
  ])('%s', (request, expected) => {
    expect(linesOf('apiserver_request_total', [request, request])).toEqual([`apiserver_request_total${expected} 2`])
  })

  test('a path that kube-apiserver does not count, or does not know, is not counted', () => {
    const unknown = ['GET /api/v1/nonsense', 'GET /nonsense', 'GET /version', 'GET /metrics', 'GET /apis/none.example/v1/things']
    expect(linesOf('apiserver_request_total', unknown)).toEqual([])
  })

  test('dry runs and watches are not in apiserver_request_sli_duration_seconds', () => {
    expect(linesOf('apiserver_request_sli_duration_seconds', ['GET /api/v1/pods?watch=1'])).toEqual([])
    const dryRun = ['POST /api/v1/namespaces/a/pods?dryRun=All']
    expect(linesOf('apiserver_request_sli_duration_seconds', dryRun)).toEqual([])
    expect(linesOf('apiserver_request_duration_seconds', dryRun)).not.toEqual([])
  })

  test('authenticated_user_requests has only well-known user names as labels', () => {
    const metrics = serverMetrics()
    for (const name of ['admin', 'jane', 'bob', 'jane@example.com']) metrics.access.authenticated('success', name, 0)
    metrics.access.authenticated('error', '', 0)
    expect(linesOf('authenticated_user_requests', [], metrics)).toEqual([
      'authenticated_user_requests{username="admin"} 1',
      'authenticated_user_requests{username="email_id"} 1',
      'authenticated_user_requests{username="other"} 2',
    ])
    expect(linesOf('authentication_attempts', [], metrics)).toEqual([
      'authentication_attempts{result="error"} 1',
      'authentication_attempts{result="success"} 4',
    ])
  })

  test('apiserver_current_inflight_requests is the maximum of the last second', () => {
    const metrics = serverMetrics()
    const inflightAt = (at: number): string | undefined =>
      scraped('apiserver_current_inflight_requests', metrics, at)
        .find((line) => line.includes('mutating'))
        ?.split(' ')[1]
    for (const at of [10_000, 10_001, 10_002]) metrics.requests.begin('mutating', at)
    metrics.requests.end('mutating', 10_003)
    metrics.requests.end('mutating', 10_004)
    expect(inflightAt(10_005)).toBe('3')
    expect(inflightAt(11_500)).toBe('1')
  })

  test('each request is written to the Analytics Engine dataset', () => {
    const points: unknown[] = []
    const metrics = serverMetrics({ writeDataPoint: (point) => points.push(point) })
    linesOf('', ['GET /api/v1/pods'], metrics)
    expect(points).toEqual([
      { indexes: ['pods'], blobs: ['LIST', '', '', 'v1', 'pods', '', 'cluster', 'apiserver', '200'], doubles: [0.01] },
    ])
  })

  test('apiserver_request_sli_duration_seconds leaves out the time for which a request waited for webhooks', () => {
    const sum = (family: string): string | undefined =>
      linesOf(family, ['POST /api/v1/namespaces/a/pods'], serverMetrics(), 0.01).find((line) => line.startsWith(`${family}_sum`))
    expect(sum('apiserver_request_sli_duration_seconds')).toMatch(/ 0$/)
    expect(sum('apiserver_request_duration_seconds')).toMatch(/ 0\.01$/)
    const webhook = (type: string, value: number): Measurement => ({
      metric: 'apiserver_admission_webhook_admission_duration_seconds',
      labels: ['a.example.com', type, 'CREATE', 'false'],
      value,
    })
    const called = [webhook('admit', 1), webhook('admit', 2), webhook('validating', 4), webhook('validating', 3)]
    expect(webhookSeconds(called)).toBe(7)
  })

  test('the size of a body is counted by resource and verb', () => {
    const sums = linesOf('apiserver_request_body_size_bytes', ['POST /api/v1/namespaces/a/pods', 'GET /api/v1/pods'])
    expect(sums.filter((line) => line.includes('_sum'))).toEqual([
      'apiserver_request_body_size_bytes_sum{group="",resource="pods",verb="create"} 7',
    ])
  })

  test('a request that was ended early is counted by its kind, and an unknown resource is no label', () => {
    const metrics = serverMetrics()
    for (const path of ['/api/v1/namespaces/a/pods', '/apis/none.example/v1/things']) {
      const query = new URLSearchParams()
      const info = requestInfo('POST', path, query)
      if (typeof info === 'string') throw new Error(path)
      metrics.requests.terminated({ method: 'POST', info, query, isApply: false }, 429)
    }
    const ended = (resource: string, version: string): string =>
      `apiserver_request_terminations_total{code="429",component="apiserver",group="",resource="${resource}",scope="resource",subresource="",verb="POST",version="${version}"} 1`
    expect(scraped('apiserver_request_terminations_total', metrics)).toEqual([ended('', ''), ended('pods', 'v1')])
  })

  test('an allowed write counts for each plugin that handles its operation', () => {
    const metrics = serverMetrics()
    for (const verb of ['create', 'create', 'delete']) metrics.admission.allowed(verb)
    const lines = scraped('apiserver_admission_controller_admission_duration_seconds', metrics)
    const count = (operation: string): string =>
      `apiserver_admission_controller_admission_duration_seconds_count{name="NamespaceLifecycle",operation="${operation}",rejected="false",type="admit"}`
    expect(lines).toContain(`${count('CREATE')} 2`)
    expect(lines).toContain(`${count('DELETE')} 1`)
  })
})
