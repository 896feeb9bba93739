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

function signed(said: Record<string, unknown>, by: Pair = first, header: { alg?: string; kid?: string } = {}): Promise<string> {
  const { kid = '', alg = '' } = by.jwk
  return new SignJWT(said).setProtectedHeader({ alg, kid, ...header }).sign(by.privateKey)
}

/** An issuer whose answers can be changed, and the clock that it is asked by. */
function server(keys: JWK[]) {
  const state = { keys, asked: 0, now: start, documents: {} as Record<string, () => Response> }
  const answers: Record<string, () => Response> = {
    [by.keys.url]: () => Response.json({ issuer, jwks_uri: `${issuer}/keys` }),
    [`${issuer}/keys`]: () => Response.json({ keys: state.keys }),
  }
  const holderOf = oidcTokens(
    [by],
    () => async (url) => {
      state.asked++
      const document = state.documents[url] ?? answers[url]
      return document?.() ?? new Response(null, { status: 404 })
    },
    () => state.now,
  )
  return { state, holderOf }
}

describe('a token of a trusted issuer', () => {
  test('names its holder with the prefixes of the configuration', async () => {
    const { holderOf } = server([first.jwk])
    expect(await holderOf(await signed(claims))).toEqual({
      name: 'oidc:alice',
      uid: '',
      groups: ['oidc:admins'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=id'] },
    })
  })

  test('needs not say which key has signed it', async () => {
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
  ])('that says %j is refused', async (said, message) => {
    const { holderOf } = server([first.jwk])
    await expect(holderOf(await signed({ ...claims, ...said }))).rejects.toThrow(new TokenError(message))
  })

  test('whose address is not verified is refused', async () => {
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

  test('without a signature is refused', async () => {
    const { holderOf } = server([first.jwk])
    for (const alg of ['none', 'None', 'NONE', '']) {
      await expect(holderOf(`${part({ alg, kid: 'first' })}.${part(claims)}.`)).rejects.toThrow(refusal)
    }
  })

  test('that takes the public key for a secret is refused', async () => {
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

  test('that brings its own key is refused', async () => {
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

  test('that demands an extension is refused', async () => {
    const { holderOf } = server([first.jwk])
    const header = { alg: 'ES256', kid: 'first', crit: ['x'], x: 1 }
    const forged = await new SignJWT(claims).setProtectedHeader(header).sign(first.privateKey, { crit: { x: true } })
    await expect(holderOf(forged)).rejects.toThrow(refusal)
  })

  test.each(['', '.', '..', 'a.b.c', 'x'.repeat(70_000), 'e30.e30.e30.e30', 'e30.bnVsbA.e30'])('%.20s is none', async (text) => {
    const { holderOf, state } = server([first.jwk])
    expect(await holderOf(text)).toBeUndefined()
    expect(state.asked).toBe(0)
  })
})

describe('the keys of an issuer', () => {
  test('are fetched once, and again for a key that is new', async () => {
    const { holderOf, state } = server([first.jwk])
    await holderOf(await signed(claims))
    await holderOf(await signed(claims))
    expect(state.asked).toBe(2)
    state.keys = [first.jwk, second.jwk]
    state.now += 11_000
    expect((await holderOf(await signed(claims, second)))?.name).toBe('oidc:alice')
    expect(state.asked).toBe(4)
  })

  test('are not fetched for every token that names one that is not there', async () => {
    const { holderOf, state } = server([first.jwk])
    await holderOf(await signed(claims))
    const unknown = await signed(claims, first, { kid: 'unknown' })
    for (let i = 0; i < 5; i++) await expect(holderOf(unknown)).rejects.toThrow('failed to verify signature')
    expect(state.asked).toBe(2)
  })

  test('outlive an issuer that is away, and go when it takes them back', async () => {
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
    ['of another issuer', by.keys.url, () => Response.json({ issuer: 'https://evil.example', jwks_uri: `${issuer}/keys` })],
    ['over plain http', by.keys.url, () => Response.json({ issuer, jwks_uri: 'http://issuer.example/keys' })],
    ['behind a redirect', `${issuer}/keys`, () => new Response(null, { status: 302, headers: { location: `${issuer}/keys2` } })],
    ['without an end', `${issuer}/keys`, () => new Response(`{"keys":[],"x":"${'x'.repeat(2_000_000)}"}`)],
    ['that are no JSON', `${issuer}/keys`, () => new Response('<html>')],
    ['that are no list', `${issuer}/keys`, () => Response.json({ keys: {} })],
    ['that are no keys', `${issuer}/keys`, () => Response.json({ keys: [null, 7] })],
  ])('%s are not taken', async (_what, url, document) => {
    const { holderOf, state } = server([first.jwk])
    state.documents[url] = document
    await expect(holderOf(await signed(claims))).rejects.toThrow(TokenError)
  })

  test('that are private or a secret do not verify', async () => {
    const secret = { kty: 'oct', k: base64url.encode('x'.repeat(32)), kid: 'first', alg: 'HS256' }
    const { holderOf } = server([secret, { ...(await exportJWK(first.privateKey)), kid: 'private' }])
    const bySecret = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .sign(new TextEncoder().encode('x'.repeat(32)))
    await expect(holderOf(bySecret)).rejects.toThrow(TokenError)
    await expect(holderOf(await signed(claims, first, { kid: 'private' }))).rejects.toThrow(TokenError)
  })
})
