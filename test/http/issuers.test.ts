/** OpenID Connect issuers over HTTPS, one with a private CA: discovery, key rotation, claim mappings. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { callerOf, releases } from '../clients/releases.ts'
import { startServer, type TestServer } from '../server.ts'
import { makeAuthority } from './certificate-authority.ts'
import { type HttpsServer, startHttps } from './https-server.ts'

interface Key {
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

/** An issuer with its published keys. */
interface Issuer extends HttpsServer {
  keys: Key[]
}

async function keyOf(kid: string, alg = 'ES256'): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

async function startIssuer(authority: Awaited<ReturnType<typeof makeAuthority>>): Promise<Issuer> {
  const https = await startHttps(authority, ({ path }) => {
    if (path === '/.well-known/openid-configuration') return { body: { issuer: https.url, jwks_uri: `${https.url}/keys` } }
    return path === '/keys' ? { body: { keys: issuer.keys.map(({ jwk }) => jwk) } } : { status: 404, body: {} }
  })
  const issuer: Issuer = Object.assign(https, { keys: [] })
  return issuer
}

let server: TestServer
let blue: Issuer
let red: Issuer
/** Its certificate is from another CA than the configured one. */
let impostor: Issuer
const directory = mkdtempSync(join(tmpdir(), 'edgeplane-test-'))

beforeAll(async () => {
  const [ours, theirs] = [await makeAuthority('issuers'), await makeAuthority('others')]
  blue = await startIssuer(ours)
  red = await startIssuer(theirs)
  impostor = await startIssuer(theirs)
  for (const issuer of [blue, red, impostor]) issuer.keys = [await keyOf(`first`)]
  const issuerConfiguration = (issuer: Issuer, certificateAuthority: string) => ({
    url: issuer.url,
    audiences: ['edgeplane'],
    certificateAuthority,
  })
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: issuerConfiguration(blue, ours.certificate),
        claimMappings: {
          username: { expression: "'blue:' + claims.sub" },
          groups: { expression: 'claims.roles.map(role, "blue:" + role)' },
          uid: { claim: 'id' },
          extra: [{ key: 'example.com/tenant', valueExpression: 'claims.tenant' }],
        },
        claimValidationRules: [
          { expression: "claims.tenant.startsWith('t')", message: 'no tenant of ours' },
          { claim: 'kind', requiredValue: 'person' },
        ],
        userValidationRules: [{ expression: "!user.username.startsWith('blue:system:')", message: 'reserved' }],
      },
      { issuer: issuerConfiguration(red, theirs.certificate), claimMappings: { username: { claim: 'sub', prefix: 'red:' } } },
      { issuer: issuerConfiguration(impostor, ours.certificate), claimMappings: { username: { claim: 'sub', prefix: '' } } },
    ],
    anonymous: { enabled: true, conditions: [{ path: '/livez' }] },
  }
  writeFileSync(join(directory, 'authentication.json'), JSON.stringify(configuration))
  server = await startServer({ args: ['--authentication-config', join(directory, 'authentication.json')] })
}, 30_000)
afterAll(async () => {
  for (const issuer of [blue, red, impostor]) issuer?.close()
  await server?.stop()
})
beforeEach(() => {
  for (const issuer of [blue, red, impostor]) issuer.requests.length = 0
})

const seconds = (): number => Math.floor(Date.now() / 1000)
const person = { sub: 'ann', id: '7', roles: ['dev', 'ops'], tenant: 't1', kind: 'person' }

function signed(issuer: Issuer, tokenClaims: object = person, key = issuer.keys[0]): Promise<string> {
  const claims = { iss: issuer.url, aud: 'edgeplane', exp: seconds() + 600, ...tokenClaims }
  const { kid = '', alg = '' } = key?.jwk ?? {}
  if (key === undefined) throw new Error('the issuer has no key')
  return new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key.privateKey)
}

const whoIs = (token: string): Promise<Reply> =>
  server.send('/apis/authentication.k8s.io/v1/selfsubjectreviews', { method: 'POST', body: {}, token })
const userOf = async (token: string): Promise<unknown> =>
  (await whoIs(token)).json<{ status?: { userInfo: object } }>().status?.userInfo
/** Returns the error of a TokenReview. */
async function refusalOf(token: string): Promise<string> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } }
  const reply = await server.send('/apis/authentication.k8s.io/v1/tokenreviews', { method: 'POST', body })
  return reply.json<{ status: { error?: string } }>().status.error ?? ''
}

describe('OIDC issuers', () => {
  test('map claims to users, each by its own configuration', async () => {
    expect(await userOf(await signed(blue))).toEqual({
      username: 'blue:ann',
      uid: '7',
      groups: ['blue:dev', 'blue:ops', 'system:authenticated'],
      extra: { 'example.com/tenant': ['t1'] },
    })
    expect(await userOf(await signed(red, { sub: 'ann', jti: 'x' }))).toEqual({
      username: 'red:ann',
      groups: ['system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=x'] },
    })
  })

  test('cannot sign for one another', async () => {
    expect(await refusalOf(await signed(blue, { ...person, iss: red.url }))).toContain('failed to verify signature')
    expect((await whoIs(await signed(blue, { ...person, iss: 'https://nobody.example' }))).status).toBe(401)
  })

  test('are fetched once', async () => {
    await userOf(await signed(blue))
    await userOf(await signed(blue, { ...person, sub: 'ben' }))
    expect(blue.requests.length).toBe(0)
  })

  test('with a certificate of another CA are not trusted', async () => {
    expect(await refusalOf(await signed(impostor, { sub: 'root' }))).toContain('oidc: authenticator not initialized')
    expect(impostor.requests).toEqual([])
  })

  test.each([
    [{ tenant: 'x' }, 'no tenant of ours'],
    [{ kind: 'robot' }, 'required claim kind value does not match'],
    [{ sub: 'system:admin' }, 'reserved'],
    [{ aud: 'others' }, 'expected audience'],
    [{ roles: 7 }, 'error evaluating group claim expression'],
  ])('a token with the claims %j is refused: %s', async (tokenClaims, why) => {
    expect(await refusalOf(await signed(blue, { ...person, ...tokenClaims }))).toContain(why)
  })

  test('nbf tolerates clock differences, exp does not', async () => {
    expect(await userOf(await signed(red, { sub: 'a', nbf: seconds() + 200 }))).toMatchObject({ username: 'red:a' })
    expect(await refusalOf(await signed(red, { sub: 'a', nbf: seconds() + 400 }))).toContain('before the nbf')
    expect(await refusalOf(await signed(red, { sub: 'a', exp: seconds() - 1 }))).toContain('token is expired')
  })

  test('anonymous requests are allowed at the configured paths only', async () => {
    expect((await server.send('/livez', { token: false })).status).toBe(200)
    expect((await server.send('/readyz', { token: false })).status).toBe(401)
    expect((await server.send('/api', { token: false })).status).toBe(401)
  })
})

test('a new key is fetched when a token names it, and a removed key stops to verify', async () => {
  const old = await signed(red, { sub: 'a' })
  expect(await userOf(old)).toMatchObject({ username: 'red:a' })
  red.keys = [await keyOf('second', 'RS256')]
  const token = await signed(red, { sub: 'b' })
  // Keys are fetched at most every ten seconds.
  let reply = await whoIs(token)
  for (const end = Date.now() + 15_000; reply.status === 401 && Date.now() < end; reply = await whoIs(token)) {
    await new Promise((done) => setTimeout(done, 500))
  }
  expect(reply.json<{ status: { userInfo: object } }>().status.userInfo).toMatchObject({ username: 'red:b' })
  expect((await whoIs(old)).status).toBe(401)
  expect(red.requests.filter(({ path }) => path === '/keys').length).toBeLessThanOrEqual(2)
})

const [newest] = releases()
test.skipIf(newest === undefined)('kubectl with an OIDC token (skipped without kubectl on the PATH)', async () => {
  const call = callerOf(newest?.[1] ?? '', () => server)
  const named = [`--server=${server.url}`, '--token', await signed(blue), '--kubeconfig=/dev/null']
  const trust = `--certificate-authority=${join(server.dataDirectory, 'tls/ca.crt')}`
  const binding = ['create', 'clusterrolebinding', 'blue-dev', '--clusterrole=view', '--group=blue:dev']
  expect((await call(binding)).code).toBe(0)
  expect((await call([...named, trust, 'get', 'configmaps', '-o', 'name'])).stdout).toBe('configmap/kube-root-ca.crt\n')
  expect((await call([...named, trust, 'get', 'secrets'])).stderr).toContain('User "blue:ann" cannot list resource "secrets"')
})
