import { describe, expect, test, vi } from 'vitest'
import { ApiError } from '../meta/errors.ts'
import type { HealthCheck } from './health.ts'
import { healthChecks, healthPaths, serveHealth } from './health.ts'

const passes = async (): Promise<void> => {}
const fails = async (): Promise<void> => {
  throw new Error('secret')
}

const small = (etcd: () => Promise<void>): HealthCheck[] => [
  { name: 'ping', endpoints: ['healthz', 'livez', 'readyz'], run: passes },
  { name: 'etcd', endpoints: ['livez', 'readyz'], run: etcd },
  { name: 'shutdown', endpoints: ['readyz'], run: passes },
]

async function ask(url: string, checks: readonly HealthCheck[]): Promise<[number, string] | undefined> {
  const request = new Request(`https://host${url}`)
  const response = await serveHealth(request, new URL(request.url).pathname, checks)
  return response && [response.status, await response.text()]
}

test('in the grace period after a start only /livez succeeds without its checks', async () => {
  const later = Date.now() + 60_000
  const codeOf = async (path: string, graceUntil: number): Promise<number | undefined> =>
    (await serveHealth(new Request(`https://host${path}`), path, small(fails), graceUntil))?.status
  expect([await codeOf('/livez', later), await codeOf('/livez/etcd', later), await codeOf('/readyz', later)]).toEqual([
    200, 200, 500,
  ])
  expect(await codeOf('/livez', Date.now() - 1)).toBe(500)
})

describe('/healthz, /livez and /readyz', () => {
  test.each([
    ['/livez', 'ok'],
    ['/livez?verbose', '[+]ping ok\n[+]etcd ok\nlivez check passed\n'],
    ['/readyz?verbose=false', '[+]ping ok\n[+]etcd ok\n[+]shutdown ok\nreadyz check passed\n'],
    ['/healthz?verbose', '[+]ping ok\nhealthz check passed\n'],
    ['/livez?exclude=etcd&exclude=ping&verbose', '[+]ping excluded: ok\n[+]etcd excluded: ok\nlivez check passed\n'],
    [
      '/livez?exclude=etcd&exclude=nope&exclude=aa&verbose',
      '[+]ping ok\n[+]etcd excluded: ok\nwarn: some health checks cannot be excluded: no matches for "aa","nope"\nlivez check passed\n',
    ],
    [
      '/healthz?exclude=&exclude=n%22%0a&verbose',
      '[+]ping ok\nwarn: some health checks cannot be excluded: no matches for "","n\\"\\n"\nhealthz check passed\n',
    ],
    ['/livez?exclude=nope', 'ok'],
  ])('GET %s', async (url, text) => {
    expect(await ask(url, small(passes))).toEqual([200, text])
  })

  test('a failed check: 500 with the failed check, but without its reason', async () => {
    expect(await ask('/livez', small(fails))).toEqual([500, '[+]ping ok\n[-]etcd failed: reason withheld\nlivez check failed\n'])
    expect(await ask('/livez?exclude=etcd', small(fails))).toEqual([200, 'ok'])
    expect(await ask('/healthz', small(fails))).toEqual([200, 'ok'])
  })

  test('the headers of the response', async () => {
    const response = await serveHealth(new Request('https://host/livez'), '/livez', small(passes))
    expect(Object.fromEntries(response?.headers ?? [])).toEqual({
      'cache-control': 'no-cache, private',
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
  })
})

describe('a single health check', () => {
  test.each(['/livez/ping', '/readyz/shutdown', '/livez/etcd?verbose'])('GET %s', async (url) => {
    expect(await ask(url, small(passes))).toEqual([200, 'ok'])
  })

  test.each(['/livez/shutdown', '/livez/nope', '/healthz/', '/livezx', '/version'])('%s does not exist', async (url) => {
    expect(await ask(url, small(passes))).toBeUndefined()
  })

  test('fails with the message of an ApiError, and without the reason of any other error', async () => {
    expect(await ask('/livez/etcd', small(fails))).toEqual([500, 'internal server error: reason withheld\n'])
    const failsWithReason = async (): Promise<void> => {
      throw new ApiError(500, 'InternalError', 'the store does not answer')
    }
    expect(await ask('/livez/etcd', small(failsWithReason))).toEqual([500, 'internal server error: the store does not answer\n'])
  })
})

describe('the health checks of this server', () => {
  test('call the store once for all checks that depend on it', async () => {
    const etcd = vi.fn(passes)
    const [status, text = ''] = (await ask('/readyz?verbose', healthChecks(etcd))) ?? []
    expect(status).toBe(200)
    expect(etcd).toHaveBeenCalledTimes(1)
    for (const name of ['ping', 'etcd', 'etcd-readiness', 'informer-sync', 'poststarthook/rbac/bootstrap-roles', 'shutdown']) {
      expect(text).toContain(`[+]${name} ok\n`)
    }
  })

  test('that depend on the store fail without it, the others pass', async () => {
    const [status, text = ''] = (await ask('/livez', healthChecks(fails))) ?? []
    expect(status).toBe(500)
    expect(text).toContain('[-]poststarthook/bootstrap-controller failed: reason withheld\n')
    expect(text).toContain('[+]ping ok\n')
    expect(text).not.toContain('shutdown')
  })

  test('have their paths in the list at /', () => {
    expect(healthPaths(small(passes))).toEqual([
      '/healthz',
      '/livez',
      '/readyz',
      '/healthz/ping',
      '/livez/ping',
      '/readyz/ping',
      '/livez/etcd',
      '/readyz/etcd',
      '/readyz/shutdown',
    ])
  })
})
