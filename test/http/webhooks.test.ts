/** Webhook token authentication and webhook authorization over HTTPS. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'
import { makeAuthority } from './certificate-authority.ts'
import { type Answer, type HttpsServer, type ReceivedRequest, startHttps } from './https-server.ts'

let server: TestServer
let tokens: HttpsServer
let deciding: HttpsServer
let last: HttpsServer

const kubeconfig = (url: string, directory: string, name: string): string => {
  const file = join(directory, `${name}.yaml`)
  const text = `
apiVersion: v1
kind: Config
clusters: [{name: hook, cluster: {server: '${url}', certificate-authority: ca.crt}}]
users: [{name: api, user: {tokenFile: ${name}.token}}]
contexts: [{name: hook, context: {cluster: hook, user: api}}]
current-context: hook
`
  writeFileSync(join(directory, `${name}.token`), `secret-of-${name}\n`)
  writeFileSync(file, text)
  return file
}

const review = ({ body }: ReceivedRequest) =>
  JSON.parse(body) as {
    kind: string
    apiVersion: string
    spec: { token: string; audiences: string[]; user: string; resourceAttributes?: Record<string, unknown> }
  }

const users: Readonly<Record<string, object>> = {
  'token-of-ann': { authenticated: true, user: { username: 'ann', uid: '7', groups: ['devs'], extra: { scopes: ['a', 'b'] } } },
  'token-of-bob': { authenticated: true, user: { username: 'bob' } },
  'token-of-others': { authenticated: true, user: { username: 'eve' }, audiences: ['others'] },
  'token-without-user': { authenticated: true, user: {} },
  'token-that-ended': { authenticated: false, error: 'token has ended' },
}

const reviewToken = (request: ReceivedRequest): Answer => ({
  body: { status: users[review(request).spec.token] ?? { authenticated: false } },
})
const status = (more: object): Answer => ({ body: { status: { allowed: false, ...more } } })
const undecided = (): Answer => status({})

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'edgeplane-test-'))
  const authority = await makeAuthority('hooks')
  writeFileSync(join(directory, 'ca.crt'), authority.certificate)
  tokens = await startHttps(authority, reviewToken)
  deciding = await startHttps(authority, undecided)
  last = await startHttps(authority, undecided)
  const hook = (name: string, file: string, failurePolicy: string, timeout: string, conditions: readonly string[]) => ({
    type: 'Webhook',
    name,
    webhook: {
      authorizedTTL: '1s',
      unauthorizedTTL: '1s',
      cacheUnauthorizedRequests: false,
      timeout,
      subjectAccessReviewVersion: 'v1',
      matchConditionSubjectAccessReviewVersion: 'v1',
      failurePolicy,
      connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: file },
      matchConditions: conditions.map((expression) => ({ expression })),
    },
  })
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthorizationConfiguration',
    authorizers: [
      hook('deciding', kubeconfig(`${deciding.url}/decide?x=1`, directory, 'deciding'), 'Deny', '1s', [
        'has(request.resourceAttributes)',
        "!('system:serviceaccounts' in request.groups)",
        "request.resourceAttributes.resource != 'leases'",
        "!has(request.resourceAttributes.fieldSelector) || request.resourceAttributes.fieldSelector.requirements[0].values[0] != 'skipped'",
        "request.user != 'odd' || request.extra['none'][0] == 'x'",
      ]),
      { type: 'RBAC', name: 'rbac' },
      hook('last', kubeconfig(last.url, directory, 'last'), 'NoOpinion', '200ms', ["request.user == 'bob'"]),
    ],
  }
  writeFileSync(join(directory, 'authorization.json'), JSON.stringify(configuration))
  server = await startServer({
    args: [
      '--authentication-token-webhook-config-file',
      kubeconfig(tokens.url, directory, 'tokens'),
      '--authorization-config',
      join(directory, 'authorization.json'),
    ],
  })
}, 30_000)
afterAll(async () => {
  for (const each of [tokens, deciding, last]) each?.close()
  await server?.stop()
})
beforeEach(() => {
  tokens.answer = reviewToken
  deciding.answer = undecided
  last.answer = undecided
  for (const each of [tokens, deciding, last]) each.requests.length = 0
})

let counter = 0
/** Returns a path for which no authorization is cached. */
const fresh = (): string => `/api/v1/namespaces/default/configmaps/c${counter++}`
const as = (who: string, path = fresh()): Promise<Reply> => server.send(path, { token: `token-of-${who}` })
const asUser = (name: string, path: string, more: Readonly<Record<string, string>> = {}): Promise<Reply> =>
  server.send(path, { headers: { 'impersonate-user': name, ...more } })

describe('a webhook token authenticator', () => {
  test('gets the TokenReview of kube-apiserver, and its user is authenticated', async () => {
    deciding.answer = () => status({ allowed: true })
    const reply = await server.send('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      method: 'POST',
      body: {},
      token: 'token-of-ann',
    })
    expect(reply.json<{ status: { userInfo: object } }>().status.userInfo).toEqual({
      username: 'ann',
      uid: '7',
      groups: ['devs', 'system:authenticated'],
      extra: { scopes: ['a', 'b'] },
    })
    const [request] = tokens.requests
    expect(request?.headers.authorization).toBe('Bearer secret-of-tokens')
    expect(request === undefined ? {} : review(request)).toMatchObject({
      kind: 'TokenReview',
      apiVersion: 'authentication.k8s.io/v1',
      spec: { token: 'token-of-ann', audiences: ['https://kubernetes.default.svc.cluster.local'] },
    })
  })

  test('is cached, and is not called for tokens that other authenticators know', async () => {
    await as('bob')
    tokens.requests.length = 0
    await as('bob')
    await server.send('/api')
    expect(tokens.requests).toEqual([])
  })

  test.each(['token-of-others', 'token-without-user', 'token-that-ended', 'nobodys'])('%s is 401', async (token) => {
    expect((await server.send('/api', { token })).status).toBe(401)
  })

  test('gives the error of a TokenReview', async () => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'token-that-ended' } }
    const reply = await server.send('/apis/authentication.k8s.io/v1/tokenreviews', { method: 'POST', body })
    expect(reply.json<{ status: object }>().status).toMatchObject({ error: '[invalid bearer token, token has ended]' })
  })

  test.each<readonly [string, Answer]>([
    ['403', { status: 403, body: {} }],
    ['invalid JSON', { body: 'no' }],
    ['an object that is not a TokenReview', { body: {} }],
    ['a redirect', { status: 302, headers: { location: 'https://127.0.0.1:1/' }, body: {} }],
    ['a body over 1 MiB', { body: `{"status":{"authenticated":true,"user":{"username":"${'x'.repeat(1_100_000)}"}}}` }],
    ['authenticated as a string', { body: { status: { authenticated: 'true', user: { username: 'ann' } } } }],
  ])('that answers with %s: 401', async (_what, answered) => {
    tokens.answer = () => answered
    expect((await server.send('/api', { token: `new-${counter++}` })).status).toBe(401)
  })
})

describe('a webhook authorizer', () => {
  test('gets the SubjectAccessReview of kube-apiserver, before RBAC', async () => {
    deciding.answer = () => status({ allowed: true, reason: 'because' })
    expect((await asUser('zoe', '/api/v1/namespaces/default/configmaps/kube-root-ca.crt')).status).toBe(200)
    const request = deciding.requests.at(-1)
    expect(request).toMatchObject({ path: '/decide?x=1', headers: { authorization: 'Bearer secret-of-deciding' } })
    expect(request === undefined ? {} : JSON.parse(request.body)).toEqual({
      kind: 'SubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {},
      spec: {
        resourceAttributes: {
          namespace: 'default',
          verb: 'get',
          group: '',
          version: 'v1',
          resource: 'configmaps',
          subresource: '',
          name: 'kube-root-ca.crt',
        },
        user: 'zoe',
        groups: ['system:authenticated'],
        uid: '',
      },
    })
  })

  test.each<readonly [string, string, object]>([
    [
      'list',
      'fieldSelector=status.phase!=Running,spec.nodeName=a&labelSelector=a in (y,x),!b,c,d>5',
      {
        fieldSelector: {
          requirements: [
            { key: 'spec.nodeName', operator: 'In', values: ['a'] },
            { key: 'status.phase', operator: 'NotIn', values: ['Running'] },
          ],
        },
        labelSelector: {
          requirements: [
            { key: 'a', operator: 'In', values: ['x', 'y'] },
            { key: 'b', operator: 'DoesNotExist' },
            { key: 'c', operator: 'Exists' },
          ],
        },
      },
    ],
    [
      'watch',
      'watch=1&timeoutSeconds=1&labelSelector=a=',
      { labelSelector: { requirements: [{ key: 'a', operator: 'In', values: [''] }] } },
    ],
    [
      'list',
      'fieldSelector=bad&labelSelector=a=b',
      { labelSelector: { requirements: [{ key: 'a', operator: 'In', values: ['b'] }] } },
    ],
    [
      'list',
      'fieldSelector=metadata.name=x',
      { name: 'x', fieldSelector: { requirements: [{ key: 'metadata.name', operator: 'In', values: ['x'] }] } },
    ],
  ])('gets the selectors of a %s: %s', async (verb, query, expected) => {
    deciding.answer = () => status({ allowed: true })
    await asUser('selective', `/api/v1/namespaces/default/pods?${encodeURI(query)}`)
    const empty = { group: '', subresource: '', name: '' }
    const attributes = { ...empty, namespace: 'default', verb, version: 'v1', resource: 'pods', ...expected }
    expect(deciding.requests.map((request) => review(request).spec.resourceAttributes)).toEqual([attributes])
  })

  test('is not called if a match condition excludes the fieldSelector', async () => {
    await asUser('selective', '/api/v1/namespaces/default/pods?fieldSelector=spec.nodeName=skipped')
    expect(deciding.requests).toEqual([])
  })

  test('gets the selectors of a SubjectAccessReview, and any version if it has none', async () => {
    deciding.answer = () => status({ allowed: true })
    const labelSelector = {
      requirements: [
        { key: 'z', operator: 'Exists' },
        { key: 'a', operator: 'Unknown' },
      ],
    }
    const spec = { user: 'b', resourceAttributes: { resource: 'pods', verb: 'list', labelSelector } }
    await server.send('/apis/authorization.k8s.io/v1/subjectaccessreviews', { method: 'POST', body: { spec } })
    expect(deciding.requests.map((request) => review(request).spec.resourceAttributes)).toMatchObject([
      { version: '*', labelSelector: { requirements: [{ key: 'z', operator: 'Exists' }] } },
    ])
  })

  test('denies with its reason, even if RBAC allows', async () => {
    deciding.answer = () => status({ denied: true, reason: 'not today' })
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
    const body = { spec: { resourceAttributes: { resource: 'pods', verb: 'list' } } }
    expect((await server.send(path, { method: 'POST', body, headers: { 'impersonate-user': 'a' } })).json()).toMatchObject({
      message: expect.stringContaining('at the cluster scope: not today'),
    })
    const subject = { spec: { user: 'b', ...body.spec } }
    const review = await server.send('/apis/authorization.k8s.io/v1/subjectaccessreviews', { method: 'POST', body: subject })
    expect(review.json<{ status: object }>().status).toEqual({ allowed: false, denied: true, reason: 'not today' })
    expect(last.requests).toEqual([])
  })

  test('without an opinion leaves the decision to the next authorizer', async () => {
    last.answer = () => status({ allowed: true })
    expect((await as('bob')).status).toBe(404)
    expect((await asUser('carl', fresh())).status).toBe(403)
    expect(last.requests).toHaveLength(1)
  })

  test('is not called if a match condition is false, nor for system:masters', async () => {
    await server.send(fresh())
    await asUser('carl', '/api')
    await asUser('carl', '/apis/coordination.k8s.io/v1/leases')
    await asUser('system:serviceaccount:default:default', fresh())
    expect(deciding.requests).toEqual([])
  })

  test('with a failing match condition and failurePolicy Deny refuses', async () => {
    const reply = await asUser('odd', fresh())
    expect(reply.status).toBe(500)
    expect(reply.json().message).toContain('cel evaluation error: expression')
    expect(deciding.requests).toEqual([])
  })

  test('caches allowed requests, and unauthorized ones unless their cache is disabled', async () => {
    deciding.answer = () => status({ allowed: true })
    const path = fresh()
    await asUser('carl', path)
    await asUser('carl', path)
    expect(deciding.requests).toHaveLength(1)
    deciding.answer = undecided
    const other = fresh()
    await asUser('carl', other)
    await asUser('carl', other)
    expect(deciding.requests).toHaveLength(3)
  })

  test.each<readonly [string, Answer]>([
    ['403', { status: 403, body: {} }],
    ['an object that is not a SubjectAccessReview', { body: {} }],
    ['allowed as a string', status({ allowed: 'true' })],
    ['both', status({ allowed: true, denied: true })],
    ['no response within the timeout', 'nothing'],
  ])('that answers with %s refuses', async (_what, answered) => {
    deciding.answer = () => answered
    expect((await asUser('carl', fresh())).status).toBe(500)
  })

  test('is retried after 500', async () => {
    let requests = 0
    deciding.answer = () => (++requests === 1 ? { status: 500, body: {} } : status({ allowed: true }))
    expect((await asUser('carl', fresh())).status).toBe(404)
    expect(requests).toBe(2)
  })

  test('that fails with failurePolicy NoOpinion is skipped', async () => {
    last.answer = () => 'nothing'
    expect((await as('bob')).status).toBe(500)
    deciding.answer = () => status({ allowed: true })
    expect((await as('bob')).status).toBe(404)
  })

  test('makes a SelfSubjectRulesReview incomplete', async () => {
    const reply = await server.send('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
      method: 'POST',
      body: { spec: { namespace: 'default' } },
    })
    expect(reply.json<{ status: object }>().status).toMatchObject({
      incomplete: true,
      evaluationError: expect.stringContaining('webhook authorizer does not support user rule resolution'),
    })
  })
})
