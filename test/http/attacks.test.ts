/** Attacks on authentication and authorization: each is refused, and the server continues to work. */
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { base64url, CompactSign, decodeJwt, decodeProtectedHeader, type JWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reply, RequestOptions } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
/** A token of a ServiceAccount without permissions. */
let token: string
beforeAll(async () => {
  server = await startServer()
  const path = '/api/v1/namespaces/default/serviceaccounts'
  await server.send(path, { method: 'POST', body: { metadata: { name: 'nobody' } } })
  const reply = await server.send(`${path}/nobody/token`, { method: 'POST', body: { spec: {} } })
  token = reply.json<{ status: { token: string } }>().status.token
}, 30_000)
afterAll(() => server.stop())

const secrets = '/api/v1/namespaces/kube-system/secrets'
const me = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const statusOf = async (bearer: string): Promise<number> => (await server.send('/api', { token: bearer })).status
const ask = (headers: Readonly<Record<string, string | readonly string[]>>, options: RequestOptions = {}): Promise<Reply> =>
  server.send(me, { method: 'POST', body: {}, ...options, headers })
const message = (reply: Reply): string => reply.json<{ message: string }>().message

describe('a forged ServiceAccount token', () => {
  const parts = (): string[] => token.split('.')
  const header = (more: object): string => base64url.encode(JSON.stringify({ ...decodeProtectedHeader(token), ...more }))
  const claims = (more: object = {}) => ({ ...decodeJwt(token), ...more })
  const encoded = (value: object): string => base64url.encode(JSON.stringify(value))
  const published = async (): Promise<JWK> => {
    const reply = await server.send('/openid/v1/jwks', { headers: { accept: '*/*' } })
    return reply.json<{ keys: JWK[] }>().keys[0] ?? {}
  }

  test('control: the genuine token is accepted', async () => {
    expect(await statusOf(token)).toBe(200)
  })

  test('without a signature is 401', async () => {
    const [head = '', body = '', signature = ''] = parts()
    for (const alg of ['none', 'None', 'nOnE', '', 'HS256', 'ES384']) {
      for (const tail of ['', signature]) expect(await statusOf(`${header({ alg })}.${body}.${tail}`)).toBe(401)
    }
    for (const tail of ['', 'AAAA', signature.slice(1), '0'.repeat(86), 'A'.repeat(86)]) {
      expect(await statusOf(`${head}.${body}.${tail}`)).toBe(401)
    }
  })

  test('with changed claims is 401', async () => {
    const [head = '', , tail = ''] = parts()
    const forgedClaims = claims({ sub: 'system:serviceaccount:kube-system:admin', exp: 4_000_000_000 })
    expect(await statusOf(`${head}.${encoded(forgedClaims)}.${tail}`)).toBe(401)
  })

  test('with the public key as HMAC secret is 401', async () => {
    const key = await published()
    const pem = createPublicKey({ key: { ...key } as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
    for (const secret of [String(pem), String(pem).trim(), JSON.stringify(key), String(key.x)]) {
      const bytes = new TextEncoder().encode(secret)
      const payload = new TextEncoder().encode(JSON.stringify(claims({ exp: 4_000_000_000 })))
      for (const kid of [{ kid: key.kid ?? '' }, {}]) {
        const forged = await new CompactSign(payload).setProtectedHeader({ alg: 'HS256', ...kid }).sign(bytes)
        expect(await statusOf(forged)).toBe(401)
      }
    }
  })

  test('signed by another key with the same kid is 401', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = createPrivateKey(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const jwk = pair.publicKey.export({ format: 'jwk' }) as JWK
    const { kid = '' } = await published()
    for (const more of [{}, { jwk }, { jku: 'https://evil.example/keys' }, { kid: '' }, { kid: '../../etc/passwd' }]) {
      const forged = await new SignJWT(claims()).setProtectedHeader({ alg: 'ES256', kid, ...more }).sign(key)
      expect(await statusOf(forged)).toBe(401)
    }
  })

  test.each(['.', '..', 'a.b.c', 'e30.e30.', 'null', '{}', 'undefined', '__proto__', '%00', '\u00e4'])(
    '%j is 401',
    async (bearer) => {
      expect(await statusOf(bearer)).toBe(401)
    },
  )
})

describe('a request header', () => {
  test.each([
    ['x-remote-user', 'admin'],
    ['x-remote-group', 'system:masters'],
    ['x-forwarded-client-cert', 'Subject="CN=admin,O=system:masters"'],
    ['cf-client-cert-sha256', 'ab'],
    ['cf-tls-client-auth', '{"certPresented":"1","certVerified":"SUCCESS","certSubjectDNRFC2253":"CN=admin,O=system:masters"}'],
    ['cf', '{"tlsClientAuth":{"certPresented":"1","certVerified":"SUCCESS","certSubjectDNRFC2253":"CN=admin,O=system:masters"}}'],
    ['cf-access-authenticated-user-email', 'admin@example.com'],
    ['edgeplane-operation', '{"verb":"get"}'],
  ])('%s does not authenticate anybody', async (name, value) => {
    const reply = await server.send(secrets, { token: false, headers: { [name]: value } })
    expect(reply.status).toBe(403)
    expect(message(reply)).toContain('User "system:anonymous" cannot list')
  })

  test('of enormous length is refused, and the next request is answered', async () => {
    for (const length of [9_000, 70_000, 300_000]) {
      const enormous = 'x'.repeat(length)
      const response = server.send('/api', { token: enormous }).then(
        ({ status }) => status,
        () => 'closed' as const,
      )
      expect([400, 401, 431, 'closed']).toContain(await response)
    }
    expect((await server.send('/api')).status).toBe(200)
  })
})

describe('impersonation', () => {
  test.each([
    { 'impersonate-user': 'admin' },
    { 'impersonate-user': 'system:serviceaccount:kube-system:default' },
    { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' },
    { 'impersonate-user': 'nobody', 'impersonate-extra-scopes': 'all' },
    { 'Impersonate-User': 'ADMIN', 'Impersonate-Uid': '0' },
  ])('%j is 403 without the permission', async (headers) => {
    expect((await ask(headers, { token })).status).toBe(403)
    expect((await ask(headers, { token: false })).status).toBe(403)
  })

  test('of groups or extra without a user is an error, never the requestor with more groups', async () => {
    for (const headers of [
      { 'impersonate-group': 'system:masters' },
      { 'impersonate-uid': '1' },
      { 'impersonate-extra-a': 'b' },
    ]) {
      expect((await ask(headers)).status).toBe(400)
      expect((await ask(headers, { token })).status).toBe(400)
    }
  })

  test('takes values literally: a comma does not separate groups, an escape does not make another header', async () => {
    const reply = await ask({
      'impersonate-user': 'alice',
      'impersonate-group': 'a,system:masters',
      'impersonate-extra-x%0d%0aimpersonate-group': 'system:masters',
      'impersonate-extra-__proto__': 'p',
      'impersonate-extra-example.com%2fscopes': 'all',
    })
    const { userInfo } = reply.json<{ status: { userInfo: { groups: string[]; extra: object } } }>().status
    expect(userInfo.groups).toEqual(['a,system:masters', 'system:authenticated'])
    expect(JSON.parse(JSON.stringify(userInfo.extra), (_key, value: unknown) => value)).toMatchObject({
      'example.com/scopes': ['all'],
      'x\r\nimpersonate-group': ['system:masters'],
    })
    const others = await server.send(secrets, {
      headers: { 'impersonate-user': 'alice', 'impersonate-group': 'a,system:masters' },
    })
    expect(others.status).toBe(403)
  })
})

describe('an Impersonate-Group header with a comma and a space', () => {
  const groupsOf = (reply: Reply): readonly string[] =>
    reply.json<{ status: { userInfo: { groups: readonly string[] } } }>().status.userInfo.groups

  test('is one group, and repeated headers are several', async () => {
    const user = { 'impersonate-user': 'alice' }
    const one = await ask({ ...user, 'impersonate-group': 'a, system:masters' })
    expect(groupsOf(one)).toEqual(['a, system:masters', 'system:authenticated'])
    const several = await ask({ ...user, 'impersonate-group': ['a', 'b, c', 'd'] })
    expect(groupsOf(several)).toEqual(['a', 'b, c', 'd', 'system:authenticated'])
    expect((await server.send(secrets, { headers: { ...user, 'impersonate-group': 'a, system:masters' } })).status).toBe(403)
    expect((await server.send(secrets, { headers: { ...user, 'impersonate-group': ['a', 'system:masters'] } })).status).toBe(200)
  })

  test('gives a relay that may impersonate some groups no other', async () => {
    const rules = [
      { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] },
      { apiGroups: [''], resources: ['groups'], verbs: ['impersonate'], resourceNames: ['a', 'b', 'b, c'] },
    ]
    const relay = await grantedToken('relay', 'ClusterRole', rules)
    const relayed = (groups: string | string[]): Promise<Reply> =>
      ask({ 'impersonate-user': 'alice', 'impersonate-group': groups }, { token: relay })
    expect(groupsOf(await relayed(['a', 'b']))).toEqual(['a', 'b', 'system:authenticated'])
    expect(groupsOf(await relayed('b, c'))).toEqual(['b, c', 'system:authenticated'])
    expect((await relayed('a, b')).status).toBe(403)
    expect((await relayed(['b', 'c'])).status).toBe(403)
  })

  test('in Impersonate-Extra is one value, and of repeated users the first counts, as for Go', async () => {
    const headers = { 'impersonate-user': ['alice', 'admin'], 'impersonate-extra-scopes': ['a, b', 'c'] }
    const reply = (await ask(headers)).json<{ status: { userInfo: { username: string; extra: object } } }>()
    expect(reply.status.userInfo).toMatchObject({ username: 'alice', extra: { scopes: ['a, b', 'c'] } })
  })
})

/** Returns a token of a new account with rules, in the namespace `default`, or everywhere with a ClusterRole. */
async function grantedToken(name: string, kind: 'Role' | 'ClusterRole', rules: readonly object[]): Promise<string> {
  const post = (path: string, body: object): Promise<Reply> => server.send(path, { method: 'POST', body })
  const accounts = '/api/v1/namespaces/default/serviceaccounts'
  const rbac = `/apis/rbac.authorization.k8s.io/v1${kind === 'Role' ? '/namespaces/default' : ''}`
  await post(accounts, { metadata: { name } })
  await post(`${rbac}/${kind.toLowerCase()}s`, { metadata: { name }, rules })
  await post(`${rbac}/${kind.toLowerCase()}bindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name }],
  })
  return (await post(`${accounts}/${name}/token`, { spec: {} })).json<{ status: { token: string } }>().status.token
}

describe('permissions in one namespace', () => {
  let bearer: string
  beforeAll(async () => {
    bearer = await grantedToken('all-of-default', 'Role', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }])
  })

  test.each(['', '/kube-system', '/default', '?watch=1'])(
    'give no access to namespaces by /api/v1/namespaces/default/namespaces%s',
    async (tail) => {
      const reply = await server.send(`/api/v1/namespaces/default/namespaces${tail}`, { token: bearer })
      expect(reply.json()).toMatchObject({ code: 404, message: 'the server could not find the requested resource', details: {} })
    },
  )

  test('do not allow to create a namespace', async () => {
    const body = { metadata: { name: 'smuggled' } }
    const made = await server.send('/api/v1/namespaces/default/namespaces', { method: 'POST', body, token: bearer })
    expect(made.status).toBe(404)
    expect((await server.send('/api/v1/namespaces/smuggled')).status).toBe(404)
  })

  test('give no access to all namespaces by an empty namespace in the path', async () => {
    expect((await server.send('/api/v1/namespaces//secrets', { token: bearer })).status).toBe(403)
  })
})

describe('a user with update but without create', () => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
  const lease = (name: string): object => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name } })
  let bearer: string
  beforeAll(async () => {
    const rule = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'update', 'patch'] }
    bearer = await grantedToken('updates-leases', 'Role', [rule])
  })

  test.each(['', '?dryRun=All'])('cannot create with PUT%s: 403', async (query) => {
    const reply = await server.send(`${leases}/made${query}`, { method: 'PUT', body: lease('made'), token: bearer })
    expect(reply.json()).toMatchObject({ code: 403, details: { name: 'made', group: 'coordination.k8s.io', kind: 'leases' } })
    expect(message(reply)).toContain('cannot create resource "leases"')
    expect((await server.send(`${leases}/made`)).status).toBe(404)
  })

  test('cannot create with server-side apply: 403, after validation errors', async () => {
    const apply = (body: object): Promise<Reply> => {
      const headers = { 'content-type': 'application/apply-patch+yaml' }
      return server.send(`${leases}/made?fieldManager=m`, { method: 'PATCH', headers, body, token: bearer })
    }
    expect(message(await apply(lease('made')))).toContain('cannot create resource "leases"')
    expect((await apply({ ...lease('made'), spec: { leaseDurationSeconds: -1 } })).status).toBe(422)
  })

  test('can update an existing object', async () => {
    await server.send(leases, { method: 'POST', body: lease('there') })
    const { metadata } = (await server.send(`${leases}/there`)).json<{ metadata: object }>()
    const body = { ...lease('there'), metadata }
    expect((await server.send(`${leases}/there`, { method: 'PUT', body, token: bearer })).status).toBe(200)
  })
})

test('get without create on pods/exec is 403', async () => {
  const bearer = await grantedToken('gets-exec', 'Role', [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['get'] }])
  const reply = await server.send('/api/v1/namespaces/default/pods/absent/exec?command=x', { token: bearer })
  expect(reply.json()).toMatchObject({ code: 403, message: 'pods "absent" is forbidden: ' })
})

describe('a disguised path', () => {
  const disguised = [
    '//api/v1/namespaces/kube-system/secrets',
    '/api//v1/namespaces/kube-system/secrets',
    '/api/v1//namespaces/kube-system/secrets',
    '/api/v1/namespaces/kube-system//secrets',
    '/api/v1/namespaces/kube-system/secrets/',
    '/api/v1/namespaces/kube-system/./secrets',
    '/api/v1/namespaces/default/../kube-system/secrets',
    '/livez/../api/v1/namespaces/kube-system/secrets',
    '/version/../api/v1/secrets',
    '/api/v1/namespaces/kube-system%2fsecrets',
    '/api/v1/namespaces%2fkube-system%2fsecrets',
    '/api%2fv1%2fnamespaces%2fkube-system%2fsecrets',
    '/livez%2f..%2fapi/v1/secrets',
    '/livez/%2e%2e/api/v1/secrets',
    '/api/v1/namespaces/kube-system/%73ecrets',
    '/api/v1/namespaces/kube-system/secrets%00',
    '/api/v1/namespaces/kube-system/secrets;x',
    '/api/v1/namespaces/kube-system/secrets?watch=1',
    '/api/v1/namespaces/kube-system/SECRETS',
    '/API/V1/namespaces/kube-system/secrets',
    '/Api/v1/secrets',
    '/api/v1/watch/namespaces/kube-system/secrets',
    '/api/v1/watch/secrets',
    '/apis//v1/secrets',
    '/apis/v1/secrets',
    '/api/v1/secrets#/livez',
    '/api/v1\\namespaces\\kube-system\\secrets',
    '/api/v1/namespaces/kube-system/secrets/..',
    '/api/v1/namespaces/kube-system/secrets/%2e%2e/pods',
    '/openapi/v2/../../api/v1/secrets',
    '/api/v1/namespaces/kube-system/secrets?fieldSelector=metadata.name%3Dx',
  ]

  test.each(disguised)('%s does not bypass authorization', async (path) => {
    for (const options of [{ token }, { token: false as const }]) {
      const reply = await server.send(path, options)
      expect([301, 400, 401, 403, 404, 405], `${path}: ${reply.text}`).toContain(reply.status)
      expect(reply.text).not.toContain('SecretList')
    }
  })
})

describe('a server with anonymous access at some paths only', () => {
  let closed: TestServer
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'edgeplane-attacks-'))
    const configuration = join(folder, 'authentication.yaml')
    writeFileSync(
      configuration,
      `apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
anonymous:
  enabled: true
  conditions:
  - path: /livez
`,
    )
    const tokens = join(folder, 'tokens.json')
    writeFileSync(tokens, JSON.stringify([{ token: 'sesame', user: 'ci', groups: ['system:masters'] }]))
    closed = await startServer({ args: ['--authentication-config', configuration, '--static-tokens', tokens] })
  }, 30_000)
  afterAll(() => closed.stop())

  test.each(['/livez/', '/livez/ping', '//livez', '/LIVEZ', '/%6civez/x', '/livez/../api', '/api', '/healthz', '/'])(
    '%s is 401 without a token',
    async (path) => expect((await closed.send(path, { token: false })).status).toBe(401),
  )

  test('allows anonymous requests at the configured paths, and authenticated ones everywhere', async () => {
    expect((await closed.send('/livez', { token: false })).status).toBe(200)
    expect((await closed.send('/api', { token: 'sesame' })).status).toBe(200)
    expect((await closed.send(secrets, { token: 'sesame' })).status).toBe(200)
    expect((await closed.send('/livez', { token: 'sesam' })).status).toBe(401)
  })
})
