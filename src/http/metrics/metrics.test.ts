import { describe, expect, test } from 'vitest'
import { kindOf } from '../../catalog/scheme.ts'
import { requestInfo } from '../request-info.ts'
import { Distributions, Numbers } from './families.ts'
import { RequestMetrics } from './request-metrics.ts'

describe('the Prometheus text format', () => {
  test('of a counter has its labels sorted and escaped', () => {
    const counter = new Numbers('counter', 'requests_total', 'Requests.', ['verb', 'code'])
    expect(counter.render()).toBe('')
    counter.of('GET', '200').value += 2
    counter.of('a"b\\c\nd', '500').value++
    expect(counter.render()).toBe(
      [
        '# HELP requests_total Requests.',
        '# TYPE requests_total counter',
        'requests_total{code="200",verb="GET"} 2',
        'requests_total{code="500",verb="a\\"b\\\\c\\nd"} 1',
        '',
      ].join('\n'),
    )
  })

  test('of a histogram has cumulative buckets', () => {
    const histogram = new Distributions('seconds', 'Seconds.', ['verb'], [0.1, 1])
    for (const value of [0.05, 0.1, 0.5, 7]) histogram.of('GET').observe(value)
    expect(histogram.render()).toBe(
      [
        '# HELP seconds Seconds.',
        '# TYPE seconds histogram',
        'seconds_bucket{verb="GET",le="0.1"} 2',
        'seconds_bucket{verb="GET",le="1"} 3',
        'seconds_bucket{verb="GET",le="+Inf"} 4',
        'seconds_sum{verb="GET"} 7.65',
        'seconds_count{verb="GET"} 4',
        '',
      ].join('\n'),
    )
  })
})

/** Returns the lines of one metric family after these requests, each `METHOD path`. */
function linesOf(family: string, requests: readonly string[], metrics = new RequestMetrics(undefined)): string[] {
  for (const text of requests) {
    const [method = '', url = ''] = text.split(' ')
    const [path = '', parameters = ''] = url.split('?')
    const query = new URLSearchParams(parameters)
    const info = requestInfo(method, path, query)
    if (typeof info === 'string') throw new Error(text)
    const kind = info.isResource ? kindOf(info.group, info.version, info.resource) : undefined
    metrics.answered({ method, info, kind, query, isApply: text.endsWith(' apply'), code: 200, seconds: 0.01 })
  }
  const found = metrics.families(0).find(({ name }) => name === family)
  return (found?.render() ?? '').split('\n').filter((line) => line !== '' && !line.startsWith('#'))
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

  test('an unknown path is not counted, because labels would grow without bound', () => {
    const unknown = ['GET /api/v1/nonsense', 'GET /nonsense', 'GET /apis/none.example/v1/things']
    expect(linesOf('apiserver_request_total', unknown)).toEqual([])
  })

  test('a dry run is not in apiserver_request_sli_duration_seconds', () => {
    const dryRun = ['POST /api/v1/namespaces/a/pods?dryRun=All']
    expect(linesOf('apiserver_request_sli_duration_seconds', dryRun)).toEqual([])
    expect(linesOf('apiserver_request_duration_seconds', dryRun)).not.toEqual([])
  })

  test('authenticated_user_requests has only well-known user names as labels', () => {
    const metrics = new RequestMetrics(undefined)
    for (const name of ['admin', 'jane', 'bob', 'jane@example.com', undefined]) metrics.authenticated(name)
    expect(linesOf('authenticated_user_requests', [], metrics)).toEqual([
      'authenticated_user_requests{username="admin"} 1',
      'authenticated_user_requests{username="email_id"} 1',
      'authenticated_user_requests{username="other"} 2',
    ])
    expect(linesOf('authentication_attempts', [], metrics)).toEqual([
      'authentication_attempts{result="failure"} 1',
      'authentication_attempts{result="success"} 4',
    ])
  })

  test('apiserver_current_inflight_requests is the maximum of the last second', () => {
    const metrics = new RequestMetrics(undefined)
    const inflightAt = (at: number): string | undefined => {
      const family = metrics.families(at).find(({ name }) => name === 'apiserver_current_inflight_requests')
      return /\{request_kind="mutating"\} (\d+)/.exec(family?.render() ?? '')?.[1]
    }
    for (const at of [10_000, 10_001, 10_002]) metrics.begin('mutating', at)
    metrics.end('mutating', 10_003)
    metrics.end('mutating', 10_004)
    expect(inflightAt(10_005)).toBe('3')
    expect(inflightAt(11_500)).toBe('1')
  })

  test('each request is written to the Analytics Engine dataset', () => {
    const points: unknown[] = []
    const metrics = new RequestMetrics({ writeDataPoint: (point) => points.push(point) })
    linesOf('', ['GET /api/v1/pods'], metrics)
    expect(points).toEqual([
      { indexes: ['pods'], blobs: ['LIST', '', '', 'v1', 'pods', '', 'cluster', 'apiserver', '200'], doubles: [0.01] },
    ])
  })
})
