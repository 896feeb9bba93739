import { describe, expect, test } from 'vitest'
import { Authenticator } from '../auth/authenticator.ts'
import { WithoutAudiences } from '../auth/token-authenticator.ts'
import { defaultCluster } from '../clusters/placement.ts'
import { administrator, clientOf, configOf, executionContext } from './filters/filters.fixture.ts'
import { respondTo } from './filters/head.ts'
import { createServer } from './server.ts'

const holders = new WithoutAudiences(['api'], (token) => (token === 'sesame' ? administrator : undefined))

/** A server whose collections respond with the operation that they received. */
const { app } = createServer(defaultCluster, configOf({}), {
  client: clientOf({}, async ({ headers }) => {
    const { verb, target, answerHeaders } = JSON.parse(headers.get('edgeplane-operation') ?? '{}')
    return Response.json({ verb, target }, { headers: answerHeaders })
  }),
  authentication: {
    tokens: new Authenticator([holders], ['api']),
    anonymous: { allowed: 'nowhere' },
    clientCertificates: 'ignored',
    accessAssertions: 'ignored',
  },
})
const send = (path: string, method = 'GET', token = 'sesame'): Promise<Response> =>
  respondTo(app, new Request(`http://server${path}`, { method, headers: { authorization: `Bearer ${token}` } }), executionContext)

describe('routing of paths', () => {
  test.each([
    ['/version', 200],
    ['/version/', 200],
    ['/%76ersion', 200],
    ['/version%0A', 404],
    ['/healthz', 200],
    ['/healthz/', 404],
    ['/healthz/etcd', 200],
    ['/readyz/none', 404],
    ['/', 200],
    ['/index.html', 200],
    ['/nothing', 404],
    ['/api', 200],
    ['/api//', 200],
    ['/api/v1', 200],
    ['/api/v2', 404],
    ['/apis/apps/v1/', 200],
    ['/apis/none', 404],
    ['/openapi/v3', 200],
    ['/openapi/v4', 404],
    ['//api/v1/pods', 404],
    ['/api//v1/pods', 404],
    ['/apis/apps//deployments', 404],
  ])('GET %s: %d', async (path, status) => {
    const response = await send(path)
    expect(response.status).toBe(status)
    expect(response.headers.has('audit-id')).toBe(true)
  })

  test.each(['/nothing', '/api/v1/namespaces/a%0Ab/pods', '/%0A', '/healthz/none', '//'])(
    '401 Unauthorized before 404: %s',
    async (path) => {
      expect((await send(path, 'GET', 'unknown')).status).toBe(401)
    },
  )
})

describe('a request for a resource', () => {
  const operation = async (path: string, method = 'GET'): Promise<unknown> => (await send(path, method)).json()

  test('is one operation of its collection, for any name', async () => {
    const target = { group: 'apps', version: 'v1', resource: 'deployments', subresource: '', namespace: 'a', name: 'b c' }
    expect(await operation('/apis/apps/v1/namespaces/a/deployments/b%20c')).toEqual({ verb: 'get', target })
    expect(await operation('/apis/apps/v1/namespaces/a/deployments/b%20c/')).toEqual({ verb: 'get', target })
    expect(await operation('/apis/apps/v1/deployments')).toMatchObject({ verb: 'list', target: { namespace: '', name: '' } })
  })

  test.each([
    ['HEAD', '/api/v1/pods', 405],
    ['OPTIONS', '/api/v1/pods', 405],
    ['POST', '/api/v1/pods', 405],
    ['GET', '/api/v1/nothing', 404],
    ['GET', '/api/v1/namespaces/a/pods/b//status', 404],
  ])('%s %s: %d', async (method, path, status) => {
    expect((await send(path, method)).status).toBe(status)
  })
})

test('a response to HEAD keeps its body: the runtime sends only its Content-Length', async () => {
  expect(await (await send('/healthz', 'HEAD')).text()).toBe('ok')
})
