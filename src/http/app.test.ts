import { describe, expect, test } from 'vitest'
import { Authenticator } from '../auth/authenticator.ts'
import { UserTokenIssuer } from '../auth/front-proxy/user-tokens.ts'
import { TokenKeys } from '../auth/service-accounts/token-keys.ts'
import { WithoutAudiences } from '../auth/token-authenticator.ts'
import { served } from '../catalog/generated/served.ts'
import { ClusterAddresses } from '../clusters/cluster-path.ts'
import { ReadCache } from '../clusters/read-cache.ts'
import type { Network } from '../clusters/webhooks/network.ts'
import type { WebhookTransport } from '../clusters/webhooks/transport.ts'
import { readAdmissionSettings } from '../config/admission/settings.ts'
import { resourceConfigOf } from '../config/emulation.ts'
import { KindCache } from '../crd/kind-cache.ts'
import { type ApiServer, apiServer } from './app.ts'
import { CurrentDiscovery } from './discovery/custom.ts'
import { administrator, clientOf, executionContext, partsOf } from './filters/filters.fixture.ts'
import { respondTo } from './filters/head.ts'
import { healthChecks, healthPaths } from './health.ts'
import { HealthMetrics } from './metrics/health-metrics.ts'
import { CustomVersions } from './openapi/definitions.ts'
import { settledResources } from './served-resources.ts'
import { noNodes } from './verbs/connect/node-access.ts'
import { sourceBuild } from './version.ts'

/** Returns a server whose collections respond with the operation that they received. */
const unreachable = (): Promise<never> => Promise.reject(new Error('no webhook is called here'))
const nowhere: Network = { connect: () => expect.unreachable(), fetch: unreachable }
const noWebhooks: WebhookTransport = { network: nowhere, fetch: unreachable, resolve: unreachable, isRouted: () => false }

function server(): ApiServer {
  const client = clientOf({}, async ({ headers }) => {
    const { verb, target, answerHeaders } = JSON.parse(headers.get('edgeplane-operation') ?? '{}')
    return Response.json({ verb, target }, { headers: answerHeaders })
  })
  const { policy, limits, authorizer, metrics } = partsOf(client)
  const resources = settledResources(resourceConfigOf(''))
  const tokens = new Authenticator(
    [new WithoutAudiences(['api'], (token) => (token === 'sesame' ? administrator : undefined))],
    ['api'],
  )
  const customKinds = new KindCache(client, policy)
  const health = healthChecks(async () => undefined)
  const issuer = { url: 'https://issuer', keys: new TokenKeys(client) }
  return apiServer({
    filters: {
      addresses: new ClusterAddresses(''),
      authentication: { tokens, anonymous: { allowed: 'nowhere' }, clientCertificates: 'ignored', accessAssertions: 'ignored' },
      headerLines: undefined,
      authorizer,
      policy,
      limits,
      audit: undefined,
      allowedOrigins: undefined,
      strictTransportSecurity: '',
      metrics,
      isNamed: false,
      publicPage: undefined,
      testing: undefined,
    },
    documents: {
      client,
      health,
      healthMetrics: new HealthMetrics(),
      livezGracePeriod: 0,
      metrics,
      process: undefined,
      metricsOptions: { hidden: 'hidden', disabled: new Set() },
      served: resources,
      discovery: new CurrentDiscovery(
        () => served,
        (asker) => policy.refresh(asker),
      ),
      customVersions: new CustomVersions(customKinds),
      apiServices: async (asker) => (await policy.refresh(asker)).apiServices,
      otherOpenApi: { current: async () => [] },
      issuer,
      build: sourceBuild,
      flags: {},
      otherPaths: healthPaths(health),
      serverAddress: 'server:443',
    },
    resources: {
      admissionSettings: readAdmissionSettings({}),
      policy,
      now: Date.now,
      served: resources,
      customKinds,
      webhooks: noWebhooks,
      nodes: noNodes,
      reads: new ReadCache(),
      writesOf: () => expect.unreachable(),
      authorizer,
      tokens,
      anonymous: { allowed: 'everywhere' },
      issuer,
      health,
      imageReviews: undefined,
      watches: 'streams',
      watchHeaders: {},
    },
    aggregation: {
      client,
      policy,
      reads: new ReadCache(),
      backends: { isCertified: () => false, find: unreachable, send: unreachable, connect: unreachable },
      tokens: new UserTokenIssuer(unreachable, issuer.url),
      watchHeaders: {},
    },
    client,
    testing: undefined,
  })
}

const app = server()
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
