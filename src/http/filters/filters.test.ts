import { describe, expect, test, vi } from 'vitest'
import { Authenticator } from '../../auth/authenticator.ts'
import { WithoutAudiences } from '../../auth/token-authenticator.ts'
import { notFound } from '../../meta/errors.ts'
import { TokenBuckets } from '../../meta/token-buckets.ts'
import type { Authentication } from '../authentication.ts'
import { Suspension } from '../limits/suspension.ts'
import { withAuthentication } from './authentication.ts'
import { withAuthorization } from './authorization.ts'
import type { Filter } from './filter.ts'
import {
  administrator,
  clientOf,
  executionContext,
  jane,
  readersOfPaths,
  serverOf,
  servicesOf,
  withUser,
} from './filters.fixture.ts'
import { withImpersonation } from './impersonation.ts'
import { withPanicRecovery } from './panic-recovery.ts'
import { flowHeaders, withPriorityAndFairness } from './priority-and-fairness.ts'
import { withRequestDeadline } from './request-deadline.ts'
import { withTimeoutForNonLongRunningRequests } from './timeout.ts'
import { withWaitGroup } from './wait-group.ts'
import { withWarningRecorder } from './warning-recorder.ts'

const failing =
  (thrown: unknown): Filter =>
  () => {
    throw thrown
  }
const json = async (response: Response): Promise<Record<string, unknown>> => (await response.json()) as Record<string, unknown>

describe('Audit-ID', () => {
  test.each([
    ['mine', 'mine'],
    ['two words', undefined],
    ['x'.repeat(257), undefined],
  ])('%s of the request is %s in the response', async (given, expected) => {
    const response = await serverOf().request('/version', { headers: { 'audit-id': given } })
    const id = response.headers.get('audit-id')
    if (expected === undefined) expect(id).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
    else expect(id).toBe(expected)
  })

  test('and Date are in an error response', async () => {
    const response = await serverOf(failing(notFound({ group: '', resource: 'pods' }, 'x'))).request('/version')
    expect(response.status).toBe(404)
    expect(response.headers.has('audit-id')).toBe(true)
    expect(response.headers.has('date')).toBe(true)
  })
})

test('a thrown value that is not an Error: 500 InternalError without its text', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const app = serverOf(withPanicRecovery, () => Promise.reject('secret'))
  const response = await app.request('/version')
  log.mockRestore()
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('secret')
})

describe('a malformed path', () => {
  test('with a broken percent-escape: 400 without a Status, before authentication', async () => {
    const response = await serverOf(failing(new Error('reached'))).request('http://server/%zz')
    expect([response.status, await response.text()]).toEqual([400, '400 Bad Request'])
  })

  test('that ends with /watch: 500 with the text of kube-apiserver', async () => {
    const response = await serverOf(failing(new Error('reached'))).request('/api/v1/watch')
    expect(response.status).toBe(500)
    expect(await response.text()).toContain('failed to create RequestInfo: unable to determine kind and namespace from url')
  })
})

const withTimeout = withTimeoutForNonLongRunningRequests(servicesOf(clientOf({})).metrics.requests)

describe('the timeout parameter', () => {
  const server = (...inner: Filter[]) => serverOf(withRequestDeadline, withTimeout, ...inner)

  test('that is not a duration: 400', async () => {
    const response = await server().request('/api/v1/pods?timeout=abc')
    expect(response.status).toBe(400)
    expect((await json(response)).message).toBe('invalid timeout specified in the request URL - time: invalid duration "abc"')
  })

  test('of less than a millisecond: 504 without calling the handler', async () => {
    const inner = vi.fn()
    const response = await server(inner).request('/api/v1/pods?timeout=1ns')
    expect(response.status).toBe(504)
    expect(inner).not.toHaveBeenCalled()
  })

  test('that is exceeded: 504 without flow headers, while the handler continues', async () => {
    let end = (): void => undefined
    const slow: Filter = (c) => {
      c.get('responseHeaders')[flowHeaders[0]] = 'uid'
      return new Promise((resolve) => {
        end = () => resolve(c.text('late'))
      })
    }
    const response = await server(slow).request('/api/v1/pods?timeout=2ms')
    end()
    expect(response.status).toBe(504)
    expect(response.headers.has(flowHeaders[0])).toBe(false)
    expect((await json(response)).reason).toBe('Timeout')
  })

  test('is measured from when the request waits, if it reads one object, which may be in memory', async () => {
    const read = '/api/v1/namespaces/default/pods/web?timeout=2ms'
    const suspension = new Suspension()
    const answers: Filter = (c) => Promise.resolve(c.text('read'))
    expect((await server(answers).request(read, {}, { suspension })).status).toBe(200)
    const waits: Filter = (c) => {
      c.env.suspension?.begin()
      return new Promise(() => undefined)
    }
    expect((await server(waits).request(read, {}, { suspension: new Suspension() })).status).toBe(504)
  })

  test('is measured from the start of every other request', async () => {
    const never: Filter = () => new Promise(() => undefined)
    for (const path of ['/api/v1/pods?timeout=2ms', '/version?timeout=2ms', '/apis/x.example/v1/xs/a?timeout=2ms']) {
      expect((await server(never).request(path, {}, { suspension: new Suspension() })).status, path).toBe(504)
    }
  })

  test('is ignored for a watch', async () => {
    expect((await server().request('/api/v1/pods?watch=1&timeout=abc')).status).toBe(200)
  })
})

describe('seat and inflight count of a request are released', () => {
  const withReleaseOf =
    (released: () => void): Filter =>
    (c, next) => {
      c.get('releases').add(released)
      return next()
    }

  test.each([
    ['after its response', '/version', undefined],
    ['after an error', '/version', failing(new Error('broken'))],
    ['at its deadline, though its handler never ends', '/version?timeout=2ms', (() => new Promise(() => undefined)) as Filter],
  ])('%s', async (_when, path, inner) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const released = vi.fn()
    const filters = [withWaitGroup, withRequestDeadline, withTimeout, withReleaseOf(released)]
    await serverOf(...filters, ...(inner === undefined ? [] : [inner])).request(path)
    log.mockRestore()
    expect(released).toHaveBeenCalledOnce()
  })

  test('immediately if they are taken after the deadline', async () => {
    const released = vi.fn()
    const late = Promise.withResolvers<void>()
    const taken = Promise.withResolvers<void>()
    const takesLate: Filter = async (c, next) => {
      await late.promise
      c.get('releases').add(released)
      taken.resolve()
      return next()
    }
    const filters = [withWaitGroup, withRequestDeadline, withTimeout, takesLate]
    await serverOf(...filters).request('/version?timeout=2ms')
    late.resolve()
    await taken.promise
    expect(released).toHaveBeenCalledOnce()
  })
})

const tokens = new Authenticator([new WithoutAudiences(['api'], (token) => (token === 'sesame' ? jane : undefined))], ['api'])
const authentication: Authentication = {
  tokens,
  anonymous: { allowed: 'everywhere' },
  clientCertificates: 'ignored',
  accessAssertions: 'ignored',
}

describe('authentication', () => {
  const { limits: unlimited, metrics } = servicesOf(clientOf({}))
  const send = async (authorization: string, limits = unlimited): Promise<Response> =>
    serverOf(withWarningRecorder, withAuthentication(authentication, limits, metrics), withUser(jane)).request('/version', {
      headers: { authorization },
    })

  test('with an unknown token: 401', async () => {
    const response = await send('Bearer x')
    expect([response.status, (await json(response)).reason]).toEqual([401, 'Unauthorized'])
    expect((await send('Bearer sesame')).status).toBe(200)
  })

  test('warns about a token that is ignored because of an extra space', async () => {
    expect((await send('Bearer  sesame')).headers.get('warning')).toContain('extra space before the bearer token')
    expect((await send('Bearer sesame')).headers.has('warning')).toBe(false)
  })

  test('with too many failures from one address: 429', async () => {
    const limits = { ...unlimited, address: { buckets: new TokenBuckets({ perSecond: 0.001, burst: 1 }), binding: undefined } }
    expect((await send('Bearer x', limits)).status).toBe(401)
    const refused = await send('Bearer x', limits)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('impersonation', () => {
  const { authorizer } = servicesOf(clientOf({}))
  const as = (name: string, ...filters: Filter[]) =>
    serverOf(...filters, withImpersonation(authorizer)).request('/version', { headers: { 'impersonate-user': name } })

  test('of a user changes the effective user of the request', async () => {
    const response = await as('bob', withUser(administrator))
    expect(await response.text()).toBe('bob')
  })

  test('without permission: 403', async () => {
    expect((await as('bob', withUser(jane))).status).toBe(403)
  })

  test('without an authenticated user is an error', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    expect((await as('bob')).status).toBe(500)
    log.mockRestore()
  })
})

describe('priority and fairness', () => {
  const flowControl = {
    flowSchemas: [
      {
        name: 'all',
        uid: 'schema-uid',
        matchingPrecedence: 1,
        priorityLevel: 'narrow',
        distinguisher: '',
        rules: [
          {
            subjects: [{ kind: 'Group', name: 'system:authenticated' }],
            resourceRules: [],
            nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
          },
        ],
      },
    ],
    priorityLevels: [
      {
        name: 'narrow',
        uid: 'level-uid',
        type: 'Limited',
        nominalConcurrencyShares: 1,
        borrowingLimitPercent: 0,
        limitResponse: { type: 'Reject' },
      },
    ],
  } as const

  test('adds flow headers, and responds with 429 while the only seat is taken', async () => {
    const { limits, policy, metrics } = servicesOf(clientOf({ flowControl }), { MAX_REQUESTS_INFLIGHT: '1' })
    const first = Promise.withResolvers<Response>()
    const begun = Promise.withResolvers<void>()
    const waits: Filter = (c, next) => {
      if (c.req.query('wait') === undefined) return next()
      begun.resolve()
      return first.promise
    }
    const server = serverOf(withWaitGroup, withUser(jane), withPriorityAndFairness(limits, policy, metrics), waits)
    const send = async (path: string): Promise<Response> => server.request(path, {}, undefined, executionContext)
    const running = send('/version?wait')
    await begun.promise
    const refused = await send('/version')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    first.resolve(new Response('done'))
    expect((await running).headers.get(flowHeaders[0])).toBe('schema-uid')
    const next = await send('/version')
    expect([next.status, next.headers.get(flowHeaders[1])]).toEqual([200, 'level-uid'])
  })
})

describe('authorization', () => {
  const { authorizer, metrics } = servicesOf(clientOf({ rbac: readersOfPaths }))
  const send = async (path: string, method = 'GET'): Promise<Response> =>
    serverOf(withUser(jane), withAuthorization(authorizer, metrics)).request(path, { method })

  test('admits a request that a role allows', async () => {
    expect((await send('/version')).status).toBe(200)
  })

  test('rejects other requests: 403 with the text of kube-apiserver', async () => {
    const path = await send('/version', 'POST')
    expect([path.status, (await json(path)).message]).toEqual([403, 'forbidden: User "jane" cannot post path "/version"'])
    const resource = await send('/api/v1/namespaces/default/pods/web')
    expect((await json(resource)).message).toBe(
      'pods "web" is forbidden: User "jane" cannot get resource "pods" in API group "" in the namespace "default"',
    )
  })
})
