import { base64url, CompactSign, exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import type { JwtAuthenticator } from '../configuration.ts'
import { TokenError } from '../token-authenticator.ts'
import { oidcTokens } from './authenticator.ts'

const issuer = 'https://issuer.example'
const start = 1_800_000_000_000
const by: JwtAuthenticator = {
  issuer,
  keys: { at: 'discovery', url: `${issuer}/.well-known/openid-configuration` },
  audiences: ['edgeplane'],
  username: { claim: 'sub', prefix: 'oidc:' },
  groups: { claim: 'groups', prefix: 'oidc:' },
  extra: new Map(),
  required: new Map([['tenant', 'blue']]),
  claimRules: [],
  userRules: [],
}

interface Pair {
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  readonly jwk: JWK
}

async function pairOf(kid: string, alg = 'ES256'): Promise<Pair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

let first: Pair
let second: Pair
beforeAll(async () => {
  first = await pairOf('first')
  second = await pairOf('second', 'RS256')
})

const claims = {
  iss: issuer,
  aud: 'edgeplane',
  sub: 'alice',
  groups: ['admins'],
  tenant: 'blue',
  jti: 'id',
  exp: start / 1000 + 600,
}

function signed(
  tokenClaims: Record<string, unknown>,
  by: Pair = first,
  header: { alg?: string; kid?: string } = {},
): Promise<string> {
  const { kid = '', alg = '' } = by.jwk
  return new SignJWT(tokenClaims).setProtectedHeader({ alg, kid, ...header }).sign(by.privateKey)
}

/** Starts an issuer whose responses a test can change, with its own clock. */
function server(keys: JWK[]) {
  const state = { keys, requests: 0, now: start, documents: {} as Record<string, () => Response> }
  const answers: Record<string, () => Response> = {
    [by.keys.url]: () => Response.json({ issuer, jwks_uri: `${issuer}/keys` }),
    [`${issuer}/keys`]: () => Response.json({ keys: state.keys }),
  }
  const holderOf = oidcTokens(
    [by],
    () => async (url) => {
      state.requests++
      const document = state.documents[url] ?? answers[url]
      return document?.() ?? new Response(null, { status: 404 })
    },
    () => state.now,
  )
  return { state, holderOf }
}

describe('a token of a trusted issuer', () => {
  test('maps claims to a user with the configured prefixes', async () => {
    const { holderOf } = server([first.jwk])
    expect(await holderOf(await signed(claims))).toEqual({
      name: 'oidc:alice',
      uid: '',
      groups: ['oidc:admins'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=id'] },
    })
  })

  test('verifies without a kid in its header', async () => {
    const { holderOf } = server([second.jwk, (await pairOf('other')).jwk, first.jwk])
    const unnamed = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(first.privateKey)
    expect((await holderOf(unnamed))?.name).toBe('oidc:alice')
  })

  test.each([
    [{ exp: start / 1000 }, 'oidc: verify token: token is expired'],
    [{ exp: undefined }, 'oidc: verify token: token is expired'],
    [{ exp: '4000000000' }, 'oidc: verify token: token is expired'],
    [{ nbf: start / 1000 + 301 }, 'oidc: verify token: current time is before the nbf time'],
    [{ aud: 'others' }, 'oidc: verify token: expected audience in "edgeplane"'],
    [{ aud: ['others', 7] }, 'oidc: verify token: expected audience in "edgeplane"'],
    [{ aud: undefined }, 'oidc: verify token: expected audience in "edgeplane"'],
    [{ sub: undefined }, 'oidc: parse username claims "sub": claim not present'],
    [{ sub: 7 }, 'oidc: parse username claims "sub": not a string'],
    [{ sub: '' }, 'oidc: the username is empty'],
    [{ groups: [7] }, 'oidc: parse groups claim "groups": not a list of strings'],
    [{ tenant: 'red' }, 'oidc: required claim tenant value does not match. Got = red, want = blue'],
    [{ tenant: undefined }, 'oidc: required claim tenant not present in ID token'],
  ])('with the claims %j is refused', async (tokenClaims, message) => {
    const { holderOf } = server([first.jwk])
    await expect(holderOf(await signed({ ...claims, ...tokenClaims }))).rejects.toThrow(new TokenError(message))
  })

  test('whose email is not verified is refused', async () => {
    const { holderOf } = server([first.jwk])
    const byMail = oidcTokens(
      [{ ...by, username: { claim: 'email', prefix: '' } }],
      () => async (url) =>
        url === by.keys.url ? Response.json({ issuer, jwks_uri: `${issuer}/keys` }) : Response.json({ keys: [first.jwk] }),
      () => start,
    )
    const mail = { ...claims, email: 'root@example.com' }
    await expect(byMail(await signed({ ...mail, email_verified: false }))).rejects.toThrow('oidc: email not verified')
    await expect(byMail(await signed({ ...mail, email_verified: 'true' }))).rejects.toThrow('oidc: email not verified')
    expect((await byMail(await signed({ ...mail, email_verified: true })))?.name).toBe('root@example.com')
    expect(await holderOf(await signed({ ...claims, iss: 'https://other.example' }))).toBeUndefined()
  })
})

describe('a forged token', () => {
  const refusal = 'oidc: verify token: failed to verify signature'
  const part = (value: unknown): string => base64url.encode(JSON.stringify(value))

  test('with alg none is refused', async () => {
    const { holderOf } = server([first.jwk])
    for (const alg of ['none', 'None', 'NONE', '']) {
      await expect(holderOf(`${part({ alg, kid: 'first' })}.${part(claims)}.`)).rejects.toThrow(refusal)
    }
  })

  test('with a public key as HMAC secret is refused', async () => {
    const { holderOf } = server([first.jwk, second.jwk])
    for (const { publicKey, jwk } of [first, second]) {
      const text = new TextEncoder()
      for (const secret of [await exportSPKI(publicKey), JSON.stringify(jwk), (await exportSPKI(publicKey)).trim()]) {
        const payload = text.encode(JSON.stringify(claims))
        const header = { alg: 'HS256', kid: jwk.kid ?? '' }
        const forged = await new CompactSign(payload).setProtectedHeader(header).sign(text.encode(secret))
        await expect(holderOf(forged)).rejects.toThrow(refusal)
      }
    }
  })

  test('with its own key in jwk, jku or x5u is refused', async () => {
    const { holderOf } = server([first.jwk])
    const own = await pairOf('first')
    const header = { alg: 'ES256', kid: 'first', jwk: own.jwk, jku: 'https://evil.example/keys', x5u: 'https://evil.example' }
    const forged = await new SignJWT(claims).setProtectedHeader(header).sign(own.privateKey)
    await expect(holderOf(forged)).rejects.toThrow(refusal)
  })

  test('whose claims were changed is refused', async () => {
    const { holderOf } = server([first.jwk])
    const [head, , tail] = (await signed(claims)).split('.')
    await expect(holderOf(`${head}.${part({ ...claims, sub: 'root' })}.${tail}`)).rejects.toThrow(refusal)
  })

  test('with an unknown critical header (crit) is refused', async () => {
    const { holderOf } = server([first.jwk])
    const header = { alg: 'ES256', kid: 'first', crit: ['x'], x: 1 }
    const forged = await new SignJWT(claims).setProtectedHeader(header).sign(first.privateKey, { crit: { x: true } })
    await expect(holderOf(forged)).rejects.toThrow(refusal)
  })

  test.each(['', '.', '..', 'a.b.c', 'x'.repeat(70_000), 'e30.e30.e30.e30', 'e30.bnVsbA.e30'])(
    '%.20s is not a JWT, and the issuer is not asked',
    async (text) => {
      const { holderOf, state } = server([first.jwk])
      expect(await holderOf(text)).toBeUndefined()
      expect(state.requests).toBe(0)
    },
  )
})

describe('the key set (JWKS) of an issuer', () => {
  test('is fetched once, and again for a new kid', async () => {
    const { holderOf, state } = server([first.jwk])
    await holderOf(await signed(claims))
    await holderOf(await signed(claims))
    expect(state.requests).toBe(2)
    state.keys = [first.jwk, second.jwk]
    state.now += 11_000
    expect((await holderOf(await signed(claims, second)))?.name).toBe('oidc:alice')
    expect(state.requests).toBe(4)
  })

  test('is not fetched for every token with an unknown kid', async () => {
    const { holderOf, state } = server([first.jwk])
    await holderOf(await signed(claims))
    const unknown = await signed(claims, first, { kid: 'unknown' })
    for (let i = 0; i < 5; i++) await expect(holderOf(unknown)).rejects.toThrow('failed to verify signature')
    expect(state.requests).toBe(2)
  })

  test('is kept while the issuer is down, and a withdrawn key stops to verify after the next fetch', async () => {
    const { holderOf, state } = server([first.jwk])
    const long = await signed({ ...claims, exp: start / 1000 + 100_000 })
    await holderOf(long)
    state.now += 11 * 60 * 1000
    state.documents[`${issuer}/keys`] = () => new Response(null, { status: 503 })
    expect((await holderOf(long))?.name).toBe('oidc:alice')
    state.documents = {}
    state.keys = [second.jwk]
    state.now += 11 * 60 * 1000
    await expect(holderOf(long)).rejects.toThrow('failed to verify signature')
  })

  test.each([
    [
      'a discovery document of another issuer',
      by.keys.url,
      () => Response.json({ issuer: 'https://evil.example', jwks_uri: `${issuer}/keys` }),
    ],
    ['a jwks_uri over plain http', by.keys.url, () => Response.json({ issuer, jwks_uri: 'http://issuer.example/keys' })],
    [
      'a redirect of the key set',
      `${issuer}/keys`,
      () => new Response(null, { status: 302, headers: { location: `${issuer}/keys2` } }),
    ],
    ['a key set longer than 1 MiB', `${issuer}/keys`, () => new Response(`{"keys":[],"x":"${'x'.repeat(2_000_000)}"}`)],
    ['a key set that is not JSON', `${issuer}/keys`, () => new Response('<html>')],
    ['a key set whose keys are not a list', `${issuer}/keys`, () => Response.json({ keys: {} })],
    ['a key set with items that are not keys', `${issuer}/keys`, () => Response.json({ keys: [null, 7] })],
  ])('%s is not accepted', async (_what, url, document) => {
    const { holderOf, state } = server([first.jwk])
    state.documents[url] = document
    await expect(holderOf(await signed(claims))).rejects.toThrow(TokenError)
  })

  test('with private or symmetric keys verifies no token', async () => {
    const secret = { kty: 'oct', k: base64url.encode('x'.repeat(32)), kid: 'first', alg: 'HS256' }
    const { holderOf } = server([secret, { ...(await exportJWK(first.privateKey)), kid: 'private' }])
    const bySecret = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .sign(new TextEncoder().encode('x'.repeat(32)))
    await expect(holderOf(bySecret)).rejects.toThrow(TokenError)
    await expect(holderOf(await signed(claims, first, { kid: 'private' }))).rejects.toThrow(TokenError)
  })
})
